package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

func newTally(failed int, scores ...float64) *Tally {
	var t Tally
	for _, x := range scores {
		_ = t.Write(&result.Row{Status: result.Scored, Faithfulness: x})
	}
	for range failed {
		_ = t.Write(&result.Row{Status: result.Failed, Faithfulness: math.NaN()})
	}
	return &t
}

// addRefusals adds n refusals, which contain no judged claims, to t.
func addRefusals(t *Tally, n int) *Tally {
	for range n {
		_ = t.Write(&result.Row{Status: result.NoClaims, Reason: "refusal", Faithfulness: math.NaN()})
	}
	return t
}

func TestGatesAreEvaluated(t *testing.T) {
	t.Parallel()
	threshold := func(x float64) *float64 { return &x }
	share := func(x float64) flagvalue.Limit { return flagvalue.Limit{Share: &x} }
	inexactMean := slices.Repeat([]float64{0.1}, 3) // the mean is not exactly 0.1 in binary
	mixedScores := append(slices.Repeat([]float64{1}, 26), slices.Repeat([]float64{0.5}, 14)...)
	for _, tt := range []struct {
		name  string
		o     Thresholds
		tally *Tally
		want  string
	}{
		{"no gate", Thresholds{}, newTally(0, 0), ""},
		{"mean above threshold", Thresholds{MinMean: threshold(0.8)}, newTally(0, 1, 0.6246), "gate: mean faithfulness 0.8123 >= 0.80 (n = 2 scored): pass\n"},
		{"mean equal to threshold", Thresholds{MinMean: threshold(0.1)}, newTally(0, inexactMean...), "gate: mean faithfulness 0.1000 >= 0.10 (n = 3 scored): pass\n"},
		{"mean below threshold", Thresholds{MinMean: threshold(0.825)}, newTally(0, 0.8), "gate: mean faithfulness 0.8000 < 0.825 (n = 1 scored): FAIL\n"},
		{"mean just below threshold", Thresholds{MinMean: threshold(0.8)}, newTally(0, 0.799999), "gate: mean faithfulness 0.799999 < 0.80 (n = 1 scored): FAIL\n"},
		{"mean just above threshold", Thresholds{MinMean: threshold(0.80001)}, newTally(0, 0.800013), "gate: mean faithfulness 0.800013 >= 0.80001 (n = 1 scored): pass\n"},
		{"nothing scored", Thresholds{MinMean: threshold(0)}, newTally(0), "gate: mean faithfulness >= 0.00 cannot be evaluated (n = 0 scored): FAIL\n"},
		{"few rows without claims", Thresholds{MaxNoClaims: threshold(0.2)}, addRefusals(newTally(0, 1, 1, 1, 1), 1), "gate: rows without claims 20% <= 20% (1 of 5 rows): pass\n"},
		{"most rows without claims", Thresholds{MinMean: threshold(0.9), MaxNoClaims: threshold(0.2)}, addRefusals(newTally(0, 1), 9), "gate: mean faithfulness 1.0000 >= 0.90 (n = 1 scored, 9 without claims): pass\ngate: rows without claims 90% > 20% (9 of 10 rows): FAIL\n"},
		{"failed rows do not count as rows without claims", Thresholds{MaxNoClaims: threshold(0.5), MaxFailed: flagvalue.Limit{N: 8}}, addRefusals(newTally(8, 1), 1), "gate: rows without claims 50% <= 50% (1 of 2 rows): pass\n"},
		{"skipped rows do not count as rows without claims", Thresholds{MaxNoClaims: threshold(0.5)}, &Tally{RowCounts: RowCounts{Rows: 4, Scored: 1, NoClaims: 1, Skipped: 2}}, "gate: rows without claims 50% <= 50% (1 of 2 rows): pass\n"},
		{"only failed rows", Thresholds{MaxNoClaims: threshold(1), MaxFailed: flagvalue.Limit{N: 1}}, newTally(1), "gate: rows without claims <= 100% cannot be evaluated (n = 0 rows): FAIL\n"},
		{"words in no claim", Thresholds{MaxUnjudged: threshold(0)}, newTally(0, 1), "gate: mean share of words in no judged claim 0% <= 0% (n = 1 row with claims): pass\n"},
		{"words in no claim of no rows", Thresholds{MaxUnjudged: threshold(1)}, addRefusals(newTally(0), 1), "gate: mean share of words in no judged claim <= 100% cannot be evaluated (n = 0 rows with claims): FAIL\n"},
		{"uncertain verdicts at limit", Thresholds{MaxUncertain: threshold(0.25)}, &Tally{RowCounts: RowCounts{Rows: 1, Scored: 1}, Claims: 5, Confident: 4, Uncertain: 1}, "gate: uncertain verdicts 25% <= 25% (1 of 4 with a confidence): pass\n"},
		{"uncertain verdicts above limit", Thresholds{MaxUncertain: threshold(0.2)}, &Tally{RowCounts: RowCounts{Rows: 1, Scored: 1}, Claims: 4, Confident: 4, Uncertain: 1}, "gate: uncertain verdicts 25% > 20% (1 of 4 with a confidence): FAIL\n"},
		{"uncertain verdicts just above limit", Thresholds{MaxUncertain: threshold(0.7433)}, &Tally{RowCounts: RowCounts{Rows: 1, Scored: 1}, Claims: 300, Confident: 300, Uncertain: 223}, "gate: uncertain verdicts 74.333% > 74.33% (223 of 300 with a confidence): FAIL\n"},
		{"uncertain verdicts just below limit", Thresholds{MaxUncertain: threshold(0.743334)}, &Tally{RowCounts: RowCounts{Rows: 1, Scored: 1}, Claims: 300, Confident: 300, Uncertain: 223}, "gate: uncertain verdicts 74.33% <= 74.3334% (223 of 300 with a confidence): pass\n"},
		{"failed share just above limit", Thresholds{MaxFailed: share(0.3333)}, newTally(1, 1, 1), "gate: failed rows 33.333% > 33.33% (1 of 3 rows, --max-failed): FAIL\n"},
		{"uncertain verdicts without a confidence", Thresholds{MaxUncertain: threshold(1)}, newTally(0, 1), "gate: uncertain verdicts <= 100% cannot be evaluated (no verdict has a confidence: the judge gives none): FAIL\n"},
		{"uncertain verdicts of no rows", Thresholds{MaxUncertain: threshold(1)}, addRefusals(newTally(0), 1), "gate: uncertain verdicts <= 100% cannot be evaluated (no verdict has a confidence: n = 0 scored): FAIL\n"},
		{"failed rows", Thresholds{}, newTally(2, 1), "gate: 2 failed rows > 0 (--max-failed): FAIL\n"},
		{"failed share at limit", Thresholds{MaxFailed: share(0.25)}, newTally(1, 1, 1, 1), ""},
		{"failed share above limit", Thresholds{MaxFailed: share(0.01)}, newTally(1, 1, 1, 1), "gate: failed rows 25% > 1% (1 of 4 rows, --max-failed): FAIL\n"},
		{"as mixedScores failed rows as allowed", Thresholds{MaxFailed: flagvalue.Limit{N: 2}}, newTally(2, 1), ""},
		{"mean gate and failed rows", Thresholds{MinMean: threshold(0.9), MaxFailed: flagvalue.Limit{N: 1}}, newTally(2, 0.5), "gate: mean faithfulness 0.5000 < 0.90 (n = 1 scored): FAIL\ngate: 2 failed rows > 1 (--max-failed): FAIL\n"},
		{"lower bound above threshold", Thresholds{MinLower: threshold(0.7)}, newTally(0, mixedScores...), "gate: lower bound of the 95% interval of mean faithfulness 0.7500 >= 0.70 (mean 0.8250, n = 40 rows, BCa bootstrap): pass\n"},
		{"lower bound below threshold", Thresholds{MinLower: threshold(0.8)}, newTally(0, mixedScores...), "gate: lower bound of the 95% interval of mean faithfulness 0.7500 < 0.80 (mean 0.8250, n = 40 rows, BCa bootstrap): FAIL\n"},
		{"lower bound of equal scores", Thresholds{MinLower: threshold(0.8)}, newTally(0, slices.Repeat([]float64{1}, 20)...), "gate: lower bound of the 95% interval of mean faithfulness 0.8316 >= 0.80 (mean 1.0000, n = 20 rows: all 20 values are equal: conservative bounds, valid for any values from 0 to 1): pass\n"},
		{"no interval", Thresholds{MinLower: threshold(0)}, newTally(0, slices.Repeat([]float64{1}, 19)...), "gate: lower bound of the 95% interval of mean faithfulness >= 0.00 cannot be evaluated (n = 19 rows: too few for an interval (minimum 20)): FAIL\n"},
		{"no score", Thresholds{MinLower: threshold(0)}, newTally(0), "gate: lower bound of the 95% interval of mean faithfulness >= 0.00 cannot be evaluated (n = 0 rows: too few for an interval (minimum 20)): FAIL\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			for _, g := range tt.o.Evaluate(tt.tally) {
				if g.Name != GateMaxFailed || !g.Passed {
					b.WriteString("gate: " + g.Text + ": " + g.Outcome() + "\n")
				}
			}
			checkDiff(t, tt.want, b.String())
		})
	}
}

// newGroup returns a group with the given value and n scores x.
func newGroup(value string, n int, x float64) Group {
	return Group{Value: NullText(value), RowCounts: RowCounts{Rows: n, Scored: n}, Mean: stats.Interval{Estimate: x, N: n, Method: stats.TooFew}}
}

func TestMeanOfFewRowsIsAWarning(t *testing.T) {
	most, half := addRefusals(newTally(0, 1), 9), addRefusals(newTally(0, 1), 1)
	gate, limited := Thresholds{MinMean: new(0.9)}, Thresholds{MinMean: new(0.9), MaxNoClaims: new(1.0)}
	if got := gate.Warnings(most); len(got) != 1 || !strings.HasPrefix(got[0], "9 of 10 rows have no claims: ") {
		t.Errorf("got warnings %q, want one about the rows without claims", got)
	}
	if got := slices.Concat(gate.Warnings(half), limited.Warnings(most), (&Thresholds{}).Warnings(most)); len(got) > 0 {
		t.Errorf("got warnings %q, want none", got)
	}
}

func TestGroupsGate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	var many []Group
	for i := range 8 {
		many = append(many, newGroup(strconv.Itoa(i), 1, 0.5))
	}
	for _, tt := range []struct {
		name   string
		by     []By
		value  float64
		passed bool
		want   string
	}{
		{"all groups above threshold", []By{{Column: "topic", Groups: []Group{newGroup("sea", 3, 0.8), newGroup("sky", 1, 1)}}}, 0.8, true, "mean faithfulness by topic >= 0.80 in 2 groups, lowest: sea 0.8000 (n = 3)"},
		{"one group below threshold", []By{{Column: "topic", Groups: []Group{newGroup("", 3, 0.79999), newGroup("sky", 1, 1)}}}, 0.79999, false, "mean faithfulness by topic < 0.80 in 1 of 2 groups: (none) 0.79999 (n = 3)"},
		{"no score in a group", []By{{Column: "topic", Groups: []Group{newGroup("sea", 3, 0.9), newGroup("sky", 0, nan)}}}, 0.9, true, "mean faithfulness by topic >= 0.80 in 1 group, lowest: sea 0.9000 (n = 3); no score: 1 group"},
		{"only failed rows in a group", []By{{Column: "topic", Groups: []Group{newGroup("sea", 3, 0.9), {Value: NullText("sky"), RowCounts: RowCounts{Rows: 2, Failed: 2}, Mean: stats.Interval{Estimate: nan}}}}}, 0.9, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (all rows of sky failed)"},
		{"no score in any group", []By{{Column: "topic", Groups: []Group{newGroup("sky", 0, nan)}}}, nan, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (no group has a score)"},
		{"no rows", []By{{Column: "topic"}}, nan, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (no group has a score)"},
		{"two columns", []By{{Column: "topic", Groups: []Group{newGroup("sea", 3, 0.9)}}, {Column: "lang", Groups: []Group{newGroup("en", 2, 0.7)}}}, 0.7, false, "mean faithfulness by topic >= 0.80 in 1 group, lowest: sea 0.9000 (n = 3); mean faithfulness by lang < 0.80 in 1 of 1 group: en 0.7000 (n = 2)"},
		{"many groups below", []By{{Column: "topic", Groups: many}}, 0.5, false, "mean faithfulness by topic < 0.80 in 8 of 8 groups: 0 0.5000 (n = 1), 1 0.5000 (n = 1), 2 0.5000 (n = 1), 3 0.5000 (n = 1), 4 0.5000 (n = 1) and 3 more"},
		{"too many groups", []By{{Column: "topic", Groups: []Group{newGroup("sea", 3, 0.9)}, Other: &Group{}}}, 0.9, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (more than 1 group)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := (&Means{By: tt.by}).groupsGate(0.8)
			if g.Text != tt.want || g.Passed != tt.passed || !cmp.Equal(g.Value, tt.value, cmpopts.EquateNaNs()) {
				t.Errorf("got %+v, want value %v, passed %v and %q", g, tt.value, tt.passed, tt.want)
			}
		})
	}
}
