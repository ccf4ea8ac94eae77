package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// gateSlack is what a figure may lie below a bar and still count as reaching it:
// far more than the rounding of a sum of fractions, and far less than a row.
const gateSlack = 1e-12

// gateOptions are the flags of the gates, and of the interval that one of them
// is about.
type gateOptions struct {
	minMean, minLower *float64
	maxNoClaims       *float64
	citationRecall    *float64
	citationPrecision *float64
	maxFailed         int
	cluster           string
}

func (o *gateOptions) gateFlags() []flagSpec {
	return []flagSpec{
		{name: "min-mean", arg: "SCORE", value: fraction{&o.minMean}, found: anyValue, help: "exit 4 if the mean faithfulness is below SCORE"},
		{name: "min-lower", arg: "SCORE", value: fraction{&o.minLower}, found: anyValue, help: "exit 4 if its 95% interval starts below SCORE, or is missing"},
		{name: "max-no-claims", arg: "SHARE", value: proportion{fraction{&o.maxNoClaims}}, found: anyValue,
			help: "exit 4 if more than SHARE (such as 20%) of rows have no claims"},
		{name: "min-citation-recall", arg: "SCORE", value: fraction{&o.citationRecall}, found: anyValue, help: "exit 4 if the mean citation recall is below SCORE"},
		{name: "min-citation-precision", arg: "SCORE", value: fraction{&o.citationPrecision}, found: anyValue, help: "exit 4 if the mean citation precision is below SCORE"},
		{name: "max-failed", arg: "N", value: atLeast(&o.maxFailed, 0, 0), found: anyValue, help: "exit 3 if more than N rows fail"},
		{name: "cluster", arg: "COLUMN", value: &o.cluster, found: anyValue, help: "treat rows with the same COLUMN as one unit in intervals"},
	}
}

// checkCluster finds a column that can't group rows.
func (o *gateOptions) checkCluster() error {
	if slices.Contains(result.Names(), o.cluster) && !slices.Contains(report.ClusterFields(), o.cluster) {
		return usagef("--cluster %s is a field of the results: name a column of the dataset, or %s", o.cluster, strings.Join(report.ClusterFields(), ", "))
	}
	return nil
}

// clusterColumn is the column of --cluster that results have to carry; "" for
// none, and for a field that they have anyway.
func (o *gateOptions) clusterColumn() string {
	if slices.Contains(report.ClusterFields(), o.cluster) {
		return ""
	}
	return o.cluster
}

// asked reports whether a gate was asked for by name.
func (o *gateOptions) asked() bool {
	return o.minMean != nil || o.minLower != nil || o.maxNoClaims != nil || o.citationRecall != nil || o.citationPrecision != nil
}

// of holds the figures of a run against the gates.
func (o *gateOptions) of(t *report.Tally, m *report.Means) []report.Gate {
	var all []report.Gate
	if o.minMean != nil {
		all = append(all, meanGate(t, *o.minMean))
	}
	if o.minLower != nil {
		all = append(all, lowerGate(m, *o.minLower))
	}
	if o.maxNoClaims != nil {
		all = append(all, noClaimsGate(t, *o.maxNoClaims))
	}
	recalled, precise := t.Citations.Scored()
	if o.citationRecall != nil {
		all = append(all, citationGate(report.GateMinCitationRecall, "mean citation recall", *o.citationRecall, t.Citations.Recall(), recalled))
	}
	if o.citationPrecision != nil {
		all = append(all, citationGate(report.GateMinCitationPrecision, "mean citation precision", *o.citationPrecision, t.Citations.Precision(), precise))
	}
	failed := report.Gate{
		Name: report.GateMaxFailed, Bar: float64(o.maxFailed), Value: float64(t.Failed), Passed: t.Failed <= o.maxFailed,
	}
	sign := " > "
	if failed.Passed {
		sign = " <= "
	}
	failed.Text = strconv.Itoa(t.Failed) + " failed rows" + sign + strconv.Itoa(o.maxFailed) + " (--max-failed)"
	return append(all, failed)
}

// doubts are reasons not to trust the figures of a run, which its gates miss.
func (o *gateOptions) doubts(t *report.Tally) []string {
	var all []string
	if t.Rows > 0 && t.Failed == t.Rows && t.Failed <= o.maxFailed {
		all = append(all, fmt.Sprintf("all %d rows failed, which --max-failed %d allows: there is no score", t.Rows, o.maxFailed))
	}
	if n := t.Faithfulness.Count(); n > t.Scored && n-t.Scored > t.Scored {
		all = append(all, fmt.Sprintf("%d of %d scores are not judged: --no-claims gives them to rows without claims", n-t.Scored, n))
	}
	return all
}

// tellGates tells how the figures of a run came out at its gates, and returns the
// exit code as an error. Too many failed rows weigh more than a low mean: a score
// with holes can't be trusted.
func tellGates(all []report.Gate, c *console) error {
	for i := range all {
		if g := &all[i]; g.Name != report.GateMaxFailed || !g.Passed {
			c.gate(g)
		}
	}
	if code := gateCode(all); code != exitOK {
		return &exitError{code}
	}
	return nil
}

// gateCode is the exit code of a run whose gates came out like that.
func gateCode(gates []report.Gate) int {
	code := exitOK
	for i := range gates {
		switch {
		case gates[i].Passed:
		case gates[i].Name == report.GateMaxFailed:
			return exitFailedRows
		default:
			code = exitGate
		}
	}
	return code
}

// meanGate compares the mean with the bar.
func meanGate(t *report.Tally, bar float64) report.Gate {
	n := t.Faithfulness.Count()
	g := report.Gate{Name: report.GateMinMean, Bar: bar, Value: t.Faithfulness.Mean()}
	if n == 0 {
		g.Text = "mean faithfulness >= " + atLeastDecimals(bar, 2) + " can't be judged (n = 0 scored)"
		return g
	}
	counted := strconv.Itoa(n) + " scored"
	if t.NoClaims > 0 && n > t.Scored { // --no-claims gives them a number
		counted += ", " + strconv.Itoa(n-t.Scored) + " of them without claims"
	}
	g.Text = "mean faithfulness " + reach(&g) + " (n = " + counted + ")"
	return g
}

// lowerGate compares the lower end of the interval of the mean with the bar. What
// has no interval is not known to reach it.
func lowerGate(m *report.Means, bar float64) report.Gate {
	g := report.Gate{Name: report.GateMinLower, Bar: bar, Value: m.Rows.Lower}
	const what = "lower end of the 95% interval of mean faithfulness "
	if !m.Rows.Reliable() {
		g.Text = what + ">= " + atLeastDecimals(bar, 2) + " can't be judged (" + m.Basis() + ")"
		return g
	}
	g.Text = what + reach(&g) + " (mean " + strconv.FormatFloat(m.Rows.Estimate, 'f', 4, 64) + ", " + m.Basis() + ")"
	return g
}

// noClaimsGate compares the share of rows without claims with the bar: a bot that
// declines most questions is not shown to be faithful by the others.
func noClaimsGate(t *report.Tally, bar float64) report.Gate {
	g := report.Gate{Name: report.GateMaxNoClaims, Bar: bar, Value: t.NoClaimsShare()}
	rows := t.Rows - t.Failed
	if rows == 0 {
		g.Text = "rows without claims <= " + percent(bar) + " can't be judged (n = 0 rows)"
		return g
	}
	g.Passed = g.Value <= bar+gateSlack
	sign := " > "
	if g.Passed {
		sign = " <= "
	}
	g.Text = fmt.Sprintf("rows without claims %s%s%s (%d of %d rows)", percent(g.Value), sign, percent(bar), t.NoClaims, rows)
	return g
}

// percent writes a share with as few decimals as tell it from others, and up to two.
func percent(x float64) string {
	const hundredths = 1e4
	return strconv.FormatFloat(math.Round(x*hundredths)/100, 'f', -1, 64) + "%"
}

// citationGate compares a mean of the citations of n rows with the bar.
func citationGate(name, what string, bar, value float64, n int) report.Gate {
	g := report.Gate{Name: name, Bar: bar, Value: value}
	if math.IsNaN(value) {
		g.Text = what + " >= " + atLeastDecimals(bar, 2) + " can't be judged (no citations)"
		return g
	}
	g.Text = what + " " + reach(&g) + " (n = " + strconv.Itoa(n) + " rows)"
	return g
}

// reach decides whether the value of g reaches its bar, and says it.
func reach(g *report.Gate) string {
	g.Passed = g.Value >= g.Bar-gateSlack
	sign := " >= "
	if !g.Passed {
		sign = " < "
	}
	return tellingDecimals(g.Value, g.Bar, g.Passed) + sign + atLeastDecimals(g.Bar, 2)
}

// tellingDecimals writes x with four decimals, or with as many as show on which
// side of the bar it lies.
func tellingDecimals(x, bar float64, above bool) string {
	const usual, most = 4, 17
	for digits := usual; ; digits++ {
		s := strconv.FormatFloat(x, 'f', digits, 64)
		shown, _ := strconv.ParseFloat(s, 64) // s was just made from a number
		if digits == most || (shown >= bar) == above || math.Abs(x-bar) <= gateSlack {
			return s
		}
	}
}

// atLeastDecimals writes x in full, with no fewer decimals than that.
func atLeastDecimals(x float64, least int) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if _, decimals, _ := strings.Cut(s, "."); len(decimals) < least {
		s = strconv.FormatFloat(x, 'f', least, 64)
	}
	return s
}
