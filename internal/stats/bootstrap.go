package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// block is how many resamples are drawn from one random stream. Each block has
// its own, so the resamples are the same however many threads draw them.
const block = 128

// blocks calls draw for each block of n numbers with the numbers to fill and
// the block's own random stream, on all cores.
func blocks(n int, seed uint64, draw func(r *rand.Rand, into []float64)) []float64 {
	all := make([]float64, n)
	count := (n + block - 1) / block
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		wait.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				draw(r, all[i*block:min(n, (i+1)*block)])
			}
		})
	}
	wait.Wait()
	return all
}

// bins is how many different units a resample is drawn from at most.
const bins = 512

// resampled returns the means of n resamples of t, ascending.
func (t *table) resampled(n int, seed uint64) []float64 {
	t = t.binned(bins)
	m := newMultinomial(t)
	means := blocks(n, seed, func(r *rand.Rand, into []float64) {
		for i := range into {
			var sum, size float64
			m.draw(r, func(j, k int) {
				u, k64 := t.units[j], float64(k)
				sum += k64 * u.sum
				size += k64 * u.size
			})
			into[i] = sum / size
		}
	})
	slices.Sort(means)
	return means
}

// binned returns t with at most about n different units: where it has more,
// those of about the same influence on the mean (in one n-th of its range)
// stand for one another by their mean. The mean of all stays what it is. What
// is lost is the spread within a bin: with n = 512, of scores with a standard
// deviation of a tenth of the range, 3e-5 of the variance. The error of 10,000
// resamples is a thousand times that.
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
	sums, counts := make([]unit, n), make([]int, n)
	for i, u := range t.units {
		at := min(int((u.residual(mean)-low)/(high-low)*float64(n)), n-1)
		k := float64(t.counts[i])
		sums[at].sum += k * u.sum
		sums[at].size += k * u.size
		counts[at] += t.counts[i]
	}
	b := &table{n: t.n}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(counts[j], counts[i]) })
	for _, i := range order {
		if k := float64(counts[i]); k > 0 {
			b.units = append(b.units, unit{sums[i].sum / k, sums[i].size / k})
			b.counts = append(b.counts, counts[i])
		}
	}
	return b
}

// quantile returns the value at p(n+1), with linear interpolation, of sorted
// values: definition 6 of Hyndman and Fan (1996), which is the one for
// resamples (Davison and Hinkley, "Bootstrap Methods and their Application",
// 1997, chapter 5).
func quantile(sorted []float64, p float64) float64 {
	at := p*float64(len(sorted)+1) - 1
	if at <= 0 {
		return sorted[0]
	}
	i := int(at)
	if i >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// shareBelow returns the share of the sorted values below x, of those equal to
// it the half. Sums in another order are equal but for their last digits.
func shareBelow(sorted []float64, x float64) float64 {
	slack := 1e-12 * max(1, math.Abs(x))
	below, _ := slices.BinarySearch(sorted, x-slack)
	upTo, _ := slices.BinarySearch(sorted, x+slack)
	return float64(below+upTo) / 2 / float64(len(sorted))
}
