// Package stats computes statistics of scores: summaries, confidence intervals,
// paired comparisons and agreement with labels.
package stats

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Summary computes exact statistics of a stream of numbers from the frequency of
// each value. Since scores are fractions of the claims of a row, there are few
// distinct values: at most the square of the maximum number of claims. Results do not
// depend on the order of values.
//
// The zero Summary is empty and ready to use.
type Summary struct {
	frequencies[float64]
}

// frequencies counts values. The zero frequencies is empty.
type frequencies[T comparable] struct {
	counts map[T]int
	n      int
}

func (f *frequencies[T]) add(x T, k int) {
	if f.counts == nil {
		f.counts = make(map[T]int)
	}
	f.counts[x] += k
	f.n += k
}

// Add adds a value. It ignores NaN, which represents a missing value.
func (s *Summary) Add(x float64) { s.AddN(x, 1) }

// AddN adds a value n times.
func (s *Summary) AddN(x float64, n int) {
	if !math.IsNaN(x) {
		s.add(x, n)
	}
}

// Merge adds all values of o.
func (s *Summary) Merge(o *Summary) {
	for x, k := range o.counts {
		s.add(x, k)
	}
}

// Count returns the number of values.
func (s *Summary) Count() int { return s.n }

// Mean returns the arithmetic mean, or NaN if there are no values.
func (s *Summary) Mean() float64 {
	values, weights := s.table()
	return stat.Mean(values, weights)
}

// Std returns the sample standard deviation with n-1 in the denominator, as
// pandas does. It is NaN for fewer than two values.
func (s *Summary) Std() float64 {
	if s.n < 2 {
		return math.NaN()
	}
	values, weights := s.table()
	if len(values) == 1 {
		return 0 // avoid rounding errors
	}
	return stat.StdDev(values, weights) // weights are frequencies: n-1 is their sum minus one
}

// Min returns the smallest value, or NaN if there are no values.
func (s *Summary) Min() float64 { return s.Quantile(0) }

// Max returns the largest value, or NaN if there are no values.
func (s *Summary) Max() float64 { return s.Quantile(1) }

// Quantile returns the p-quantile, with linear interpolation between the two
// nearest values. This is definition 7 of Hyndman and Fan, "Sample Quantiles in
// Statistical Packages" (The American Statistician 50, 1996), the default of
// pandas and NumPy. It is NaN if there are no values or p is outside 0 to 1.
func (s *Summary) Quantile(p float64) float64 {
	if s.n == 0 || math.IsNaN(p) || p < 0 || p > 1 {
		return math.NaN()
	}
	values, weights := s.table()
	position := p * float64(s.n-1)
	below := math.Floor(position)
	a, b := nth(values, weights, below), nth(values, weights, math.Ceil(position))
	// This is the formula of NumPy, which is exact at both ends.
	t := position - below
	if t < 0.5 {
		return a + (b-a)*t
	}
	return b - (b-a)*(1-t)
}

// table returns the distinct values in ascending order and their frequencies.
func (s *Summary) table() (values, weights []float64) {
	values = slices.Sorted(maps.Keys(s.counts))
	weights = make([]float64, len(values))
	for i, x := range values {
		weights[i] = float64(s.counts[x])
	}
	return values, weights
}

// nth returns the value with zero-based rank i.
func nth(values, weights []float64, i float64) float64 {
	for k, w := range weights {
		if i < w {
			return values[k]
		}
		i -= w
	}
	return values[len(values)-1]
}
