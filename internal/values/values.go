// Package values reads the numbers, amounts of money, shares, measures, durations, dates and times
// of day in a text, and compares what a claim says with what a passage says. It knows English well,
// and the digits, months, currencies and bounds of some other languages.
package values

import "math"

// A Kind is the type of a value. Values of different kinds are not compared, except that a
// plain number may be a year.
type Kind uint8

// The kinds of values, with the base unit of Low and High.
const (
	Number   Kind = iota // a count or plain number; Noun is what it counts
	Ordinal              // first, 12th
	Share                // a part of a whole or a relative change; 0.5 is half or 50%
	Points               // percentage points
	Money                // in units of the currency
	Measure              // in the base unit of the dimension: metres, kilograms, degrees Celsius
	Duration             // seconds
	Clock                // minutes after midnight
	Date                 // days after 1 January 1970; a period goes from its first to its last day
)

// Units of dates that recur.
const (
	yearless    = "yearless" // days after the start of a leap year: 24 December, March, spring
	weekdayUnit = "weekday"  // 0 (Sunday) to 6, or to 12 at the end of a range
)

// A Value is a value found in a text. The bounds Low and High are equal for an exact
// value; a bound that is not given is infinite, as in [20, +Inf) for "at least 20".
type Value struct {
	Kind      Kind
	Unit      string  // "km", "USD", "percent", "hour"; a date is "weekday" or "yearless" if it recurs; a time may have a zone
	Noun      string  // what a Number counts, as written: "employees", "seating cars"
	Per       string  // the unit of a rate, as written: "hour" in "$20 per hour"
	Low, High float64 // bounds in the base unit
	Open      bool    // the given bound is excluded: "more than 20"
	Approx    bool    // about 20; early 2020
	Not       bool    // any other value: "not 20", "anything but 20"
	Loose     bool    // an ordinal or a number up to three in words, or "an hour", which are often paraphrased
	Step      float64 // the last digit of the number as written, in the base unit; the vagueness of a period in days
	Start     int     // byte offsets in the text
	End       int

	text      string     // a Number in digits, as written
	label     uint8      // how likely the number is a name, whose digits count: half or whole
	side      int8       // after "until", "before" and the like -1, after "from", "after" and the like 1; twice that if negated
	lean      int8       // with Approx: -1 just below the number (nearly), 1 just above it
	written   bool       // with a scale word or decimals, which suggests a rounded number
	word      bool       // a fraction in words, such as a third
	calendar  bool       // a Duration in months or years, whose length in days varies
	limited   bool       // a word before it makes it a bound, or says that it is just above or below the number
	dimension string     // of a Measure
	factor    float64    // of the unit as written, or 0
	other     float64    // second reading, or 0: 1500 for "1.500", the day with swapped month for "3/4/2020"
	parts     [2]float64 // 3 and 4 for "3 out of 4"
	at        [2]float64 // the bounds without the words before and after it: 20 and 20 for "at least 20"
}

// Exact reports whether the value is one number rather than a range or bound.
func (v *Value) Exact() bool { return v.Low == v.High }

// IsPlain reports whether the value is one number or date that no word before it limits, denies
// or makes approximate.
func (v *Value) IsPlain() bool {
	return (v.Exact() || v.Kind == Date) && !v.Not && !v.Approx && !v.IsLimited()
}

// IsAmbiguous reports whether the value has two readings, or is a ratio, which may be one of other numbers.
func (v *Value) IsAmbiguous() bool { return v.other != 0 || v.parts[1] != 0 }

// IsLimited reports whether a word before or after the value makes it a bound.
func (v *Value) IsLimited() bool { return v.limited || v.side != 0 && v.Unit != weekdayUnit }

// isBound reports whether only one end is given.
func (v *Value) isBound() bool { return math.IsInf(v.Low, 0) != math.IsInf(v.High, 0) }

// limit returns the given end of a bound.
func (v *Value) limit() float64 {
	if math.IsInf(v.High, 0) {
		return v.Low
	}
	return v.High
}

// Values of Value.label. Two halves make a whole.
const (
	half  = 1 // Python 3.10
	whole = 2 // version 3.10, 10.0.0.1, 0042
)

// isOpposite reports whether v and w are the two sides of the same limit: until 3 May and
// from 3 May.
func (v *Value) isOpposite(w *Value) bool {
	return v.side != 0 && v.side == -w.side && SameNumber(v, w)
}

// SameNumber reports whether two values have the same number, perhaps with another bound.
func SameNumber(a, b *Value) bool { return a.Kind == b.Kind && a.at == b.at }

func (v *Value) negate() { v.Low, v.High, v.other = -v.High, -v.Low, -v.other }

// second returns v in its second reading.
func (v *Value) second() Value {
	s := *v
	s.other, s.written = 0, false
	switch {
	case v.Exact():
		s.Low, s.High = v.other, v.other
	case math.IsInf(v.Low, 0):
		s.High = v.other
	case math.IsInf(v.High, 0):
		s.Low = v.other
	default:
		s.Low, s.High = v.other, v.High*v.other/v.Low
	}
	return s
}

// The dimensions of measures with rules of their own. Others are named in units.txt only.
const (
	length      = "length"
	mass        = "mass"
	volume      = "volume"
	area        = "area"
	speed       = "speed"
	temperature = "temperature"
)

// A unit is a unit of measurement, time or money, or the percent sign.
type unit struct {
	name      string
	kind      Kind
	dimension string
	factor    float64 // value in the base unit
	calendar  bool    // a month or longer
}

// secondsPerMonth is the length of the mean month of the Gregorian calendar.
const secondsPerMonth = 2629746

// setUnit converts the bounds and the step from unit u to its base unit.
func (v *Value) setUnit(u unit) {
	v.Kind, v.Unit, v.dimension, v.factor, v.calendar, v.Loose, v.label = u.kind, u.name, u.dimension, u.factor, u.calendar, false, 0
	offset := 0.0
	if u.name == "°F" {
		offset = -32
	}
	v.Low, v.High, v.Step = (v.Low+offset)*u.factor, (v.High+offset)*u.factor, v.Step*u.factor
	if v.other != 0 {
		v.other = (v.other + offset) * u.factor
	}
}
