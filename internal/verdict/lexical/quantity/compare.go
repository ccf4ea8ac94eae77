package quantity

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Certainties of inexact matches. The certainty of an exact match is 1.
const (
	Likely  = 0.9 // a rounded number, or a number without its unit
	partial = 0.5 // a date without the day or the year of the claim's date
)

// Match returns the certainty, from 0 to 1, that the value d in a context states the
// value v in a claim.
func (v *Value) Match(d *Value, l *lexicon.Lexicon) float64 {
	matches := false
	switch {
	case v.Kind == Date && d.Kind == Date:
		return v.matchDate(d)
	case v.Kind == Date:
	case v.Kind == Decade:
		matches = d.Kind == Decade && v.year == d.year || d.Kind == Date && d.year/10*10 == v.year ||
			d.Kind == Number && d.Unit == 0 && math.Trunc(d.Num/10)*10 == float64(v.year)
	case v.Ordinal && l.Units[v.Unit].Name == "century" && v.containsYear(d):
		matches = true
	case d.Kind == Date: // v is the year or the day
		matches = v.Unit == 0 && d.year != 0 && v.Num == float64(d.year) || v.Ordinal && v.Num == float64(d.day)
	case d.Kind == Decade:
	default:
		return v.matchNumber(d, l)
	}
	if matches {
		return 1
	}
	return 0
}

// containsYear reports whether the year of d is in the century v.
func (v *Value) containsYear(d *Value) bool {
	year := float64(d.year)
	if d.Kind == Number && d.Unit == 0 {
		year = d.Num
	}
	return year > 100*(v.Num-1) && year <= 100*v.Num
}

// matchDate returns the certainty that the date d states the date v.
func (v *Value) matchDate(d *Value) float64 {
	same := func(a, b int) bool { return a == 0 || a == b }
	missing := func(a, b int) bool { return a != 0 && b == 0 }
	for _, x := range [2]Value{*d, {year: d.year, month: d.day, day: d.month}} {
		if (same(v.year, x.year) || missing(v.year, x.year)) && same(v.month, x.month) &&
			(same(v.day, x.day) || missing(v.day, x.day)) {
			if missing(v.year, x.year) || missing(v.day, x.day) {
				return partial
			}
			return 1
		}
		if !d.swappable && !v.swappable {
			break
		}
	}
	return 0
}

const (
	// Relative tolerances for rounded numbers.
	hedgedTolerance     = 0.02 // the claim's number is rounded
	bothHedgedTolerance = 0.05 // both numbers are rounded

	// maxExcess is the maximum ratio of a number to a lower bound in the claim: "more
	// than 3,000" matches 3,412.
	maxExcess = 1.5
)

// matchNumber returns the certainty that the number d states the number v.
func (v *Value) matchNumber(d *Value, l *lexicon.Lexicon) float64 {
	if v.Fraction || d.Fraction {
		return v.matchFraction(d)
	}
	a, b := v.Num, d.Num
	certainty := 1.0
	u, w := &l.Units[v.Unit], &l.Units[d.Unit]
	tolerance := 1e-9
	switch {
	case v.Unit == d.Unit:
	case v.Unit != 0 && d.Unit != 0 && u.Dimension == w.Dimension:
		a, b = a*u.Factor, b*w.Factor
		tolerance = roundingError(v.Num, v.digits)
	case v.Unit == 0 || d.Unit == 0:
		certainty = Likely
	default:
		return 0
	}
	switch {
	case isClose(a, b, tolerance), v.thousands == b && b != 0, d.thousands == a && a != 0:
		return certainty
	case v.hedged && isClose(a, b, math.Max(roundingError(v.Num, v.digits), hedgedTolerance)),
		d.hedged && v.hedged && isClose(a, b, bothHedgedTolerance),
		v.atLeast && b > a && b <= maxExcess*a:
		return Likely * certainty
	}
	return 0
}

// Tolerances for shares in percentage points. Shares in words are rounded: two thirds
// may be 66, 66.7 or 67 percent.
const (
	fractionTolerance       = 0.7
	hedgedFractionTolerance = 2
)

// matchFraction is matchNumber for shares, of which at least one is in words. A number
// that is not a share does not match a share.
func (v *Value) matchFraction(d *Value) float64 {
	switch diff := math.Abs(v.Num - d.Num); {
	case !v.Fraction && v.Num != 0 && (v.Num == d.parts[0] || v.Num == d.parts[1]),
		!d.Fraction && d.Num != 0 && d.Num == v.parts[1]: // five of the six
		return Likely
	case v.Unit != d.Unit:
		return 0
	case diff < 1e-9:
		return 1
	case v.Fraction != d.Fraction && diff <= fractionTolerance,
		v.hedged && diff <= hedgedFractionTolerance,
		v.atLeast && d.Num > v.Num && d.Num <= maxExcess*v.Num:
		return Likely
	}
	return 0
}

// isClose reports whether a and b are equal within a relative tolerance.
func isClose(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// roundingError returns the maximum relative error of x, rounded to n significant
// digits: half a unit in the last place.
func roundingError(x float64, n int) float64 {
	if x == 0 {
		return 0
	}
	x = math.Abs(x)
	return 0.5 * math.Pow(10, math.Floor(math.Log10(x))-float64(min(n, 9)-1)) / x
}

// Similarity estimates how likely v is an incorrect copy of the context value d, from 0
// for a different kind of value to about 1. The weights were chosen by hand. Callers
// compare the result with other similarities and with a threshold of 0.5.
func (v *Value) Similarity(d *Value, l *lexicon.Lexicon) float64 {
	if v.Kind == Date && d.Kind == Date {
		s := 0.1
		for _, x := range [...][2]int{{v.year, d.year}, {v.month, d.month}, {v.day, d.day}} {
			if x[0] != 0 && x[0] == x[1] {
				s += 0.3
			}
		}
		return s
	}
	if v.Kind != Number || d.Kind != Number || v.Ordinal != d.Ordinal {
		return 0
	}
	if v.Num == d.Num && !v.atLeast && v.Unit != 0 && d.Unit != 0 && v.Unit != d.Unit && sameMeasure(l, v.Unit, d.Unit) {
		return 0.7 // 12 km and 12 miles
	}
	if v.Unit != d.Unit && l.Units[v.Unit].Dimension != l.Units[d.Unit].Dimension {
		return 0
	}
	s := 0.2
	if v.Unit == d.Unit && v.Unit != 0 {
		s = 0.6
	}
	a, b := math.Abs(v.Num*l.Units[v.Unit].Factor), math.Abs(d.Num*l.Units[d.Unit].Factor)
	if lo, hi := math.Min(a, b), math.Max(a, b); hi > 0 {
		s += 0.3 * lo / hi
	}
	return s
}

// sameMeasure reports whether two units measure the same thing. They may not be
// convertible: currencies, or hours and months.
func sameMeasure(l *lexicon.Lexicon, a, b int) bool {
	if l.Units[a].Dimension == l.Units[b].Dimension {
		return true
	}
	const money, duration = 1, 2
	measure := func(unit int) int {
		switch l.Units[unit].Name {
		case "dollar", "euro", "gbp", "yen":
			return money
		case "second", "minute", "hour", "day", "week", "month", "year", "decade", "century":
			return duration
		}
		return 0
	}
	return measure(a) != 0 && measure(a) == measure(b)
}
