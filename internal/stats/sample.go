// Package stats computes statistics of scores: summaries, confidence intervals,
// paired comparisons and agreement with labels.
package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// A Summary computes exact statistics of a stream of numbers from the frequency of
// each value. Since scores are fractions of the claims of a row, there are few
// distinct values. Results do not depend on the order of values. The zero Summary is empty.
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
	if len(values) == 1 {
		return values[0] // avoid rounding errors
	}
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

// A Sample holds independent units, each with a sum and a size. Its mean is the total sum divided
// by the total size. The choice of units determines the estimate and its uncertainty:
//
//   - a row with its score and size 1: the macro mean over rows;
//   - a row with its supported claims and all its claims: the micro mean over claims,
//     a ratio estimator;
//   - a group of rows with the sum of their scores and their number: the macro mean
//     for correlated rows (see [Groups]).
//
// Memory use depends on the number of distinct units. Results do not depend on their order.
// The zero Sample is empty.
type Sample struct {
	frequencies[unit]
}

type unit struct{ sum, size float64 }

func (u unit) mean() float64 { return u.sum / u.size }

// Add adds a unit. It ignores a NaN sum and a size that is not positive.
func (s *Sample) Add(sum, size float64) {
	if math.IsNaN(sum) || !(size > 0) {
		return
	}
	s.add(unit{sum, size}, 1)
}

// Mean returns the mean, or NaN if the sample is empty.
func (s *Sample) Mean() float64 { return s.table().mean() }

// Sample returns the values as units of size 1.
func (s *Summary) Sample() *Sample {
	var o Sample
	for x, k := range s.counts {
		o.add(unit{x, 1}, k)
	}
	return &o
}

// A table is a Sample in a fixed order: its distinct units by descending frequency.
type table struct {
	units  []unit
	counts []int
	n      int
}

func (s *Sample) table() *table {
	t := &table{n: s.n, units: make([]unit, 0, len(s.counts)), counts: make([]int, len(s.counts))}
	for u := range s.counts {
		t.units = append(t.units, u)
	}
	slices.SortFunc(t.units, func(a, b unit) int {
		return cmp.Or(
			cmp.Compare(s.counts[b], s.counts[a]),
			cmp.Compare(a.sum, b.sum),
			cmp.Compare(a.size, b.size),
		)
	})
	for i, u := range t.units {
		t.counts[i] = s.counts[u]
	}
	return t
}

// effective returns the number of units of equal size that would estimate a mean as well: the
// squared sum of the sizes divided by the sum of their squares (Kish, "Survey Sampling", 1965).
func (t *table) effective() float64 {
	sum, squares := 0.0, 0.0
	for i, u := range t.units {
		n := float64(t.counts[i])
		sum, squares = sum+n*u.size, squares+n*u.size*u.size
	}
	return sum * sum / squares
}

func (t *table) mean() float64 {
	if len(t.units) == 1 {
		return t.units[0].mean() // avoid rounding errors
	}
	var sum, size float64
	for i, u := range t.units {
		sum += float64(t.counts[i]) * u.sum
		size += float64(t.counts[i]) * u.size
	}
	return sum / size
}

// residual returns the difference between the sum of u and the mean for its
// size. It is proportional to the influence of u on the mean.
func (u unit) residual(mean float64) float64 { return u.sum - mean*u.size }

// moments returns the sums of the squared and the cubed residuals.
func (t *table) moments() (m2, m3 float64) {
	mean := t.mean()
	for i, u := range t.units {
		r, k := u.residual(mean), float64(t.counts[i])
		m2 += k * r * r
		m3 += k * r * r * r
	}
	return m2, m3
}

// standardError returns the linearized standard error of the mean: s/sqrt(n) for units of size 1,
// and otherwise that of a ratio estimator (Cochran, "Sampling Techniques", 3rd ed., 1977, chapter
// 6). It is NaN for fewer than two units.
func (t *table) standardError() float64 {
	if t.n < 2 {
		return math.NaN()
	}
	if len(t.units) == 1 {
		return 0
	}
	var size float64
	for i, u := range t.units {
		size += float64(t.counts[i]) * u.size
	}
	m2, _ := t.moments()
	n := float64(t.n)
	return math.Sqrt(m2*n/(n-1)) / size
}

// distinctFromMode counts the units whose mean differs from the most common one.
func (t *table) distinctFromMode() int {
	counts := make(map[float64]int)
	for i, u := range t.units {
		counts[roundTies(u.mean())] += t.counts[i]
	}
	mode := 0
	for _, k := range counts {
		mode = max(mode, k)
	}
	return t.n - mode
}

// roundTies rounds x to 12 decimals, so that equal fractions computed in
// different ways, such as 1-2/3 and 1/3, compare equal.
func roundTies(x float64) float64 { return math.Round(x*1e12) / 1e12 }

// Groups sums units by group, such as all rows about one document. The rows of a group are
// correlated, so an interval must treat groups as the independent units. The zero Groups is empty.
//
// Sums are stored in fixed point with a resolution of 2^-60, so that they do not depend on the
// order of rows. Each number must be below 2^31, and the sum of a group below 2^32.
type Groups struct {
	groups map[string]group
}

type group struct{ sum, size fixed }

// Add adds a unit to a group. It ignores a NaN sum and a size that is not positive.
func (g *Groups) Add(name string, sum, size float64) {
	if math.IsNaN(sum) || !(size > 0) {
		return
	}
	if g.groups == nil {
		g.groups = make(map[string]group)
	}
	all := g.groups[name]
	all.sum.add(sum)
	all.size.add(size)
	g.groups[name] = all
}

// Sample returns the groups as units.
func (g *Groups) Sample() *Sample {
	var s Sample
	for _, u := range g.groups {
		s.Add(u.sum.value(), u.size.value())
	}
	return &s
}

// fixed is a fixed-point sum in units of 2^-30 (high) and 2^-60 (low). Unlike
// floats, integers have the same sum in any order.
type fixed struct{ high, low int64 }

const fixedScale = 1 << 30

func (f *fixed) add(x float64) {
	high := math.Round(x * fixedScale)
	f.high += int64(high)
	f.low += int64(math.Round((x*fixedScale - high) * fixedScale))
}

func (f *fixed) value() float64 {
	return float64(f.high)/fixedScale + float64(f.low)/(fixedScale*fixedScale)
}
