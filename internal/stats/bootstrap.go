package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// blockSize is the number of resamples drawn from one random stream. Each block
// uses its own stream, so the resamples do not depend on the number of threads.
const blockSize = 128

// parallelDraws returns n random numbers. It calls draw for blocks of the
// result on all cores, each with its own random stream.
func parallelDraws(n int, seed uint64, draw func(r *rand.Rand, dst []float64)) []float64 {
	all := make([]float64, n)
	var wg sync.WaitGroup
	stream := uint64(0)
	for block := range slices.Chunk(all, blockSize) {
		r := rand.New(rand.NewPCG(seed, stream))
		wg.Go(func() { draw(r, block) })
		stream++
	}
	wg.Wait()
	return all
}

// maxBins limits the number of distinct units in a resample.
const maxBins = 512

// resampleMeans returns the means of n resamples of t in ascending order. It draws the
// frequency of each distinct unit from a binomial distribution, which is the same as drawing
// rows with replacement, but its cost depends only on the number of distinct units.
func (t *table) resampleMeans(n int, seed uint64) []float64 {
	t = t.binned(maxBins)
	frequencies := make([]binomial, len(t.units))
	remaining := t.n
	for i, k := range t.counts {
		frequencies[i] = newBinomial(float64(k) / float64(remaining))
		remaining -= k
	}
	means := parallelDraws(n, seed, func(r *rand.Rand, dst []float64) {
		for i := range dst {
			var sum, size float64
			remaining := t.n
			for j, u := range t.units {
				if remaining == 0 {
					break
				}
				k := remaining
				if j < len(t.units)-1 {
					k = frequencies[j].draw(r, remaining)
				}
				remaining -= k
				sum += float64(k) * u.sum
				size += float64(k) * u.size
			}
			dst[i] = sum / size
		}
	})
	slices.Sort(means)
	return means
}

// binned returns t with at most n distinct units. Units with a similar influence on the mean
// (within one n-th of the range) are replaced with their mean, which preserves the overall mean
// but loses the variance within bins. With n = 512 and a standard deviation of a tenth of the
// range, the loss is 3e-5 of the variance, a thousandth of the error of 10,000 resamples.
func (t *table) binned(n int) *table {
	if len(t.units) <= n {
		return t
	}
	mean := t.mean()
	low, high := math.Inf(1), math.Inf(-1)
	for _, u := range t.units {
		r := u.residual(mean)
		low, high = min(low, r), max(high, r)
	}
	type bin struct {
		unit
		n int
	}
	bins := make([]bin, n)
	for i, u := range t.units {
		b := &bins[min(int((u.residual(mean)-low)/(high-low)*float64(n)), n-1)]
		k := float64(t.counts[i])
		b.sum += k * u.sum
		b.size += k * u.size
		b.n += t.counts[i]
	}
	slices.SortStableFunc(bins, func(a, b bin) int { return cmp.Compare(b.n, a.n) })
	all := &table{n: t.n}
	for _, b := range bins {
		if k := float64(b.n); k > 0 {
			all.units = append(all.units, unit{b.sum / k, b.size / k})
			all.counts = append(all.counts, b.n)
		}
	}
	return all
}

// quantile returns the value at position p(n+1) of sorted values, with linear interpolation:
// definition 6 of Hyndman and Fan (1996), which is recommended for resamples (Davison and Hinkley,
// "Bootstrap Methods and their Application", 1997, chapter 5).
func quantile(sorted []float64, p float64) float64 {
	position := p*float64(len(sorted)+1) - 1
	if position <= 0 {
		return sorted[0]
	}
	i := int(position)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (position-float64(i))*(sorted[i+1]-sorted[i])
}

// shareBelow returns the fraction of sorted values below x, counting equal values as
// one half. The tolerance allows for sums computed in a different order.
func shareBelow(sorted []float64, x float64) float64 {
	tolerance := 1e-12 * max(1, math.Abs(x))
	below, _ := slices.BinarySearch(sorted, x-tolerance)
	upTo, _ := slices.BinarySearch(sorted, x+tolerance)
	return float64(below+upTo) / 2 / float64(len(sorted))
}

// A binomial draws the number of successes in n trials.
type binomial struct {
	p       float64 // at most 1/2
	odds    float64 // p / (1-p)
	logFail float64 // log(1-p)
	flipped bool    // p is the probability of failure
}

func newBinomial(p float64) binomial {
	b := binomial{p: p}
	if p > 0.5 {
		b.p, b.flipped = 1-p, true
	}
	b.odds = b.p / (1 - b.p)
	b.logFail = math.Log1p(-b.p)
	return b
}

// inversionLimit is the mean below which inversion is used. Above it, rejection
// is faster and its constants are valid (Hörmann 1993).
const inversionLimit = 10

func (b *binomial) draw(r *rand.Rand, n int) int {
	var k int
	if float64(n)*b.p < inversionLimit {
		k = b.invert(r, n)
	} else {
		k = b.reject(r, n)
	}
	if b.flipped {
		return n - k
	}
	return k
}

// invert draws by inverting the distribution function, starting at 0.
func (b *binomial) invert(r *rand.Rand, n int) int {
	u := r.Float64()
	p := math.Exp(float64(n) * b.logFail)
	k := 0
	for u >= p && k < n {
		u -= p
		k++
		p *= b.odds * float64(n-k+1) / float64(k)
	}
	return k
}

// reject draws by transformed rejection with a squeeze: algorithm BTRS of
// Hörmann, "The generation of binomial random variates" (Journal of Statistical
// Computation and Simulation 46, 1993). The constants are from the paper.
func (b *binomial) reject(r *rand.Rand, trials int) int {
	n := float64(trials)
	spread := math.Sqrt(n * b.p * (1 - b.p))
	bb := 1.15 + 2.53*spread
	a := -0.0873 + 0.0248*bb + 0.01*b.p
	c := n*b.p + 0.5
	squeeze := 0.92 - 4.2/bb
	for {
		u, v := r.Float64()-0.5, r.Float64()
		us := 0.5 - math.Abs(u)
		k := math.Floor((2*a/us+bb)*u + c)
		if us >= 0.07 && v <= squeeze {
			return int(k)
		}
		if k < 0 || k > n {
			continue
		}
		alpha := (2.83 + 5.1/bb) * spread
		mode := math.Floor((n + 1) * b.p)
		v = math.Log(v * alpha / (a/(us*us) + bb))
		bound := (mode+0.5)*math.Log((mode+1)/(b.odds*(n-mode+1))) +
			(n+1)*math.Log((n-mode+1)/(n-k+1)) +
			(k+0.5)*math.Log(b.odds*(n-k+1)/(k+1)) +
			stirling(mode) + stirling(n-mode) - stirling(k) - stirling(n-k)
		if v <= bound {
			return int(k)
		}
	}
}

// stirling returns the error of Stirling's approximation of log(k!), for large k
// by the asymptotic series (Abramowitz and Stegun 6.1.41, at k+1).
func stirling(k float64) float64 {
	if k < 10 {
		exact, _ := math.Lgamma(k + 1)
		return exact - (math.Log(2*math.Pi)/2 + (k+0.5)*math.Log(k+1) - (k + 1))
	}
	x := k + 1
	return (1.0/12 - (1.0/360-1.0/1260/(x*x))/(x*x)) / x
}
