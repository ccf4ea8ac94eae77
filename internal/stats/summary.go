// Package stats holds the figures that are drawn from the rows' scores. It
// knows nothing of rows, files or commands.
package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Summary describes a stream of numbers exactly, and not by a sketch of them.
// It counts how often each value came. The values that ragfaith counts are k
// claims of n, so there are few different ones: no more than the square of the
// most claims of any row, however many rows there are. The order in which the
// values came makes no difference to any figure.
//
// The zero Summary is empty and ready for use.
type Summary struct {
	counts map[float64]int
	n      int
}

// Add counts x. NaN stands for a missing value and is not counted.
func (s *Summary) Add(x float64) { s.add(x, 1) }

// Merge counts all that o has counted.
func (s *Summary) Merge(o *Summary) {
	for x, k := range o.counts {
		s.add(x, k)
	}
}

func (s *Summary) add(x float64, k int) {
	if math.IsNaN(x) {
		return
	}
	if s.counts == nil {
		s.counts = make(map[float64]int)
	}
	s.counts[x] += k
	s.n += k
}

// Count returns how many values were counted.
func (s *Summary) Count() int { return s.n }

// Mean returns the arithmetic mean, NaN without values.
func (s *Summary) Mean() float64 {
	values, weights := s.table()
	return stat.Mean(values, weights)
}

// Std returns the sample standard deviation, with n-1 in the denominator as in
// pandas, NaN for fewer than two values.
func (s *Summary) Std() float64 {
	if s.n < 2 {
		return math.NaN()
	}
	values, weights := s.table()
	if len(values) == 1 {
		return 0 // and not the rounding error of the mean
	}
	return stat.StdDev(values, weights) // weights are frequencies: n-1 is their sum less one
}

// Min returns the smallest value, NaN without values.
func (s *Summary) Min() float64 { return s.Quantile(0) }

// Max returns the largest value, NaN without values.
func (s *Summary) Max() float64 { return s.Quantile(1) }

// Quantile returns the value below which a fraction p of the values lies, with
// linear interpolation between the two nearest: definition 7 of Hyndman and
// Fan, "Sample Quantiles in Statistical Packages" (The American Statistician
// 50, 1996), the default of pandas and NumPy. p is from 0 to 1. It is NaN
// without values.
func (s *Summary) Quantile(p float64) float64 {
	if s.n == 0 || math.IsNaN(p) || p < 0 || p > 1 {
		return math.NaN()
	}
	values, weights := s.table()
	at := p * float64(s.n-1)
	below := math.Floor(at)
	a, b := nth(values, weights, below), nth(values, weights, math.Ceil(at))
	// NumPy's form, which is exact at both ends.
	t := at - below
	if t < 0.5 {
		return a + (b-a)*t
	}
	return b - (b-a)*(1-t)
}

// table returns the different values, ascending, and how often each came.
func (s *Summary) table() (values, weights []float64) {
	values = slices.Sorted(maps.Keys(s.counts))
	weights = make([]float64, len(values))
	for i, x := range values {
		weights[i] = float64(s.counts[x])
	}
	return values, weights
}

// nth returns the value with the rank i, from 0.
func nth(values, weights []float64, i float64) float64 {
	for k, w := range weights {
		if i < w {
			return values[k]
		}
		i -= w
	}
	return values[len(values)-1]
}
