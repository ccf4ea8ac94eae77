package stats

import "math"

// Groups adds up units by the group that they belong to: rows about one
// document, or questions of one user, which are right or wrong together. The
// groups are then the independent units, and an interval over them does not
// take a hundred alike rows for a hundred observations.
//
// It holds two sums for every group. They are kept as whole numbers of 2^-60,
// so that neither the order of rows nor the way they were spread over shards
// changes the last bit; each number must be below 2^31, and a group's below
// 2^32.
//
// The zero Groups is empty and ready for use.
type Groups struct {
	groups map[string]*group
}

type group struct{ sum, size fixed }

// Add adds a unit to the group of that name. One with a NaN, or without a size
// above 0, is missing and is not counted, and makes no group.
func (g *Groups) Add(name string, sum, size float64) {
	if math.IsNaN(sum) || !(size > 0) {
		return
	}
	to := g.group(name)
	to.sum.add(sum)
	to.size.add(size)
}

// Merge adds all that o has.
func (g *Groups) Merge(o *Groups) {
	for name, from := range o.groups {
		to := g.group(name)
		to.sum.merge(from.sum)
		to.size.merge(from.size)
	}
}

// Sample returns the groups as units.
func (g *Groups) Sample() *Sample {
	var s Sample
	for _, u := range g.groups {
		s.Add(u.sum.value(), u.size.value())
	}
	return &s
}

func (g *Groups) group(name string) *group {
	if g.groups == nil {
		g.groups = make(map[string]*group)
	}
	to := g.groups[name]
	if to == nil {
		to = new(group)
		g.groups[name] = to
	}
	return to
}

// fixed is a sum in whole parts of 2^-30 and, for the rest of each number, of
// 2^-60: whole numbers add up to the same in any order, floats do not.
type fixed struct{ high, low int64 }

const part = 1 << 30

func (f *fixed) add(x float64) {
	high := math.Round(x * part)
	f.high += int64(high)
	f.low += int64(math.Round((x*part - high) * part))
}

func (f *fixed) merge(o fixed) {
	f.high += o.high
	f.low += o.low
}

func (f *fixed) value() float64 {
	return float64(f.high)/part + float64(f.low)/(part*part)
}
