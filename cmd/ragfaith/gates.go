package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
)

// gateSlack is what a mean may lie below a bar and still count as reaching it:
// far more than the rounding of a sum of fractions, and far less than a row.
const gateSlack = 1e-12

// gates tells how the figures of a run came out at its gates, and returns the
// exit code as an error. Too many failed rows weigh more than a low mean: a score
// with holes can't be trusted.
func gates(o *scoreOptions, t *report.Tally, c *console) error {
	all := o.gates(t)
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

// gates holds the figures of a run against its gates.
func (o *scoreOptions) gates(t *report.Tally) []report.Gate {
	var all []report.Gate
	if o.minMean != nil {
		all = append(all, meanGate(t, *o.minMean))
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
	g.Passed = g.Value >= bar-gateSlack
	sign := " >= "
	if !g.Passed {
		sign = " < "
	}
	counted := strconv.Itoa(n) + " scored"
	if t.NoClaims > 0 && n > t.Scored { // --no-claims gives them a number
		counted += ", " + strconv.Itoa(n-t.Scored) + " of them without claims"
	}
	g.Text = "mean faithfulness " + tellingDecimals(g.Value, bar, g.Passed) + sign + atLeastDecimals(bar, 2) + " (n = " + counted + ")"
	return g
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
