package values

import (
	"math"
	"strings"
)

// A Relation is the relation of a claimed value to a stated one.
type Relation uint8

// The relations.
const (
	Incomparable Relation = iota // another kind, unit or dimension
	Undecided                    // the stated value allows the claimed one and others: 6 days for 5-7 days
	Equal                        // the same value, perhaps in another notation or unit
	Entailed                     // rounded, converted, or within the claimed bounds
	Contradicted
)

func (r Relation) String() string {
	return [...]string{"incomparable", "undecided", "equal", "entailed", "contradicted"}[r]
}

// Tolerances, relative to the value.
const (
	exact         = 1e-9
	conversion    = 0.001 // of exact numbers in different units, for the rounding of factors
	calendarRatio = 0.02  // of months and years against weeks and days
	looseMonths   = 0.1   // a month is sometimes four weeks
	minAbout      = 0.02  // minimum of "about", which is otherwise half the last digit
	maxAbout      = 0.06  // maximum of "about", and of converted and rounded values
	maxLean       = 0.1   // maximum of "nearly" and "over", on the side where the value may be
	fractionWords = 0.007 // a third may be 33%
	maxExcess     = 2     // a stated number beyond this multiple of a claimed bound counts something else, unless it says so
)

// Compare returns the relation of the value in a claim to a stated value. The units of both are
// converted. A claimed number may be rounded if it says so (about, nearly), has a scale
// word (3.9 million) or decimals, or the units differ. A bound or range in the claim
// contains the stated number, but a limit such as "up to 20" must be stated itself; two
// ranges, and two bounds with "at least" or "up to", must agree.
func Compare(claim, stated *Value) Relation {
	if claim.Not != stated.Not {
		c, s := *claim, *stated
		c.Not, s.Not = false, false
		switch Compare(&c, &s) {
		case Equal, Entailed:
			return Contradicted
		case Contradicted:
			if claim.Not {
				return Entailed
			}
			return Undecided
		case Incomparable, Undecided:
		}
		return Incomparable
	}
	best := compare(claim, stated)
	if best != Incomparable && claim.isOpposite(stated) {
		return Contradicted // until 3 May, from 3 May
	}
	if claim.other != 0 && best != Equal {
		c := claim.second()
		best = better(best, compare(&c, stated))
	}
	if stated.other != 0 && best != Equal {
		s := stated.second()
		best = better(best, compare(claim, &s))
	}
	return best
}

// better returns the relation of the more favorable reading.
func better(a, b Relation) Relation {
	for _, r := range [...]Relation{Equal, Entailed, Undecided, Contradicted} {
		if a == r || b == r {
			return r
		}
	}
	return Incomparable
}

func compare(c, s *Value) Relation {
	if c.Kind == Date || s.Kind == Date {
		return compareDates(c, s)
	}
	if differentPeriods(c.Per, s.Per) {
		return Incomparable
	}
	if c.Kind != s.Kind {
		return compareKinds(c, s)
	}
	switch {
	case c.Kind == Clock && c.Unit != s.Unit:
		return compareZones(c, s)
	case c.Kind == Money && c.Unit != s.Unit && c.Unit != "cent" && s.Unit != "cent",
		c.Kind == Measure && c.dimension != s.dimension:
		return Incomparable
	}
	if c.label+s.label >= whole && c.text != s.text {
		if c.Exact() == s.Exact() {
			return Contradicted
		}
		return Undecided
	}
	return compareNumbers(c, s)
}

// compareZones compares two times of day of which at least one has a time zone. Different
// times in two zones may be the same.
func compareZones(c, s *Value) Relation {
	both := c.Unit != "" && s.Unit != ""
	switch r := compareNumbers(c, s); {
	case r == Contradicted && both:
		return Incomparable
	case r == Contradicted || both:
		return Contradicted
	case c.Unit == "":
		return Entailed
	}
	return Undecided
}

// compareKinds compares a plain number with a value of another kind: with a share that was
// written with it, such as "five" with "five out of six". A number without a unit and a noun
// may be any amount with the same digits.
func compareKinds(c, s *Value) Relation {
	switch {
	case c.Kind == Number && s.Kind == Clock:
		if c.isBare() && math.Mod(60*c.Low, halfDay) == math.Mod(s.Low, halfDay) && c.Low <= 12 {
			return Entailed // at nine
		}
	case c.Kind == Number && c.isBare() && s.hasUnit(), s.Kind == Number && s.isBare() && c.hasUnit():
		x, y := c.Low, s.Low
		if c.Kind == Number {
			x *= s.factor
		} else {
			y *= c.factor
		}
		if isClose(x, y, exact) {
			return Entailed
		}
	case c.Kind == Number && s.Kind == Share && s.parts[1] != 0 && (c.Low == s.parts[0] || c.Low == s.parts[1]):
		return Entailed
	case c.Kind == Share && s.Kind == Number && c.parts[1] != 0 && (s.Low == c.parts[0] || s.Low == c.parts[1]):
		return Undecided
	}
	return Incomparable
}

// isBare reports whether a number has neither a unit nor a plural that it counts.
func (v *Value) isBare() bool { return v.Exact() && v.label < whole && !isPluralNoun(v.Noun) }

// hasUnit reports whether a bare number with the same digits may mean the value.
func (v *Value) hasUnit() bool {
	return v.Exact() && !v.word && (v.Kind == Money || v.Kind == Measure || v.Kind == Duration || v.Kind == Share) && v.Unit != "°F"
}

// tolerance returns by how much a stated value may be below and above the claimed one.
func (v *Value) tolerance(s *Value) (below, above float64) {
	x := max(finiteAbs(v.Low), finiteAbs(v.High))
	switch {
	case v.Approx:
		t := min(max(v.Step/2, minAbout*x), maxAbout*x)
		oneSided := min(max(t, v.Step/2), maxLean*x)
		switch v.lean {
		case -1: // nearly 20
			return oneSided, 0
		case 1:
			return 0, oneSided
		}
		return t, t
	case v.Kind == Share && (v.word || s.word):
		return fractionWords, fractionWords
	case v.calendar != s.calendar:
		return calendarRatio * x, calendarRatio * x
	case v.Unit != s.Unit:
		t := min(max(conversion*x, v.Step/2*(1+exact)), maxAbout*x)
		return t, t
	case v.written && v.Step > s.Step*(1+exact):
		t := min(v.Step/2*(1+exact), maxAbout*x)
		return t, t
	}
	return exact * x, exact * x
}

// finiteAbs returns the absolute value of x, or 0 for an infinite bound.
func finiteAbs(x float64) float64 {
	if math.IsInf(x, 0) {
		return 0
	}
	return math.Abs(x)
}

func compareNumbers(c, s *Value) Relation {
	below, above := c.tolerance(s)
	same := func(a, b float64) bool {
		return a == b || isClose(a, b, exact) || a-b <= below && b-a <= above
	}
	switch {
	case c.Exact() && s.Exact():
		return compareExact(c, s, below, above)
	case s.Exact():
		r := c.contains(s.Low, below, above)
		if r == Entailed && !CountsSame(c, s) && c.isBound() && math.IsInf(c.High, 0) && s.Low > maxExcess*c.limit() && c.limit() > 0 {
			return Undecided
		}
		return r
	case c.Exact():
		if s.contains(c.Low, exact, exact) == Entailed {
			return Undecided
		}
		return Contradicted
	case c.isBound() && s.isBound():
		if math.IsInf(c.Low, 0) != math.IsInf(s.Low, 0) { // at least 4, up to 4
			if c.disjoint(s) || c.limit() == s.limit() {
				return Contradicted
			}
			return Undecided
		}
		a, b := c.limit(), s.limit()
		switch {
		case c.Open == s.Open && isClose(a, b, exact):
			return Equal
		case c.Open == s.Open && same(a, b):
			return Entailed
		case c.Open && math.IsInf(c.High, 0) && b >= a && b <= maxExcess*a, c.Open && math.IsInf(c.Low, 0) && b <= a && a <= maxExcess*b:
			return Entailed
		}
		return Contradicted
	case isClose(c.Low, s.Low, exact) && isClose(c.High, s.High, exact):
		return Equal
	case c.isLimit() && !s.isBound():
		if same(c.High, s.High) {
			return Entailed
		}
		if c.High < s.High {
			return Contradicted
		}
		return Undecided
	case same(c.Low, s.Low) && same(c.High, s.High), c.isBound() && c.contains(s.Low, below, above) == Entailed && c.contains(s.High, below, above) == Entailed:
		return Entailed
	case c.isBound() || s.isBound():
		if c.disjoint(s) {
			return Contradicted
		}
		return Undecided
	}
	return Contradicted
}

// compareExact compares exact values. below and above are the tolerance of c.
func compareExact(c, s *Value, below, above float64) Relation {
	switch {
	case c.lean == 0 && isClose(c.Low, s.Low, exact):
		return Equal
	case s.Low >= c.Low-below && s.Low <= c.Low+above, c.lean != 0 && isClose(c.Low, s.Low, exact):
		return Entailed
	case c.calendar != s.calendar && isClose(c.Low, s.Low, looseMonths):
		return Undecided
	case s.Approx || s.written && s.Step > c.Step:
		b, a := s.tolerance(c)
		if c.Low >= s.Low-b && c.Low <= s.Low+a {
			return Undecided
		}
	}
	return Contradicted
}

// contains returns the relation of the bound or range v to a stated x.
func (v *Value) contains(x, below, above float64) Relation {
	if v.Open && (isClose(x, v.Low, exact) || isClose(x, v.High, exact)) {
		return Contradicted
	}
	if x < v.Low-below || x > v.High+above {
		return Contradicted
	}
	if v.isLimit() && x < v.High-below && !isClose(x, v.High, exact) {
		return Undecided
	}
	return Entailed
}

// isLimit reports whether v is an upper bound that is included, as in "up to 20": it says
// what is allowed or possible, which a lower number does not imply.
func (v *Value) isLimit() bool { return math.IsInf(v.Low, -1) && !v.Open && v.Kind != Date }

// disjoint reports whether two intervals have no number in common.
func (v *Value) disjoint(s *Value) bool {
	switch {
	case v.High < s.Low || s.High < v.Low:
		return true
	case v.High == s.Low || s.High == v.Low:
		return v.Open || s.Open
	}
	return false
}

// isClose reports whether a and b are equal within a relative tolerance.
func isClose(a, b, tolerance float64) bool {
	m := max(math.Abs(a), math.Abs(b))
	return a == b || !math.IsInf(m, 0) && math.Abs(a-b) <= tolerance*m
}

// compareDates compares dates, of which one may be a plain number that is a year.
func compareDates(c, s *Value) Relation {
	if c.Kind != s.Kind {
		year := c
		if c.Kind == Date {
			year = s
		}
		if !year.mayBeYear() {
			return Incomparable
		}
		p := period(int(year.Low), 1, int(year.Low), 12)
		if year == c {
			return compareDates(&p, s)
		}
		return compareDates(c, &p)
	}
	if c.Unit != s.Unit {
		return compareRecurring(c, s)
	}
	if c.Unit == weekdayUnit && !c.isBound() && !s.isBound() {
		return compareWeekdays(c, s)
	}
	switch {
	case c.Low == s.Low && c.High == s.High && c.Open == s.Open:
		return Equal
	case c.isBound() && s.isBound():
		if math.IsInf(c.Low, 0) == math.IsInf(s.Low, 0) || c.disjoint(s) {
			return Contradicted
		}
		return Undecided
	case c.disjoint(s):
		if slack := c.vagueness() + s.vagueness(); slack > 0 && s.Low-c.High <= slack && c.Low-s.High <= slack {
			return Undecided
		}
		return Contradicted
	case c.Low <= s.Low && s.High <= c.High:
		return Entailed
	}
	return Undecided
}

// compareWeekdays compares days of the week or ranges of them.
func compareWeekdays(c, s *Value) Relation {
	low, high := c.Low, c.High
	if high < s.Low { // Sunday, for Tuesday to Sunday
		low, high = low+daysPerWeek, high+daysPerWeek
	}
	switch {
	case low == s.Low && high == s.High:
		return Equal
	case s.Low <= low && high <= s.High:
		return Entailed
	case low <= s.High && s.Low <= high:
		return Undecided
	}
	return Contradicted
}

// vagueness returns the days by which a period may be exceeded.
func (v *Value) vagueness() float64 {
	if v.Approx {
		return v.Step
	}
	return 0
}

// mayBeYear reports whether v is a plain number that may be meant as a year.
func (v *Value) mayBeYear() bool {
	return v.Kind == Number && v.Low >= 1000 && v.Low < 2200 && v.Exact() && v.Low == math.Trunc(v.Low) && !v.Approx && !v.written && v.other == 0
}

// compareRecurring compares a date that recurs, such as a weekday or 24 December, with a
// date with a year.
func compareRecurring(c, s *Value) Relation {
	swapped := c.Unit == ""
	full, every := s, c
	if swapped {
		full, every = c, s
	}
	if full.Unit != "" {
		return Incomparable
	}
	low, high, ok := 0.0, 0.0, false
	if every.Unit == weekdayUnit {
		low, ok = full.weekday()
		high = low
	} else {
		low, high, ok = full.yearless()
	}
	switch {
	case !ok:
		return Incomparable
	case low >= every.Low && high <= every.High:
		if swapped {
			return Undecided // the year is not stated
		}
		return Entailed
	case low > every.High || high < every.Low:
		if every.Approx && low <= every.High+every.Step && high >= every.Low-every.Step {
			return Undecided
		}
		return Contradicted
	}
	return Undecided
}

// differentPeriods reports whether two rates are for different periods of time.
func differentPeriods(a, b string) bool {
	if a == b || a == "" || b == "" {
		return false
	}
	x, ok := durationUnit(a)
	y, both := durationUnit(b)
	return ok && both && x.name != y.name
}

// CountsSame reports whether two numbers count the same things in the same words.
func CountsSame(a, b *Value) bool {
	return isPluralNoun(a.Noun) && strings.EqualFold(a.Noun, b.Noun)
}

// isPluralNoun reports whether the last word of noun looks like a plural.
func isPluralNoun(noun string) bool { return isPlural(noun[strings.LastIndexByte(noun, ' ')+1:]) }

// CountsOther reports whether two numbers count things in different words.
func CountsOther(a, b *Value) bool {
	return isPluralNoun(a.Noun) && isPluralNoun(b.Noun) && !strings.EqualFold(a.Noun, b.Noun)
}

// CountsAlike reports whether the first words of what two numbers count are the same, in the
// singular or plural: one egg, two eggs.
func CountsAlike(a, b *Value) bool {
	x, _, _ := strings.Cut(a.Noun, " ")
	y, _, _ := strings.Cut(b.Noun, " ")
	return strings.EqualFold(strings.TrimSuffix(x, "s"), strings.TrimSuffix(y, "s"))
}
