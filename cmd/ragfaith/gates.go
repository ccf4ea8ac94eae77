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

// gates holds the figures of a run against its gates and says how that came
// out. Too many failed rows weigh more than a low mean: a score with holes
// can't be trusted.
func gates(o *scoreOptions, t *report.Tally, c *console) error {
	code := exitOK
	if o.minMean != nil {
		line, pass := meanGate(t, *o.minMean)
		c.line(line)
		if !pass {
			code = exitGate
		}
	}
	if t.Failed > o.maxFailed {
		c.line("gate: " + strconv.Itoa(t.Failed) + " failed rows > " + strconv.Itoa(o.maxFailed) + " (--max-failed): FAIL")
		code = exitFailedRows
	}
	if code == exitOK {
		return nil
	}
	return &exitError{code}
}

// meanGate compares the mean with the bar.
func meanGate(t *report.Tally, bar float64) (line string, pass bool) {
	n := t.Faithfulness.Count()
	if n == 0 {
		return "gate: mean faithfulness >= " + atLeastDecimals(bar, 2) + " can't be judged (n = 0 scored): FAIL", false
	}
	mean := t.Faithfulness.Mean()
	pass = mean >= bar-gateSlack
	sign, outcome := " >= ", "pass"
	if !pass {
		sign, outcome = " < ", "FAIL"
	}
	counted := strconv.Itoa(n) + " scored"
	if t.NoClaims > 0 && n > t.Scored { // --no-claims gives them a number
		counted += ", " + strconv.Itoa(n-t.Scored) + " of them without claims"
	}
	return "gate: mean faithfulness " + tellingDecimals(mean, bar, pass) + sign + atLeastDecimals(bar, 2) +
		" (n = " + counted + "): " + outcome, pass
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
