package compare

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
)

// A Gate is the bar of a drop, and how a comparison came out at it.
type Gate struct {
	MaxDrop float64 // what was asked for
	Drop    float64 // of the mean faithfulness, below 0 for a gain; NaN where nothing was compared
	P       float64 // two-sided, of the permutation test
	Alpha   float64
	Passed  bool
	Text    string // all of that for a person
	// Note says what a gate that passed could not have seen; empty where there is
	// nothing to say.
	Note string
}

// newGate holds the drop of the mean against the bar. It fails where the drop is
// larger than the bar and the permutation test says at level Alpha that there is
// one. So of two runs of one system at most Alpha/2 fail, however small the bar
// is; and of runs whose true drop is well beyond the bar, all that have the rows
// to show it.
//
// It fails as well where no outcome of the test could reach Alpha, with fewer than
// six units at 0.05, if the drop is larger than the bar: then nothing speaks for
// chance. And it fails where nothing was compared.
func newGate(c *Comparison, bar float64) *Gate {
	n := c.Figures.Difference.N
	g := &Gate{MaxDrop: bar, Drop: 0 - c.Figures.Difference.Estimate, P: c.Figures.Permutation.TwoSided, Alpha: c.Alpha}
	if n == 0 {
		g.Text = "drop of the mean faithfulness <= " + plain(bar) + " can't be judged (no row has a score on both sides)"
		return g
	}
	what := "n = " + strconv.Itoa(n)
	if c.Cluster {
		what += " groups of " + strconv.Itoa(c.Compared) + " rows"
	}
	within := g.Drop <= bar+slack
	moved := "mean faithfulness dropped by " + telling(g.Drop, bar)
	if within {
		moved += " <= " + plain(bar)
	} else {
		moved += " > " + plain(bar)
	}
	switch chance := g.P >= c.Alpha; {
	case within && g.Drop < 0:
		g.Passed = true
		g.Text = "mean faithfulness rose by " + telling(-g.Drop, 0) + " (" + what + ")"
	case within && g.Drop == 0:
		g.Passed = true
		g.Text = "mean faithfulness did not change (" + what + ")"
	case within:
		g.Passed = true
		g.Text = moved + " (" + what + ")"
	case tooFew(n, c.Alpha):
		g.Text = moved + ", and " + what + " is too few to tell it from chance"
	case chance:
		g.Passed = true
		g.Text = moved + ", but it may be chance: " + pIs(g.P, c.Alpha) + " >= " + plain(c.Alpha) + " (" + what + ")"
	default:
		g.Text = moved + ", " + pIs(g.P, c.Alpha) + " < " + plain(c.Alpha) + " (" + what + ")"
	}
	if d := c.Figures.Detectable; g.Passed && bar > 0 && d > bar {
		need := math.Ceil(float64(n) * (d / bar) * (d / bar))
		g.Note = fmt.Sprintf("%d are few for a bar of %s: a drop is found with a probability of 0.8 from %.4f on; for %s it takes about %.0f",
			n, plain(bar), d, plain(bar), need)
	}
	return g
}

// Outcome is how the gate came out, in a word.
func (g *Gate) Outcome() string {
	if g.Passed {
		return "pass"
	}
	return "FAIL"
}

// tooFew reports whether no outcome of a test by signs of n units is as unlikely
// as alpha: the least likely one has all of one sign.
func tooFew(n int, alpha float64) bool { return math.Ldexp(2, -n) >= alpha }

// telling writes x with four decimals, or with as many as show on which side of
// the bar it lies.
func telling(x, bar float64) string {
	const usual, most = 4, 17
	for digits := usual; ; digits++ {
		s := strconv.FormatFloat(x, 'f', digits, 64)
		shown, _ := strconv.ParseFloat(s, 64) // s was just made from a number
		if digits == most || cmp.Compare(shown, bar) == cmp.Compare(x, bar) || math.Abs(x-bar) <= slack {
			return s
		}
	}
}

// plain writes a number in full.
func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// pIs writes a p-value as what it is equal to or less than, so that it shows on
// which side of alpha it lies.
func pIs(p, alpha float64) string {
	if p < leastShown {
		return "p " + PValue(p)
	}
	return "p = " + telling(p, alpha)
}

// leastShown is the least p-value that four decimals show.
const leastShown = 0.00005

// PValue writes a p-value with four decimals, or as less than the least that
// these show.
func PValue(p float64) string {
	if p < leastShown {
		return "< 0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}
