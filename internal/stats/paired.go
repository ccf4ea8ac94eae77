package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Comparison says by how much a candidate differs from its baseline on the
// rows that both have scored.
type Comparison struct {
	// Difference is the mean of candidate less baseline, with its interval.
	Difference Interval
	// Better, Worse and Same count units: rows, or groups of rows by the sum
	// of their differences.
	Better, Worse, Same int
	// Permutation is the test of the mean difference by turned signs.
	Permutation Test
	// Wilcoxon is the test by signed ranks.
	Wilcoxon Test
	// Detectable is the smallest mean difference that a two-sided test at
	// level 1 - Confidence finds with a probability of 0.8, at this number of
	// units and this deviation of the differences; NaN where it is unknown.
	Detectable float64
}

// Compare compares two runs by the differences of their paired rows, candidate
// less baseline: each a unit of size 1 in differences, or added up by group
// with [Groups]. Where o has no range it is -1 to 1.
//
// The interval and the tests answer two questions, by different means, and may
// disagree at the edge of significance.
func Compare(differences *Sample, o Options) Comparison {
	if o.Low == 0 && o.High == 0 {
		o.Low, o.High = -1, 1
	}
	o = o.withDefaults()
	t := differences.table()
	c := Comparison{
		Difference:  differences.Interval(o),
		Permutation: t.signFlips(o),
		Wilcoxon:    t.signedRanks(),
		Detectable:  math.NaN(),
	}
	for i, u := range t.units {
		switch d := tied(u.sum); {
		case d > 0:
			c.Better += t.counts[i]
		case d < 0:
			c.Worse += t.counts[i]
		default:
			c.Same += t.counts[i]
		}
	}
	if t.n >= leastUnits && t.different() >= leastDifferent {
		c.Detectable = Detectable(t.standardError(), t.n, 1-o.Confidence, 0.8)
	}
	return c
}

// Detectable returns the smallest true difference that a two-sided t test at
// level alpha, of a mean over n units with that standard error, finds with
// probability power: the one where a noncentral t with n-1 degrees of freedom
// lies beyond the critical value that often (Cohen, "Statistical Power Analysis
// for the Behavioral Sciences", 2nd ed., 1988, chapter 2). It is in the units
// of the standard error; NaN for fewer than two units.
func Detectable(standardError float64, n int, alpha, power float64) float64 {
	if n < 2 {
		return math.NaN()
	}
	free := float64(n - 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(1 - alpha/2)
	found := func(shift float64) float64 {
		if free > 1e4 { // the series of the noncentral t loses its last digits
			return distuv.UnitNormal.CDF(shift-critical) + distuv.UnitNormal.CDF(-shift-critical)
		}
		d := distuv.NoncentralT{Nu: free, Mu: shift}
		return 1 - d.CDF(critical) + d.CDF(-critical)
	}
	low, high := 0.0, 1.0
	for found(high) < power {
		high *= 2
	}
	for range 60 {
		if middle := (low + high) / 2; found(middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high * standardError
}
