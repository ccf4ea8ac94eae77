package lexical

import (
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A kind says what a value is.
type kind uint8

const (
	number kind = iota
	date        // day, month and year, as far as written
	decade      // 1960s: year is its first
)

// A value is a number or a date of a text, compared by what it means and not by
// how it is written.
type value struct {
	kind             kind
	num              float64 // number: in the unit as written, scale words included
	thousands        float64 // what 1.500 is where a point stands between thousands; 0
	unit             int     // index into Lexicon.Units, 0 none
	year, month, day int     // date; 0 where not written
	swap             bool    // date: day and month may be the other way round
	ordinal          bool
	negative         bool
	parts            [2]float64 // 1 and 5 of one in five, which are numbers, too
	fraction         bool       // a fifth, one in five: num is in percent
	hedged           bool       // about 3,000
	least            bool       // more than 3,000
	soft             bool       // one to three in words, which a text may also say otherwise
	digits           int        // significant digits as written, for hedged ones
	first, last      int        // tokens, inclusive
	start, end       int        // bytes in the text
}

// values appends the numbers and dates among tokens to dst, limit of them at
// the most.
func values(dst []value, limit int, l *lexicon.Lexicon, text string, tokens []lexicon.Token) []value {
	for i := 0; i < len(tokens) && limit > 0; limit-- {
		for i < len(tokens) && tokens[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Month|lexicon.Ordinal|lexicon.Fraction) == 0 {
			i++
		}
		if i == len(tokens) {
			break
		}
		if i > 0 && tokens[i-1].Is(lexicon.Label) && gap(text, tokens[i-1], tokens[i]) == " " {
			i++
			continue
		}
		v, n := dateAt(text, tokens, i)
		if n == 0 {
			v, n = fractionAt(l, text, tokens, i)
		}
		if n == 0 && tokens[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Ordinal) != 0 {
			v, n = numberAt(l, text, tokens, i)
		}
		if n == 0 {
			i++
			continue
		}
		v.first, v.last = i, i+n-1
		v.start, v.end = valueStart(text, int(tokens[i].Start)), int(tokens[v.last].End)
		if v.fraction && i > 0 && wordOf(text, tokens[i-1]) == "a" {
			v.start = int(tokens[i-1].Start)
		}
		if v.end < len(text) && text[v.end] == '%' {
			v.end++
		}
		dst = append(dst, v)
		i += n
	}
	return dst
}

// spacedThousands returns the number that "10, 000" is in text that was cut
// into words and joined again, if the values a and b look like that.
func spacedThousands(text string, tokens []lexicon.Token, a, b *value) (value, bool) {
	if a.kind != number || b.kind != number || a.last+1 != b.first || a.first != a.last || a.num >= 1000 || b.end-b.start < 3 {
		return value{}, false
	}
	t, u := tokens[a.last], tokens[b.first]
	if gap(text, t, u) != ", " || u.End-u.Start != 3 || !u.Is(lexicon.Number) || t.End-t.Start > 3 {
		return value{}, false
	}
	v := *b
	v.num = a.num*1000*(b.num/max(u.Value, 1)) + b.num
	if u.Value == 0 {
		v.num = a.num * 1000
	}
	v.unit, v.first, v.start = max(a.unit, b.unit), a.first, a.start
	return v, true
}

// valueStart moves the start of a number over the currency mark before it.
func valueStart(text string, start int) int {
	return start - len(currencyMark(text[:start]))
}

// gap returns what lies between two tokens; of two that overlap, as those of
// scripts without spaces do, something that no rule asks for.
func gap(text string, a, b lexicon.Token) string {
	if a.End > b.Start {
		return "overlap"
	}
	return text[a.End:b.Start]
}

// near reports whether only spaces and at most one comma, stop or hyphen lie
// between two tokens.
func near(text string, a, b lexicon.Token) bool {
	if n := b.Start - a.End; n < 0 || n > 4 {
		return false
	}
	g := gap(text, a, b)
	if g == " " {
		return true // nearly always
	}
	g = strings.TrimLeft(g, " \u00a0")
	if g != "" && strings.IndexByte(",.-", g[0]) >= 0 {
		g = g[1:]
	}
	return strings.TrimLeft(g, " \u00a0") == ""
}

func whole(t lexicon.Token, lo, hi float64) bool {
	return t.Is(lexicon.Number) && t.Value >= lo && t.Value <= hi && t.Value == math.Trunc(t.Value)
}

func isYear(t lexicon.Token) bool {
	return whole(t, 1000, 2199) && t.End-t.Start == 4 && !t.Is(lexicon.Ordinal)
}

// isOf reports whether t stands between the parts of a date: 14 de marzo de 1879.
func isOf(text string, t lexicon.Token) bool {
	w := text[t.Start:t.End]
	return w == "of" || w == "de"
}

// dateAt reads a date that begins at token i and returns how many tokens it
// takes, 0 for none. A year alone is a number.
func dateAt(text string, ts []lexicon.Token, i int) (value, int) {
	t := ts[i]
	rest := ts[i+1:]
	switch {
	case t.Is(lexicon.Month) && !t.Is(lexicon.Stop) || t.Is(lexicon.Month|lexicon.Capital):
		if len(rest) == 0 || !near(text, t, rest[0]) {
			return value{}, 0
		}
		v := value{kind: date, month: int(t.Value)}
		if isYear(rest[0]) {
			v.year = int(rest[0].Value)
			return v, 2
		}
		if !whole(rest[0], 1, 31) {
			return value{}, 0
		}
		v.day = int(rest[0].Value)
		if len(rest) > 1 && isYear(rest[1]) && near(text, rest[0], rest[1]) {
			v.year = int(rest[1].Value)
			return v, 3
		}
		return v, 2
	case whole(t, 1, 31) && len(rest) > 0 && rest[0].Is(lexicon.Month) && near(text, t, rest[0]),
		whole(t, 1, 31) && len(rest) > 1 && rest[1].Is(lexicon.Month) && isOf(text, rest[0]):
		n := 2
		if !rest[0].Is(lexicon.Month) {
			n = 3
		}
		m := ts[i+n-1]
		if m.Is(lexicon.Stop) && !m.Is(lexicon.Capital) { // may
			return value{}, 0
		}
		v := value{kind: date, day: int(t.Value), month: int(m.Value)}
		if i+n < len(ts) && isYear(ts[i+n]) && near(text, m, ts[i+n]) {
			v.year = int(ts[i+n].Value)
			n++
		} else if i+n+1 < len(ts) && isOf(text, ts[i+n]) && isYear(ts[i+n+1]) {
			v.year = int(ts[i+n+1].Value)
			n += 2
		}
		return v, n
	case len(rest) > 1 && t.Is(lexicon.Number):
		return numericDate(text, t, rest[0], rest[1])
	}
	return value{}, 0
}

// numericDate reads 1967-01-15, 15.01.1967 and 1/15/1967.
func numericDate(text string, a, b, c lexicon.Token) (value, int) {
	sep := gap(text, a, b)
	if sep != gap(text, b, c) || sep != "-" && sep != "/" && sep != "." {
		return value{}, 0
	}
	switch {
	case isYear(a) && whole(b, 1, 12) && whole(c, 1, 31):
		return value{kind: date, year: int(a.Value), month: int(b.Value), day: int(c.Value)}, 3
	case isYear(c) && whole(a, 1, 31) && whole(b, 1, 31) && (a.Value <= 12 || b.Value <= 12):
		v := value{kind: date, year: int(c.Value), day: int(a.Value), month: int(b.Value)}
		if b.Value > 12 {
			v.day, v.month = v.month, v.day
		} else {
			v.swap = a.Value <= 12 && sep == "/"
		}
		return v, 3
	}
	return value{}, 0
}

// string is the value as the text has it.
func (c *value) string(text string) string {
	if c.negative {
		return "-" + text[c.start:c.end]
	}
	return text[c.start:c.end]
}
