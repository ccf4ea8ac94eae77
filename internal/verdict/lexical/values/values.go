// Package values reads the numbers, amounts of money, shares, measures, durations, dates
// and times of day in a text, and compares what a claim says with what a passage says. It
// knows English well, and the digits, months, currencies and bounds of some other
// languages.
package values

import (
	"math"
	"sync"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

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
	dimension uint8      // of a Measure
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

// isBound reports whether only one end is given.
func (v *Value) isBound() bool { return math.IsInf(v.Low, 0) != math.IsInf(v.High, 0) }

func (v *Value) isNegative() bool { return v.High < 0 }

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

// A Finder finds the values in texts. It is safe for concurrent use.
type Finder struct {
	lex     *lexicon.Lexicon
	words   []listed // by lexicon.Token.Word
	signs   [utf8.RuneSelf]class
	readers sync.Pool
}

// Find returns the values in text in ascending order of their offsets. They do not
// overlap.
func (f *Finder) Find(text string) []Value { return f.Append(nil, text, f.lex.Tokens(nil, text)) }

// Append appends the values in text to dst. words are the tokens of text.
func (f *Finder) Append(dst []Value, text string, words []lexicon.Token) []Value {
	r, _ := f.readers.Get().(*reader)
	defer f.readers.Put(r)
	r.read(text, words)
	first := len(dst)
	for i := 0; i < len(r.toks); {
		if r.toks[i].class&trigger == 0 {
			i++
			continue
		}
		v, next := r.value(i)
		if next == 0 {
			i++
			continue
		}
		if n := len(dst); n == first || v.Start >= dst[n-1].End {
			dst = append(dst, v)
		}
		i = next
	}
	return dst
}

// value returns the value whose number starts at token i and the token after it, or 0.
func (r *reader) value(i int) (Value, int) {
	v, from, next := r.simple(i)
	if next == 0 {
		return Value{}, 0
	}
	return r.bounded(v, from, next)
}

// simple parses the value at token i without its bounds. It returns its first token and
// the token after it, or 0.
func (r *reader) simple(i int) (v Value, from, next int) {
	if v, from, next = r.dateAt(i); next > 0 {
		return v, from, next
	}
	if v, from, next = r.clockAt(i); next > 0 {
		return v, from, next
	}
	return r.amountAt(i)
}
