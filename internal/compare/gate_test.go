package compare

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
)

// runs returns two runs of n rows, some of which drop from 1 to 0 and some rise.
func runs(n, drop, rise int) (was, is []*result.Row) {
	for i := range n {
		id := strconv.Itoa(i)
		before, after := "x+", "x+"
		switch {
		case i < drop:
			after = "x-"
		case i < drop+rise:
			before = "x-"
		}
		was, is = append(was, row(id, before)), append(is, row(id, after))
	}
	return was, is
}

func TestGate(t *testing.T) {
	for name, tt := range map[string]struct {
		n, drop, rise int
		maxDrop       float64
		passed        bool
		text, note    string
	}{
		"significant drop":          {100, 20, 2, 0.05, false, "mean faithfulness dropped by 0.1800 > 0.05, p = 0.0001 < 0.05 (n = 100)", ""},
		"small drop":                {100, 4, 0, 0.05, true, "mean faithfulness dropped by 0.0400 <= 0.05 (n = 100)", "too few rows differ to estimate which drop can be detected"},
		"drop equal to the limit":   {100, 5, 0, 0.05, true, "mean faithfulness dropped by 0.0500 <= 0.05 (n = 100)", "100 are too few to detect a drop of 0.05 reliably: with a probability of 0.8 the smallest detectable drop is 0.0620, and 0.05 requires about 154"},
		"insignificant drop":        {100, 12, 6, 0.02, true, "mean faithfulness dropped by 0.0600 > 0.02, but not significantly: p = 0.2379 >= 0.05 (n = 100)", "100 are too few to detect a drop of 0.02 reliably: with a probability of 0.8 the smallest detectable drop is 0.1194, and 0.02 requires about 3566"},
		"gain":                      {100, 0, 20, 0, true, "mean faithfulness rose by 0.2000 (n = 100)", "with a probability of 0.8 the smallest detectable drop is 0.1137"},
		"no change":                 {100, 0, 0, 0, true, "mean faithfulness did not change (n = 100)", "too few rows differ to estimate which drop can be detected"},
		"slightly above the limit":  {30_000, 601, 0, 0.02, false, "mean faithfulness dropped by 0.02003 > 0.02, p < 0.0001 < 0.05 (n = 30000)", ""},
		"too few rows differ":       {6, 5, 0, 0.02, false, "mean faithfulness dropped by 0.8333 > 0.02, and too few rows differ for a significance test (5 of n = 6)", ""},
		"enough rows differ":        {6, 5, 1, 0.02, true, "mean faithfulness dropped by 0.6667 > 0.02, but not significantly: p = 0.2188 >= 0.05 (n = 6)", "too few rows differ to estimate which drop can be detected"},
		"fewest rows for a test":    {6, 6, 0, 0.02, false, "mean faithfulness dropped by 1.0000 > 0.02, p = 0.0312 < 0.05 (n = 6)", ""},
		"limit of 0, one row drops": {100, 1, 0, 0, true, "mean faithfulness dropped by 0.0100 > 0, but not significantly: p = 1.0000 >= 0.05 (n = 100)", "too few rows differ to estimate which drop can be detected"},
	} {
		was, is := runs(tt.n, tt.drop, tt.rise)
		g := run(t, Options{MaxDrop: &tt.maxDrop}, source("was", was...), source("is", is...)).Gate
		if g.Passed != tt.passed || g.Text != tt.text || g.Note != tt.note {
			t.Errorf("%s: got %v %q %q, want %v %q %q", name, g.Passed, g.Text, g.Note, tt.passed, tt.text, tt.note)
		}
	}
}

func TestGateCountsRowsNotCompared(t *testing.T) {
	maxDrop := 0.5
	was, is := runs(4, 0, 0)
	was = append(was, unscored("not counted", result.Failed))
	for name, tt := range map[string]struct {
		is     []*result.Row
		passed bool
		text   string
	}{
		"all":               {is, true, ""},
		"one missing":       {is[1:], true, "; 1 of 4 rows of the baseline not compared"},
		"half not compared": {[]*result.Row{unscored("0", result.Failed), unscored("1", result.NoClaims), is[2], is[3]}, true, "; 2 of 4 rows of the baseline not compared"},
		"most missing":      {is[3:], false, "; 3 of 4 rows of the baseline not compared, more than half"},
	} {
		c := run(t, Options{MaxDrop: &maxDrop}, source("was", was...), source("is", tt.is...))
		g := c.Gate
		if want := fmt.Sprintf("mean faithfulness did not change (n = %d)", c.Compared) + tt.text; g.Passed != tt.passed || g.Text != want {
			t.Errorf("%s: got %v %q, want %v %q", name, g.Passed, g.Text, tt.passed, want)
		}
	}
}

func TestGateUsesAlpha(t *testing.T) {
	maxDrop := 0.02
	was, is := runs(100, 12, 3)
	for alpha, passed := range map[float64]bool{0.05: false, 0.01: true} {
		c := run(t, Options{MaxDrop: &maxDrop, Alpha: alpha}, source("was", was...), source("is", is...))
		if c.Gate.Passed != passed || c.Difference.Confidence != 1-alpha {
			t.Errorf("alpha %v: got %+v with confidence %v, want passed=%v", alpha, c.Gate, c.Difference.Confidence, passed)
		}
	}
}

func TestRowGate(t *testing.T) {
	was := source("was", row("same", "x+"), row("lower", "x+y+"), row("higher", "x-"), row("failed", "x+"), row("gone", "x+"), unscored("never", result.Failed))
	is := source("is", row("same", "x+"), row("lower", "x+y-"), row("higher", "x+"), unscored("failed", result.Failed), unscored("never", result.Failed))
	for name, tt := range map[string]struct {
		limit  int
		passed bool
		text   string
	}{
		"too many":           {2, false, "3 rows regressed > 2 (lower, failed, gone)"},
		"as many as allowed": {3, true, "3 rows regressed <= 3 (lower, failed, gone)"},
	} {
		c := run(t, Options{MaxRegressed: &tt.limit}, was, is)
		if g := c.RowGate; g.Passed != tt.passed || g.Text != tt.text || c.Passed != tt.passed {
			t.Errorf("%s: got %v %q, want %v %q", name, g.Passed, g.Text, tt.passed, tt.text)
		}
	}
}
