// Package quantity parses the numbers and dates in a text and compares their values:
// "three thousand" equals "3,000", 5 km equals 5,000 metres and 14 March 1879 equals
// 1879-03-14.
package quantity

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A Kind distinguishes numbers from dates.
type Kind uint8

// The kinds of values.
const (
	Number Kind = iota
	Date        // day, month and year; parts may be missing
	Decade      // 1960s; year is the first year
)

// A Value is a number or date in a text.
type Value struct {
	Kind     Kind
	Ordinal  bool
	Fraction bool // a fifth, one in five: Num is in percent
	Soft     bool // a small number or large share in words, which is often paraphrased

	negative  bool
	hedged    bool // about 3,000
	atLeast   bool // more than 3,000
	swappable bool // day and month may be swapped

	Num                   float64 // value of a Number in its unit, with scale words applied
	Unit                  int     // index into Lexicon.Units, or 0
	FirstToken, LastToken int     // inclusive token range
	Start, End            int     // byte offsets in the text

	year, month, day int        // 0 if missing
	thousands        float64    // 1500 for "1.500", where the point may separate thousands
	parts            [2]float64 // 1 and 5 in "one in five"; they also match as plain numbers
	digits           int        // number of significant digits as written
}

// numeric is the set of classes that a number or an ordinal may start with.
const numeric = lexicon.Number | lexicon.Numeral | lexicon.Ordinal

// Append appends the first numbers and dates in text to dst, at most limit. tokens are
// the tokens of text.
func Append(dst []Value, limit int, l *lexicon.Lexicon, text string, tokens []lexicon.Token) []Value {
	for i := 0; i < len(tokens) && limit > 0; limit-- {
		for i < len(tokens) && tokens[i].Class&(numeric|lexicon.Month|lexicon.Fraction) == 0 {
			i++
		}
		if i == len(tokens) {
			break
		}
		if i > 0 && tokens[i-1].Is(lexicon.Label) && lexicon.Gap(text, &tokens[i-1], &tokens[i]) == " " {
			i++ // "Passage 2"
			continue
		}
		v, n := dateAt(text, tokens, i)
		if n == 0 {
			v, n = fractionAt(l, text, tokens, i)
		}
		if n == 0 && tokens[i].Class&numeric != 0 {
			v, n = numberAt(l, text, tokens, i)
		}
		if n == 0 {
			i++
			continue
		}
		v.FirstToken, v.LastToken = i, i+n-1
		start := int(tokens[i].Start)
		v.Start, v.End = start-len(currencySign(text[:start])), int(tokens[v.LastToken].End)
		if v.Fraction && i > 0 && tokens[i-1].Lower(text) == "a" {
			v.Start = int(tokens[i-1].Start)
		}
		if v.End < len(text) && text[v.End] == '%' {
			v.End++
		}
		dst = append(dst, v)
		i += n
	}
	return dst
}

// JoinThousands corrects numbers with a space after the thousands separator, such as
// "10, 000" in a text that was tokenized and joined. They are parsed as two values;
// JoinThousands replaces the second value by the whole number.
func JoinThousands(vs []Value, text string, tokens []lexicon.Token) {
	for i := 1; i < len(vs); i++ {
		a, b := &vs[i-1], &vs[i]
		if a.Kind != Number || b.Kind != Number || a.LastToken+1 != b.FirstToken || a.FirstToken != a.LastToken || a.Num >= 1000 || b.End-b.Start < 3 {
			continue
		}
		t, u := &tokens[a.LastToken], &tokens[b.FirstToken]
		if lexicon.Gap(text, t, u) != ", " || u.End-u.Start != 3 || !u.Is(lexicon.Number) || t.End-t.Start > 3 {
			continue
		}
		num := a.Num * 1000
		if u.Value != 0 {
			num = a.Num*1000*(b.Num/max(u.Value, 1)) + b.Num
		}
		b.Num, b.Unit, b.FirstToken, b.Start = num, max(a.Unit, b.Unit), a.FirstToken, a.Start
	}
}

// Text returns the value as written in text.
func (v *Value) Text(text string) string {
	if v.negative {
		return "-" + text[v.Start:v.End]
	}
	return text[v.Start:v.End]
}

// InYear reports whether year is the year of v, as in "40 tonnes in 1990". Both are
// values in text. v must not be a year itself.
func (v *Value) InYear(year *Value, text string, tokens []lexicon.Token) bool {
	return v.Kind == Number && year.Kind == Number && year.FirstToken == v.LastToken+2 &&
		tokens[year.FirstToken-1].Lower(text) == "in" && year.Unit == 0 && isYear(&tokens[year.FirstToken]) &&
		(v.Unit != 0 || !isYear(&tokens[v.FirstToken]))
}

// AppendKeys appends hash keys of v to dst. Values that are equal share at least one
// key. A date in a claim has only one key. A date in a context also has the keys of the
// less precise dates that it implies.
func (v *Value) AppendKeys(dst []uint64, l *lexicon.Lexicon, ofClaim bool) []uint64 {
	num := func(x float64) {
		if k := lexicon.Pair(uint64(Number)+1, uint64(math.Float32bits(float32(x)))); len(dst) == 0 || dst[len(dst)-1] != k {
			dst = append(dst, k)
		}
	}
	day := func(year, month, day int) {
		dst = append(dst, lexicon.Pair(uint64(Date)+1, uint64(year)<<16|uint64(month)<<8|uint64(day))) //nolint:gosec // as in the calendar
	}
	switch v.Kind {
	case Number:
		num(v.Num)
		if v.Unit != 0 {
			num(v.Num * l.Units[v.Unit].Factor)
		}
		if v.thousands != 0 {
			num(v.thousands)
		}
		if v.Fraction && v.parts[1] != 0 {
			num(v.parts[0])
			num(v.parts[1])
		}
	case Decade:
		dst = append(dst, lexicon.Pair(uint64(Decade)+1, uint64(v.year))) //nolint:gosec // as in the calendar
	case Date:
		day(v.year, v.month, v.day)
		if ofClaim {
			break
		}
		for _, x := range [2][2]int{{v.month, v.day}, {v.day, v.month}} {
			if x[0] != v.month && !v.swappable {
				break
			}
			day(v.year, x[0], x[1])
			day(0, x[0], x[1])
			day(v.year, x[0], 0)
		}
		if v.year != 0 {
			num(float64(v.year))
		}
	}
	return dst
}
