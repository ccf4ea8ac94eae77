package values

import "math"

// Similarity estimates how likely a claimed value is an incorrect copy of a stated one,
// from 0 for another kind of value to about 1. The weights were chosen by hand. Callers
// compare the result with other similarities and with a threshold of 0.5.
func Similarity(claim, stated *Value) float64 {
	switch {
	case claim.Kind != stated.Kind:
		return 0
	case claim.Kind == Date:
		return similarDates(claim, stated)
	case claim.Unit == stated.Unit && claim.Unit != "":
		return 0.6 + 0.3*ratio(claim.size(), stated.size())
	case claim.Unit == stated.Unit:
		return 0.2 + 0.3*ratio(claim.size(), stated.size())
	case claim.Exact() && claim.factor*stated.factor != 0 && isClose(claim.size()/claim.factor, stated.size()/stated.factor, exact):
		return 0.7 // 12 km and 12 miles
	case claim.Kind == Money || claim.dimension != stated.dimension:
		return 0
	}
	return 0.2 + 0.3*ratio(claim.size(), stated.size())
}

// size returns the absolute value of a number or of the lower given bound.
func (v *Value) size() float64 {
	if math.IsInf(v.Low, 0) {
		return math.Abs(v.High)
	}
	return math.Abs(v.Low)
}

// ratio returns the smaller of two numbers divided by the larger.
func ratio(a, b float64) float64 {
	if a == b {
		return 1
	}
	return min(a, b) / max(a, b)
}

// similarDates returns a share for each of the year, month and day that two dates have in
// common. Years are similar if they are close.
func similarDates(a, b *Value) float64 {
	if a.IsYear() && b.IsYear() {
		x, _, _ := civil(a.Low)
		y, _, _ := civil(b.Low)
		return 0.2 + 0.3*max(0, ratio(float64(x), float64(y)))
	}
	x, y := a.ymd(), b.ymd()
	s := 0.1
	for i := range x {
		if x[i] != 0 && x[i] == y[i] {
			s += 0.3
		}
	}
	return s
}

// ymd returns the year, month and day of a date, with 0 for what it does not state.
func (v *Value) ymd() (parts [3]int) {
	low, high := v.at[0], v.at[1]
	if v.Unit == weekdayUnit {
		return parts
	}
	if v.Unit == yearless {
		low, high = low+day(0, 1, 1), high+day(0, 1, 1)
	}
	y, m, d := civil(low)
	if v.Unit == "" {
		parts[0] = y
	}
	if high-low <= 31 {
		parts[1] = m
	}
	if high == low {
		parts[2] = d
	}
	return parts
}

// IsYear reports whether the value is a year.
func (v *Value) IsYear() bool {
	return v.Kind == Date && v.Unit == "" && v.High-v.Low >= 364 && v.High-v.Low <= 365
}
