package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Options configures intervals and tests. The zero value selects two-sided 95%
// intervals for scores from 0 to 1.
type Options struct {
	// Confidence is the confidence level, between 0.5 and 1, or 0 for 0.95.
	Confidence float64
	// Resamples is the number of bootstrap resamples, or 0 for 10,000.
	Resamples int
	// Seed is the random seed. Results are reproducible for any number of threads.
	Seed uint64
	// Low and High are the range of the mean of a unit; 0 to 1 if both are 0.
	Low, High float64
}

const defaultConfidence = 0.95

func (o Options) withDefaults() Options {
	if o.Confidence == 0 {
		o.Confidence = defaultConfidence
	}
	if o.Resamples == 0 {
		o.Resamples = 10_000
	}
	if o.Low == 0 && o.High == 0 {
		o.High = 1
	}
	return o
}

// A Method identifies how an interval was computed.
type Method string

const (
	// TooFew means that there is no interval, and its bounds are NaN.
	TooFew Method = "none"
	// BCa is the bias-corrected and accelerated bootstrap.
	BCa Method = "bca"
	// Bounded is a conservative interval, valid for any scores within their range.
	Bounded Method = "bounded"
	// DeLong is the method of [AUROCInterval].
	DeLong Method = "delong"
	// Newcombe is the method of [Confusion.BalancedAccuracy], and for separated classes.
	Newcombe Method = "newcombe"
	// Wald is the estimate plus and minus a multiple of its standard error.
	Wald Method = "wald"
	// Delta is the method of [PlattMean].
	Delta Method = "delta"
	// FisherZ is the method of [SpearmanInterval].
	FisherZ Method = "fisher-z"
)

// An Interval is an estimate with its confidence interval.
type Interval struct {
	Estimate   float64 `json:"estimate"` // NaN if undefined
	Lower      float64 `json:"lower"`    // NaN if N is too small, as is Upper
	Upper      float64 `json:"upper"`
	Confidence float64 `json:"confidence"`
	N          int     `json:"n"` // number of independent units: rows, or groups of rows
	Method     Method  `json:"method"`
	// Note explains why the interval is missing or unusual, or is "".
	Note string `json:"note"`
}

// Reliable reports whether the interval has bounds.
func (i Interval) Reliable() bool { return i.Method != TooFew }

const (
	// minUnits is the minimum number of units for an interval. With fewer units, the
	// skewness estimate is mostly noise and the bounds depend on single rows. Even
	// for 20 scores, the interval spans a quarter of the range.
	minUnits = 20
	// minEffective is the minimum of [table.effective]. In simulations of 7 to 14, a tenth of the
	// lower bounds was above the mean; of 16 to 18 one in 17, of 21 one in 50 (nominal: 40).
	minEffective = 16
	// minDistinct is the minimum number of units that must differ from the most
	// common one for the bootstrap. With 2.5 expected in 50 units, the coverage of
	// BCa was 92% instead of 95%. With 5 it was 95%. It is also the usual minimum for
	// the normal approximation of a binomial (Cochran, Biometrics 10, 1954).
	minDistinct = 5
)

func tooFewUnits() string { return fmt.Sprintf("too few for an interval (minimum %d)", minUnits) }

// Interval returns the mean with its confidence interval.
//
// It uses the BCa bootstrap of Efron, "Better Bootstrap Confidence Intervals" (JASA
// 82, 1987): quantiles of the means of resamples, at levels corrected for bias and
// skewness. The levels are first expanded as by Hesterberg, "What Teachers Should Know
// about the Bootstrap" (The American Statistician 69, 2015): the normal quantile z
// becomes t(n-1)·sqrt(n/(n-1)), because resamples are narrower than samples. Without it,
// the coverage for 50 skewed scores is up to two points too low; with it, it is 95% to 97%.
//
// If fewer than five units differ from the most common one, resamples underestimate
// the uncertainty. In that case each bound is that of Gaffke (2005), see [bounded],
// and Note is set. With fewer than 20 units, or units whose sizes make them count like
// fewer, there is no interval, and Note is set.
func (s *Sample) Interval(o Options) Interval {
	o = o.withDefaults()
	t := s.table()
	i := Interval{Estimate: math.NaN(), Lower: math.NaN(), Upper: math.NaN(), Confidence: o.Confidence, N: t.n, Method: TooFew}
	if t.n > 0 {
		i.Estimate = t.mean()
	}
	if t.n < minUnits {
		i.Note = tooFewUnits()
		return i
	}
	if n := t.effective(); n < minEffective {
		i.Note = fmt.Sprintf("too few for an interval: a few are so large that they count like %.0f equal ones", n)
		return i
	}
	tail := (1 - o.Confidence) / 2
	if k := t.distinctFromMode(); k < minDistinct {
		i.Method = Bounded
		i.Note = fmt.Sprintf("only %d of %d differ from the most common value: conservative bounds, valid for any values from %g to %g", k, t.n, o.Low, o.High)
		if k == 0 {
			i.Note = fmt.Sprintf("all %d values are equal: conservative bounds, valid for any values from %g to %g", t.n, o.Low, o.High)
		}
		i.Lower, i.Upper = t.bounded(tail, o)
	} else {
		i.Method = BCa
		i.Lower, i.Upper = t.bca(tail, o)
	}
	// If nearly all resamples are equal, both quantiles can be on one side of the mean.
	i.Lower, i.Upper = min(i.Lower, i.Estimate), max(i.Upper, i.Estimate)
	return i
}

// bca returns the bounds of the BCa interval with the given tail probability.
func (t *table) bca(tail float64, o Options) (lower, upper float64) {
	means := t.resampleMeans(o.Resamples, o.Seed)
	bias := mathext.NormalQuantile(shareBelow(means, t.mean()))
	acceleration := t.acceleration()
	z := expandedQuantile(tail, t.n)
	return quantile(means, bcaLevel(-z, bias, acceleration)), quantile(means, bcaLevel(z, bias, acceleration))
}

// acceleration returns one sixth of the skewness of the mean.
func (t *table) acceleration() float64 {
	m2, m3 := t.moments()
	return m3 / (6 * math.Pow(m2, 1.5))
}

// expandedQuantile replaces the normal quantile, see [Sample.Interval].
func expandedQuantile(tail float64, n int) float64 {
	df := float64(n - 1)
	return distuv.StudentsT{Sigma: 1, Nu: df}.Quantile(1-tail) * math.Sqrt(float64(n)/df)
}

// bcaLevel returns the level of the resamples for the normal quantile z (Efron 1987).
func bcaLevel(z, bias, acceleration float64) float64 {
	w := bias + z
	denominator := 1 - acceleration*w
	if denominator <= 0 { // beyond the pole of the correction
		if w > 0 {
			return 1
		}
		return 0
	}
	return distuv.UnitNormal.CDF(bias + w/denominator)
}

// bounded returns bounds that are valid for any scores from o.Low to o.High: those of Gaffke,
// "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
// variable" (Mathematical Methods of Statistics 14, 2005), in the form of Learned-Miller and
// Thomas, "A new confidence interval for the mean of a bounded random variable"
// (arXiv:1905.06208, 2019): a quantile of the mean of the n units and a worst possible one under
// random weights, uniform over all that sum to 1. For scores of 0 and 1 this is the interval of
// Clopper and Pearson (Biometrika 26, 1934). The coverage is proved for special cases only, and
// the added unit has the size of the largest one, a heuristic for units of different sizes.
func (t *table) bounded(tail float64, o Options) (lower, upper float64) {
	if len(t.units) == 1 {
		mean, weight := t.units[0].mean(), math.Pow(tail, 1/float64(t.n))
		return weight*mean + (1-weight)*o.Low, weight*mean + (1-weight)*o.High
	}
	size := 0.0
	for _, u := range t.units {
		size = max(size, u.size)
	}
	lows, highs := make([]float64, o.Resamples), make([]float64, o.Resamples)
	r := rand.New(rand.NewPCG(o.Seed, math.MaxUint64))
	gammas := make([]distuv.Gamma, len(t.units))
	for i, k := range t.counts {
		// Uniform weights are normalized exponentials; the sum of k exponentials has a
		// gamma distribution.
		gammas[i] = distuv.Gamma{Alpha: float64(k), Beta: 1, Src: r}
	}
	for i := range lows {
		var sum, total float64
		for j, u := range t.units {
			weight := gammas[j].Rand()
			sum += weight * u.sum
			total += weight * u.size
		}
		worst := r.ExpFloat64() * size
		lows[i] = (sum + worst*o.Low) / (total + worst)
		highs[i] = (sum + worst*o.High) / (total + worst)
	}
	slices.Sort(lows)
	slices.Sort(highs)
	return quantile(lows, tail), quantile(highs, 1-tail)
}
