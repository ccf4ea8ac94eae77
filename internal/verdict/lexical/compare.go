package lexical

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// holds reports whether context value d gives what claim value c says, and how
// surely, 0 to 1.
func (c *value) holds(d *value, l *lexicon.Lexicon) float64 {
	switch {
	case c.kind == date && d.kind == date:
		return c.holdsDate(d)
	case c.kind == date:
		return 0
	case c.kind == decade:
		if d.kind == decade && c.year == d.year || d.kind == date && d.year/10*10 == c.year ||
			d.kind == number && d.unit == 0 && math.Trunc(d.num/10)*10 == float64(c.year) {
			return 1
		}
		return 0
	case c.ordinal && l.Units[c.unit].Name == "century" && c.inCentury(d):
		return 1
	case d.kind == date: // a year alone
		if c.unit == 0 && d.year != 0 && c.num == float64(d.year) || c.ordinal && c.num == float64(d.day) {
			return 1
		}
		return 0
	case d.kind == decade:
		return 0
	}
	return c.holdsNumber(d, l)
}

// inCentury reports whether d is a year of the century c, the 16th say.
func (c *value) inCentury(d *value) bool {
	year := float64(d.year)
	if d.kind == number && d.unit == 0 {
		year = d.num
	}
	return year > 100*(c.num-1) && year <= 100*c.num
}

func (c *value) holdsDate(d *value) float64 {
	same := func(a, b int) bool { return a == 0 || a == b }
	lacking := func(a, b int) bool { return a != 0 && b == 0 }
	for _, x := range [2]value{*d, {year: d.year, month: d.day, day: d.month}} {
		if (same(c.year, x.year) || lacking(c.year, x.year)) && same(c.month, x.month) &&
			(same(c.day, x.day) || lacking(c.day, x.day)) {
			if lacking(c.year, x.year) || lacking(c.day, x.day) {
				return 0.5
			}
			return 1
		}
		if !d.swap && !c.swap {
			break
		}
	}
	return 0
}

func (c *value) holdsNumber(d *value, l *lexicon.Lexicon) float64 {
	a, b := c.num, d.num
	certain := 1.0
	if c.fraction || d.fraction {
		return c.holdsFraction(d)
	}
	u, w := &l.Units[c.unit], &l.Units[d.unit]
	tolerance := 1e-9
	switch {
	case c.unit == d.unit:
	case c.unit != 0 && d.unit != 0 && u.Dimension == w.Dimension:
		a, b = a*u.Factor, b*w.Factor
		tolerance = rounding(c.num, c.digits)
	case c.unit == 0 || d.unit == 0:
		certain = 0.9
	default:
		return 0
	}
	switch {
	case close(a, b, tolerance), c.thousands == b && b != 0, d.thousands == a && a != 0:
		return certain
	case c.hedged && close(a, b, math.Max(rounding(c.num, c.digits), 0.02)), d.hedged && c.hedged && close(a, b, 0.05):
		return 0.9 * certain
	case c.least && b > a && b <= 1.5*a:
		return 0.9 * certain
	}
	return 0
}

// A share in words is rounded: two thirds are 66, 66.7 or 67 percent.
const fractionRounding = 0.7

// holdsFraction compares shares, one of them at least in words. A number that
// is no share says nothing of one.
func (c *value) holdsFraction(d *value) float64 {
	switch off := math.Abs(c.num - d.num); {
	case !c.fraction && c.num != 0 && (c.num == d.parts[0] || c.num == d.parts[1]),
		!d.fraction && d.num != 0 && d.num == c.parts[1]: // five of the six
		return 0.9
	case c.unit != d.unit:
		return 0
	case off < 1e-9:
		return 1
	case c.fraction != d.fraction && off <= fractionRounding,
		c.hedged && off <= 2,
		c.least && d.num > c.num && d.num <= 1.5*c.num:
		return 0.9
	}
	return 0
}

func close(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

// rounding is the relative error of x, written with n significant digits: half
// a unit of the last of them.
func rounding(x float64, n int) float64 {
	if x == 0 {
		return 0
	}
	x = math.Abs(x)
	return 0.5 * math.Pow(10, math.Floor(math.Log10(x))-float64(min(n, 9)-1)) / x
}

// likeness ranks context values by how near they come to a claim's value that
// is not there, 0 for another kind of thing.
func (c *value) likeness(d *value, l *lexicon.Lexicon) float64 {
	if c.kind == date && d.kind == date {
		s := 0.1
		for _, x := range [...][2]int{{c.year, d.year}, {c.month, d.month}, {c.day, d.day}} {
			if x[0] != 0 && x[0] == x[1] {
				s += 0.3
			}
		}
		return s
	}
	if c.kind != number || d.kind != number || c.ordinal != d.ordinal {
		return 0
	}
	if c.num == d.num && !c.least && c.unit != 0 && d.unit != 0 && c.unit != d.unit && sameMeasure(l, c.unit, d.unit) {
		return sameNumber
	}
	if c.unit != d.unit && l.Units[c.unit].Dimension != l.Units[d.unit].Dimension {
		return 0
	}
	s := 0.2
	if c.unit == d.unit && c.unit != 0 {
		s = 0.6
	}
	a, b := math.Abs(c.num*l.Units[c.unit].Factor), math.Abs(d.num*l.Units[d.unit].Factor)
	if lo, hi := math.Min(a, b), math.Max(a, b); hi > 0 {
		s += 0.3 * lo / hi
	}
	return s
}

// sameNumber is the likeness of 12 km to 12 miles.
const sameNumber = 0.7

// sameMeasure reports whether two units measure the same thing: a length, a
// time by the clock or the calendar, an amount of money.
func sameMeasure(l *lexicon.Lexicon, a, b int) bool {
	if l.Units[a].Dimension == l.Units[b].Dimension {
		return true
	}
	kind := func(u int) int {
		switch l.Units[u].Name {
		case "dollar", "euro", "gbp", "yen":
			return 1
		case "second", "minute", "hour", "day", "week", "month", "year", "decade", "century":
			return 2
		}
		return 0
	}
	return kind(a) != 0 && kind(a) == kind(b)
}
