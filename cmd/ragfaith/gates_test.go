package main

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

func tallyOf(failed int, scores ...float64) *report.Tally {
	var t report.Tally
	for _, x := range scores {
		_ = t.Write(&result.Row{Status: result.Scored, Faithfulness: x})
	}
	for range failed {
		_ = t.Write(&result.Row{Status: result.Failed, Faithfulness: math.NaN()})
	}
	return &t
}

// refusing adds the given number of refusals, which contain no claims, to t.
func refusing(rows int, t *report.Tally) *report.Tally {
	for range rows {
		_ = t.Write(&result.Row{Status: result.NoClaims, Reason: "refusal", Faithfulness: math.NaN()})
	}
	return t
}

func TestGatesSetExitCode(t *testing.T) {
	t.Parallel()
	bar := func(x float64) *float64 { return &x }
	share := func(x float64) flagvalue.Limit { return flagvalue.Limit{Share: &x} }
	tenths := slices.Repeat([]float64{0.1}, 3) // the mean is not exactly 0.1 in binary
	many := append(slices.Repeat([]float64{1}, 26), slices.Repeat([]float64{0.5}, 14)...)
	for _, tt := range []struct {
		name  string
		o     gateOptions
		tally *report.Tally
		code  int
		want  string
	}{
		{"no gate", gateOptions{}, tallyOf(0, 0), 0, ""},
		{"above", gateOptions{minMean: bar(0.8)}, tallyOf(0, 1, 0.6246), 0, "gate: mean faithfulness 0.8123 >= 0.80 (n = 2 scored): pass\n"},
		{"equal", gateOptions{minMean: bar(0.1)}, tallyOf(0, tenths...), 0, "gate: mean faithfulness 0.1000 >= 0.10 (n = 3 scored): pass\n"},
		{"below", gateOptions{minMean: bar(0.825)}, tallyOf(0, 0.8), 4, "gate: mean faithfulness 0.8000 < 0.825 (n = 1 scored): FAIL\n"},
		{"just below", gateOptions{minMean: bar(0.8)}, tallyOf(0, 0.799999), 4, "gate: mean faithfulness 0.799999 < 0.80 (n = 1 scored): FAIL\n"},
		{"just above", gateOptions{minMean: bar(0.80001)}, tallyOf(0, 0.800013), 0, "gate: mean faithfulness 0.80001 >= 0.80001 (n = 1 scored): pass\n"},
		{"nothing scored", gateOptions{minMean: bar(0)}, tallyOf(0), 4, "gate: mean faithfulness >= 0.00 cannot be evaluated (n = 0 scored): FAIL\n"},
		{"few rows without claims", gateOptions{maxNoClaims: bar(0.2)}, refusing(1, tallyOf(0, 1, 1, 1, 1)), 0, "gate: rows without claims 20% <= 20% (1 of 5 rows): pass\n"},
		{"most rows without claims", gateOptions{minMean: bar(0.9), maxNoClaims: bar(0.2)}, refusing(9, tallyOf(0, 1)), 4, "gate: mean faithfulness 1.0000 >= 0.90 (n = 1 scored): pass\ngate: rows without claims 90% > 20% (9 of 10 rows): FAIL\n"},
		{"failed rows are not without claims", gateOptions{maxNoClaims: bar(0.5), maxFailed: flagvalue.Limit{N: 8}}, refusing(1, tallyOf(8, 1)), 0, "gate: rows without claims 50% <= 50% (1 of 2 rows): pass\n"},
		{"only failed rows", gateOptions{maxNoClaims: bar(1), maxFailed: flagvalue.Limit{N: 1}}, tallyOf(1), 4, "gate: rows without claims <= 100% cannot be evaluated (n = 0 rows): FAIL\n"},
		{"failed rows", gateOptions{}, tallyOf(2, 1), 3, "gate: 2 failed rows > 0 (--max-failed): FAIL\n"},
		{"largest share of failed rows", gateOptions{maxFailed: share(0.25)}, tallyOf(1, 1, 1, 1), 0, ""},
		{"share of failed rows", gateOptions{maxFailed: share(0.01)}, tallyOf(1, 1, 1, 1), 3, "gate: failed rows 25% > 1% (1 of 4 rows, --max-failed): FAIL\n"},
		{"as many failed rows as allowed", gateOptions{maxFailed: flagvalue.Limit{N: 2}}, tallyOf(2, 1), 0, ""},
		{"both", gateOptions{minMean: bar(0.9), maxFailed: flagvalue.Limit{N: 1}}, tallyOf(2, 0.5), 3, "gate: mean faithfulness 0.5000 < 0.90 (n = 1 scored): FAIL\ngate: 2 failed rows > 1 (--max-failed): FAIL\n"},
		{"lower end above", gateOptions{minLower: bar(0.7)}, tallyOf(0, many...), 0, "gate: lower end of the 95% interval of mean faithfulness 0.7500 >= 0.70 (mean 0.8250, n = 40 rows, BCa bootstrap): pass\n"},
		{"lower end below", gateOptions{minLower: bar(0.8)}, tallyOf(0, many...), 4, "gate: lower end of the 95% interval of mean faithfulness 0.7500 < 0.80 (mean 0.8250, n = 40 rows, BCa bootstrap): FAIL\n"},
		{"lower end of equal scores", gateOptions{minLower: bar(0.8)}, tallyOf(0, slices.Repeat([]float64{1}, 20)...), 0, "gate: lower end of the 95% interval of mean faithfulness 0.8316 >= 0.80 (mean 1.0000, n = 20 rows: all 20 values are equal: conservative bounds, valid for any values from 0 to 1): pass\n"},
		{"no interval", gateOptions{minLower: bar(0)}, tallyOf(0, slices.Repeat([]float64{1}, 19)...), 4, "gate: lower end of the 95% interval of mean faithfulness >= 0.00 cannot be evaluated (n = 19 rows: too few for an interval (minimum 20)): FAIL\n"},
		{"no score", gateOptions{minLower: bar(0)}, tallyOf(0), 4, "gate: lower end of the 95% interval of mean faithfulness >= 0.00 cannot be evaluated (n = 0 rows: too few for an interval (minimum 20)): FAIL\n"},
		{"mean above, lower end below", gateOptions{minMean: bar(0.8), minLower: bar(0.8)}, tallyOf(0, many...), 4, "gate: mean faithfulness 0.8250 >= 0.80 (n = 40 scored): pass\ngate: lower end of the 95% interval of mean faithfulness 0.7500 < 0.80 (mean 0.8250, n = 40 rows, BCa bootstrap): FAIL\n"},
		{"failed rows and no interval", gateOptions{minLower: bar(0.5)}, tallyOf(1, 1), 3, "gate: lower end of the 95% interval of mean faithfulness >= 0.50 cannot be evaluated (n = 1 row: too few for an interval (minimum 20)): FAIL\ngate: 1 failed row > 0 (--max-failed): FAIL\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			err := printGates(tt.o.evaluate(tt.tally, report.NewEstimator("", nil, 0).Means(tt.tally)), console.New(&b, report.Palette{}))
			code := 0
			var exit *exitError
			if errors.As(err, &exit) {
				code = exit.code
			}
			if code != tt.code || b.String() != tt.want {
				t.Errorf("got exit code %d and %q, want %d and %q", code, &b, tt.code, tt.want)
			}
		})
	}
}

// groupOf returns a group with the given value and n scores x.
func groupOf(value string, n int, x float64) report.Group {
	return report.Group{Value: value, Rows: n, Scored: n, Mean: stats.Interval{Estimate: x, N: n, Method: stats.TooFew}}
}

func TestGroupsGate(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	var many []report.Group
	for i := range 8 {
		many = append(many, groupOf(strconv.Itoa(i), 1, 0.5))
	}
	for _, tt := range []struct {
		name   string
		by     []report.By
		value  float64
		passed bool
		want   string
	}{
		{"above", []report.By{{Column: "topic", Groups: []report.Group{groupOf("sea", 3, 0.8), groupOf("sky", 1, 1)}}}, 0.8, true, "mean faithfulness by topic >= 0.80 in 2 groups, lowest: sea 0.8000 (n = 3)"},
		{"below", []report.By{{Column: "topic", Groups: []report.Group{groupOf("", 3, 0.79999), groupOf("sky", 1, 1)}}}, 0.79999, false, "mean faithfulness by topic < 0.80 in 1 of 2 groups: (none) 0.79999 (n = 3)"},
		{"no score in a group", []report.By{{Column: "topic", Groups: []report.Group{groupOf("sea", 3, 0.9), groupOf("sky", 0, nan)}}}, 0.9, true, "mean faithfulness by topic >= 0.80 in 1 group, lowest: sea 0.9000 (n = 3); no score: 1 group"},
		{"no score in any group", []report.By{{Column: "topic", Groups: []report.Group{groupOf("sky", 0, nan)}}}, nan, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (no group has a score)"},
		{"no rows", []report.By{{Column: "topic"}}, nan, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (no group has a score)"},
		{"two columns", []report.By{{Column: "topic", Groups: []report.Group{groupOf("sea", 3, 0.9)}}, {Column: "lang", Groups: []report.Group{groupOf("en", 2, 0.7)}}}, 0.7, false, "mean faithfulness by topic >= 0.80 in 1 group, lowest: sea 0.9000 (n = 3); mean faithfulness by lang < 0.80 in 1 of 1 group: en 0.7000 (n = 2)"},
		{"many groups below", []report.By{{Column: "topic", Groups: many}}, 0.5, false, "mean faithfulness by topic < 0.80 in 8 of 8 groups: 0 0.5000 (n = 1), 1 0.5000 (n = 1), 2 0.5000 (n = 1), 3 0.5000 (n = 1), 4 0.5000 (n = 1) and 3 more"},
		{"too many groups", []report.By{{Column: "topic", Groups: []report.Group{groupOf("sea", 3, 0.9)}, Other: &report.Group{}}}, 0.9, false, "mean faithfulness by topic >= 0.80 cannot be evaluated (more than 1 group)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := groupsGate(tt.by, 0.8)
			if g.Text != tt.want || g.Passed != tt.passed || !cmp.Equal(g.Value, tt.value, cmpopts.EquateNaNs()) {
				t.Errorf("got %+v, want value %v, passed %v and %q", g, tt.value, tt.passed, tt.want)
			}
		})
	}
}
