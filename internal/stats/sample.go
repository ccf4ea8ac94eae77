package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Sample holds independent units, each a sum over its parts and their
// number, and from these the mean over all parts: the sum of the sums over the
// sum of the sizes. What a unit is decides what is estimated and how sure it is:
//
//   - a row with its score and size 1: the macro mean, of rows;
//   - a row with its supported claims and its claims: the micro mean, of claims,
//     a ratio estimator, for the rows have different numbers of claims;
//   - a group of rows with the sum of their scores and their number: the macro
//     mean where the rows of a group are alike (see [Groups]).
//
// A Sample counts how often each pair came, so it is small where rows are k
// claims of n, and it needs memory for every unit where all are different. The
// order in which units came makes no difference to any figure, nor does it
// matter which shard of a run counted them.
//
// The zero Sample is empty and ready for use.
type Sample struct {
	counts map[unit]int
	n      int
}

type unit struct{ sum, size float64 }

// mean is the mean of the unit's parts.
func (u unit) mean() float64 { return u.sum / u.size }

// Add counts a unit. One with a NaN, or without a size above 0, is missing and
// is not counted.
func (s *Sample) Add(sum, size float64) {
	if math.IsNaN(sum) || !(size > 0) {
		return
	}
	s.add(unit{sum, size}, 1)
}

// Merge counts all units that o has counted.
func (s *Sample) Merge(o *Sample) {
	for u, k := range o.counts {
		s.add(u, k)
	}
}

func (s *Sample) add(u unit, k int) {
	if s.counts == nil {
		s.counts = make(map[unit]int)
	}
	s.counts[u] += k
	s.n += k
}

// Count returns how many units were counted.
func (s *Sample) Count() int { return s.n }

// Mean returns the mean over the units' parts, NaN without units.
func (s *Sample) Mean() float64 { return s.table().mean() }

// Sample returns the counted values as units of size 1.
func (s *Summary) Sample() *Sample {
	var o Sample
	for x, k := range s.counts {
		o.add(unit{x, 1}, k)
	}
	return &o
}

// A table is a Sample in a fixed order: the different units, those that came
// most often first, and how often each came.
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

func (t *table) mean() float64 {
	if len(t.units) == 1 {
		return t.units[0].mean() // and not its rounding error
	}
	var sum, size float64
	for i, u := range t.units {
		sum += float64(t.counts[i]) * u.sum
		size += float64(t.counts[i]) * u.size
	}
	return sum / size
}

// residual returns what u's sum has above the mean's share: its influence on
// the mean, but for the factor of the mean size.
func (u unit) residual(mean float64) float64 { return u.sum - mean*u.size }

// moments returns the sums of the squares and of the cubes of the residuals.
func (t *table) moments() (m2, m3 float64) {
	mean := t.mean()
	for i, u := range t.units {
		r, k := u.residual(mean), float64(t.counts[i])
		m2 += k * r * r
		m3 += k * r * r * r
	}
	return m2, m3
}

// standardError returns the linearised standard error of the mean, with n-1 as
// in the sample standard deviation: for units of size 1 it is s/sqrt(n), else
// that of a ratio estimator (Cochran, "Sampling Techniques", 3rd ed., 1977,
// chapter 6). NaN for fewer than two units.
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

// different returns how many units have another mean than the most common one.
func (t *table) different() int {
	counts := make(map[float64]int)
	for i, u := range t.units {
		counts[tied(u.mean())] += t.counts[i]
	}
	most := 0
	for _, k := range counts {
		most = max(most, k)
	}
	return t.n - most
}

// tied rounds x to 12 decimals, so that fractions that are equal but were
// computed in two ways, as 1-2/3 and 1/3, are equal.
func tied(x float64) float64 { return math.Round(x*1e12) / 1e12 }
