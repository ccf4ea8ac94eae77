package compare

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
)

// moved makes runs of n rows, of which some drop from 1 to 0 and some rise.
func moved(n, drop, rise int) (was, is []*result.Row) {
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

func TestTheGateFailsAtADropThatIsNoChance(t *testing.T) {
	for name, tt := range map[string]struct {
		n, drop, rise int
		bar           float64
		passed        bool
		text, note    string
	}{
		"a drop":                       {100, 20, 2, 0.05, false, "mean faithfulness dropped by 0.1800 > 0.05, p = 0.0001 < 0.05 (n = 100)", ""},
		"a drop that is small":         {100, 4, 0, 0.05, true, "mean faithfulness dropped by 0.0400 <= 0.05 (n = 100)", ""},
		"a drop that is the bar":       {100, 5, 0, 0.05, true, "mean faithfulness dropped by 0.0500 <= 0.05 (n = 100)", "100 are few for a bar of 0.05: a drop is found with a probability of 0.8 from 0.0620 on; for 0.05 it takes about 154"},
		"a drop that may be chance":    {100, 12, 6, 0.02, true, "mean faithfulness dropped by 0.0600 > 0.02, but it may be chance: p = 0.2379 >= 0.05 (n = 100)", "100 are few for a bar of 0.02: a drop is found with a probability of 0.8 from 0.1194 on; for 0.02 it takes about 3566"},
		"a gain":                       {100, 0, 20, 0, true, "mean faithfulness rose by 0.2000 (n = 100)", ""},
		"no change":                    {100, 0, 0, 0, true, "mean faithfulness did not change (n = 100)", ""},
		"a hair above the bar":         {30_000, 601, 0, 0.02, false, "mean faithfulness dropped by 0.02003 > 0.02, p < 0.0001 < 0.05 (n = 30000)", ""},
		"few rows that drop":           {5, 5, 0, 0.02, false, "mean faithfulness dropped by 1.0000 > 0.02, and n = 5 is too few to tell it from chance", ""},
		"few rows that do not":         {5, 0, 0, 0.02, true, "mean faithfulness did not change (n = 5)", ""},
		"as few as can tell":           {6, 6, 0, 0.02, false, "mean faithfulness dropped by 1.0000 > 0.02, p = 0.0313 < 0.05 (n = 6)", ""},
		"a bar of 0 and a single drop": {100, 1, 0, 0, true, "mean faithfulness dropped by 0.0100 > 0, but it may be chance: p = 1.0000 >= 0.05 (n = 100)", ""},
	} {
		was, is := moved(tt.n, tt.drop, tt.rise)
		g := run(t, Options{MaxDrop: &tt.bar}, source("was", was...), source("is", is...)).Gate
		if g.Passed != tt.passed || g.Text != tt.text || g.Note != tt.note {
			t.Errorf("%s: %v %s\n%s", name, g.Passed, g.Text, g.Note)
		}
	}
}

func TestTheGateFailsWhereNothingIsCompared(t *testing.T) {
	bar := 0.5
	c := run(t, Options{MaxDrop: &bar}, source("was", row("a", "x+")), source("is", unscored("a", result.Failed)))
	if g := c.Gate; g.Passed || !strings.HasSuffix(g.Text, "can't be judged (no row has a score on both sides)") {
		t.Error(g)
	}
}

func TestAlphaDecidesWhatIsChance(t *testing.T) {
	bar := 0.02
	was, is := moved(100, 12, 3)
	for alpha, passed := range map[float64]bool{0.05: false, 0.01: true} {
		c := run(t, Options{MaxDrop: &bar, Alpha: alpha}, source("was", was...), source("is", is...))
		if c.Gate.Passed != passed || c.Figures.Difference.Confidence != 1-alpha {
			t.Errorf("alpha %v: %+v", alpha, c.Gate)
		}
	}
}

func TestAPValueIsNeverZero(t *testing.T) {
	for p, want := range map[float64]string{1: "1.0000", 0.04999: "0.0500", 0.0001: "0.0001", 1e-9: "< 0.0001"} {
		if got := PValue(p); got != want {
			t.Errorf("%v: %s", p, got)
		}
	}
}
