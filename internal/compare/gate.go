package compare

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/report"
)

// newGate evaluates the gate. It fails if the drop is larger than maxDrop and significant
// at level Alpha. So at most Alpha/2 of comparisons of a system with itself fail, however
// small maxDrop is, if there are enough units for a test.
//
// If there are too few units for any drop to be significant (fewer than six at a level of 0.05),
// or so few differ but at least half of all, a drop larger than maxDrop fails without a test. The
// gate also fails if more than half of the rows with a score in the baseline were not compared.
func newGate(c *Comparison, maxDrop float64, scored int) *Gate {
	n := c.Difference.N
	g := &Gate{MaxDrop: maxDrop, Drop: 0 - c.Difference.Estimate, Alpha: c.Alpha}
	if n == 0 {
		g.P = math.NaN()
		g.Text = "mean faithfulness drop <= " + report.Decimals(maxDrop, 0) + " cannot be checked (no row has a score in both runs)"
		return g
	}
	g.P = c.Permutation.P
	size := "n = " + strconv.Itoa(n)
	if c.Units == GroupUnits {
		size += " groups of " + strconv.Itoa(c.Compared) + " rows"
	}
	within := g.Drop <= maxDrop+slack
	relation := " > "
	if within {
		relation = " <= "
	}
	drop := "mean faithfulness dropped by " + report.Distinct(g.Drop, maxDrop, 4) + relation + report.Decimals(maxDrop, 0)
	chance := g.P >= c.Alpha
	differing := c.Differing
	few := tooFew(n, c.Alpha) || tooFew(differing, c.Alpha) && 2*differing >= n
	g.Passed = within || chance && !few
	switch {
	case within && g.Drop < 0:
		g.Text = "mean faithfulness rose by " + report.Distinct(-g.Drop, 0, 4) + " (" + size + ")"
	case within && g.Drop == 0:
		g.Text = "mean faithfulness did not change (" + size + ")"
	case within:
		g.Text = drop + " (" + size + ")"
	case few:
		g.Text = drop + fmt.Sprintf(", and too few %s differ for a significance test (%d of %s)", c.Units, differing, size)
	case chance:
		g.Text = drop + ", but not significantly: " + formatP(g.P, c.Alpha) + " >= " + report.Decimals(c.Alpha, 0) + " (" + size + ")"
	default:
		g.Text = drop + ", " + formatP(g.P, c.Alpha) + " < " + report.Decimals(c.Alpha, 0) + " (" + size + ")"
	}
	if missed := scored - c.Compared; missed > 0 {
		g.Text += fmt.Sprintf("; %d of %s of the baseline not compared", missed, report.Count(scored, "row", "rows"))
		if missed > c.Compared {
			g.Passed = false
			g.Text += ", more than half"
		}
	}
	switch d := c.Detectable; {
	case !g.Passed:
	case math.IsNaN(d):
		g.Note = "too few rows differ to estimate which drop can be detected"
	case maxDrop > 0 && d > maxDrop:
		needed := math.Ceil(float64(n) * (d / maxDrop) * (d / maxDrop))
		g.Note = fmt.Sprintf("%d are too few to detect a drop of %s reliably: with a probability of 0.8 the smallest detectable drop is %.4f, and %s requires about %.0f",
			n, report.Decimals(maxDrop, 0), d, report.Decimals(maxDrop, 0), needed)
	default:
		g.Note = fmt.Sprintf("with a probability of 0.8 the smallest detectable drop is %.4f", d)
	}
	return g
}

// newRowGate evaluates the gate of the regressed rows, without an allowance for chance.
func newRowGate(c *Comparison, limit int) *RowGate {
	n := c.Regressed.Count
	g := &RowGate{Max: limit, Passed: n <= limit}
	relation := " <= "
	if !g.Passed {
		relation = " > "
	}
	g.Text = report.Count(n, "row", "rows") + " regressed" + relation + strconv.Itoa(limit)
	if n > 0 {
		g.Text += " (" + c.Regressed.String() + ")"
	}
	return g
}

// tooFew reports whether even n equal signs have a p-value of at least alpha in a sign test.
func tooFew(n int, alpha float64) bool { return math.Ldexp(2, -n) >= alpha }

// minP is the smallest p-value that is not 0 with four decimals.
const minP = 0.00005

// formatP formats a p-value with its relation, so that it shows on which side of alpha it is.
func formatP(p, alpha float64) string {
	if p < minP {
		return "p " + PValue(p)
	}
	return "p = " + report.Distinct(p, alpha, 4)
}

// PValue formats a p-value with four decimals, or as "< 0.0001" if that would be zero.
func PValue(p float64) string {
	if p < minP {
		return "< 0.0001"
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}
