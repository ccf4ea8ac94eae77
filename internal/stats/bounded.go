package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// bounded returns ends that hold for any scores from o.Low to o.High: the
// bounds of Gaffke, "Three test statistics for a nonparametric one-sided
// hypothesis on the mean of a nonnegative variable" (Mathematical Methods of
// Statistics 14, 2005), in the form of Learned-Miller and Thomas, "A new
// confidence interval for the mean of a bounded random variable"
// (arXiv:1905.06208, 2019). To the n units comes one with the worst mean that
// can be, and the bound is a quantile of the mean under random weights,
// uniform over all that sum to 1. For scores that are 0 or 1 that is the
// interval of Clopper and Pearson (Biometrika 26, 1934), for n equal ones it
// is tail^(1/n) of their value. No scores are known for which it holds less
// often than it should; that there are none is proved for special cases only.
//
// A unit's size is not bounded; the one that is added is as large as the
// largest that was seen. For units of unequal size the bound is a heuristic.
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
		// Uniform weights are exponentials over their sum; those of k equal
		// units add up to a gamma.
		gammas[i] = distuv.Gamma{Alpha: float64(k), Beta: 1, Src: r}
	}
	for i := range lows {
		var sum, all float64
		for j, u := range t.units {
			weight := gammas[j].Rand()
			sum += weight * u.sum
			all += weight * u.size
		}
		worst := r.ExpFloat64() * size
		lows[i] = (sum + worst*o.Low) / (all + worst)
		highs[i] = (sum + worst*o.High) / (all + worst)
	}
	slices.Sort(lows)
	slices.Sort(highs)
	return quantile(lows, tail), quantile(highs, 1-tail)
}
