package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Comparison holds the differences of a candidate from a baseline on common rows.
type Comparison struct {
	// Difference is the mean of candidate minus baseline, with its interval.
	Difference Interval `json:"difference"`
	// Permutation is the sign-flip test of the mean difference; nil without units.
	Permutation *Test `json:"permutation"`
	// Detectable is the smallest mean difference that a two-sided test at level
	// 1 - Confidence detects with a power of 0.8, given the number and standard
	// deviation of the units. It is NaN if unknown.
	Detectable float64 `json:"detectable"`
	// Differing is the number of units whose difference is not 0.
	Differing int `json:"-"`
}

// Compare compares two runs by the differences of their paired rows, candidate
// minus baseline. The differences are units of size 1, or sums by group from
// [Groups]. The default range of o is -1 to 1.
//
// The interval and the test use different methods and can disagree at the edge of significance.
func Compare(differences *Sample, o Options) Comparison {
	if o.Low == 0 && o.High == 0 {
		o.Low, o.High = -1, 1
	}
	o = o.withDefaults()
	t := differences.table()
	c := Comparison{Difference: differences.Interval(o), Detectable: math.NaN()}
	if t.n > 0 {
		test := t.signFlips(o)
		c.Permutation = &test
	}
	for _, s := range t.steps() {
		c.Differing += s.n
	}
	if t.n >= minUnits && t.effective() >= minEffective && t.distinctFromMode() >= minDistinct {
		c.Detectable = detectable(t.standardError(), t.n, 1-o.Confidence, 0.8)
	}
	return c
}

// detectable returns the smallest true difference that a two-sided t test at level alpha detects
// with the given power, for the mean of n units with the given standard error, in its unit. It is
// the noncentrality at which a noncentral t with n-1 degrees of freedom exceeds the critical value
// with that probability (Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed.,
// 1988, chapter 2). It is NaN for fewer than two units.
func detectable(standardError float64, n int, alpha, power float64) float64 {
	if n < 2 {
		return math.NaN()
	}
	df := float64(n - 1)
	critical := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1 - alpha/2)
	powerAt := func(shift float64) float64 {
		if df > 1e4 { // the series of the noncentral t loses precision
			return distuv.UnitNormal.CDF(shift-critical) + distuv.UnitNormal.CDF(-shift-critical)
		}
		d := distuv.NoncentralT{Nu: df, Mu: shift}
		return 1 - d.CDF(critical) + d.CDF(-critical)
	}
	high := 1.0
	for powerAt(high) < power {
		high *= 2
	}
	return bisect(high, 0, func(shift float64) bool { return powerAt(shift) >= power }) * standardError
}

// A Test is the result of a two-sided test of symmetry around 0.
type Test struct {
	P     float64 `json:"p"`
	Exact bool    `json:"exact"` // computed from all outcomes instead of by sampling
}

// A step counts the units whose differences have the same absolute size.
type step struct {
	size      float64
	n         int
	increases int // units with a positive difference
}

// steps returns the nonzero differences of t in ascending order of size.
func (t *table) steps() []step {
	index := make(map[float64]int)
	var all []step
	for i, u := range t.units {
		d := roundTies(u.sum)
		if d == 0 {
			continue
		}
		j, ok := index[math.Abs(d)]
		if !ok {
			j = len(all)
			index[math.Abs(d)] = j
			all = append(all, step{size: math.Abs(d)})
		}
		all[j].n += t.counts[i]
		if d > 0 {
			all[j].increases += t.counts[i]
		}
	}
	slices.SortFunc(all, func(a, b step) int { return cmp.Compare(a.size, b.size) })
	return all
}

// maxOutcomes is the maximum number of outcomes for an exact sign-flip test.
const maxOutcomes = 1 << 20

// signFlips compares the sum of the differences with the sums for all combinations of
// signs, which are equally likely under the null hypothesis (Fisher, "The Design of
// Experiments", 1935, section 21). The rows of a group share their sign.
//
// With at most 2^20 outcomes the test is exact. Otherwise it draws o.Resamples
// outcomes and includes the observed one: p = (b+1)/(m+1), which is never 0 and
// maintains the level (Davison and Hinkley 1997, chapter 4; Phipson and Smyth, Statistical
// Applications in Genetics and Molecular Biology 9, 2010).
func (t *table) signFlips(o Options) Test {
	steps := t.steps()
	if len(steps) == 0 {
		return Test{P: 1, Exact: true}
	}
	total := 1.0
	for _, s := range steps {
		total *= float64(s.n + 1)
	}
	if total <= maxOutcomes {
		return exactFlips(steps)
	}
	return sampledFlips(binSteps(steps, maxBins), o)
}

// observedSum returns the observed sum of differences, and a tolerance for comparisons.
func observedSum(steps []step) (sum, tolerance float64) {
	for _, s := range steps {
		sum += s.size * float64(2*s.increases-s.n)
		tolerance += s.size * float64(s.n)
	}
	return sum, tolerance * 1e-10
}

// extreme returns whether a sum is at least as extreme as the observed one.
func extreme(steps []step) func(sum float64) bool {
	observed, tolerance := observedSum(steps)
	return func(sum float64) bool { return math.Abs(sum) >= math.Abs(observed)-tolerance }
}

// exactFlips sums the probabilities of all outcomes. The number of increases
// among n equal differences follows a binomial distribution.
func exactFlips(steps []step) Test {
	probabilities := make([][]float64, len(steps))
	for i, s := range steps {
		flips := distuv.Binomial{N: float64(s.n), P: 0.5}
		for k := range s.n + 1 {
			probabilities[i] = append(probabilities[i], flips.Prob(float64(k)))
		}
	}
	isExtreme := extreme(steps)
	p := 0.0
	var walk func(i int, sum, probability float64)
	walk = func(i int, sum, probability float64) {
		if i < len(steps) {
			for k, q := range probabilities[i] {
				walk(i+1, sum+steps[i].size*float64(2*k-steps[i].n), probability*q)
			}
			return
		}
		if isExtreme(sum) {
			p += probability
		}
	}
	walk(0, 0, 1)
	// 40 significant bits, so that probabilities that were summed in different ways, such as
	// 1/32, are equal.
	const bits = 40
	fraction, exponent := math.Frexp(p)
	return Test{P: min(math.Ldexp(math.Round(math.Ldexp(fraction, bits)), exponent-bits), 1), Exact: true}
}

// sampledFlips estimates the p-value from random outcomes.
func sampledFlips(steps []step, o Options) Test {
	isExtreme := extreme(steps)
	fair := newBinomial(0.5)
	sums := parallelDraws(o.Resamples, o.Seed, func(r *rand.Rand, dst []float64) {
		for i := range dst {
			sum := 0.0
			for _, s := range steps {
				sum += s.size * float64(2*fair.draw(r, s.n)-s.n)
			}
			dst[i] = sum
		}
	})
	n := 1 // the observed outcome
	for _, sum := range sums {
		if isExtreme(sum) {
			n++
		}
	}
	return Test{P: float64(n) / float64(len(sums)+1)}
}

// binSteps returns at most n steps. Steps of similar size (within one n-th of
// the range) are replaced with their mean if there are more. The test remains
// valid, since the observed sum is also computed from the result.
func binSteps(steps []step, n int) []step {
	if len(steps) <= n {
		return steps
	}
	low := steps[0].size
	width := (steps[len(steps)-1].size - low) / float64(n)
	var all []step
	bin := -1
	for _, s := range steps {
		if i := min(int((s.size-low)/width), n-1); i != bin {
			all, bin = append(all, step{}), i
		}
		last := &all[len(all)-1]
		last.size = (last.size*float64(last.n) + s.size*float64(s.n)) / float64(last.n+s.n)
		last.n += s.n
		last.increases += s.increases
	}
	return all
}
