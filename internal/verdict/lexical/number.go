package lexical

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// numberAt reads a number that begins at token i, in digits or words, with its
// scale and its unit.
func numberAt(l *lexicon.Lexicon, text string, ts []lexicon.Token, i int) (value, int) {
	t := ts[i]
	v := value{kind: number, num: t.Value, ordinal: t.Is(lexicon.Ordinal), digits: significant(text[t.Start:t.End])}
	if i > 0 {
		v.hedged = ts[i-1].Is(lexicon.Hedge)
		v.least = ts[i-1].Is(lexicon.AtLeast) || i > 1 && text[ts[i-1].Start:ts[i-1].End] == "than" && moreThan(text, ts[i-2]) ||
			i > 1 && text[ts[i-1].Start:ts[i-1].End] == "least"
	}
	n := 1
	switch {
	case t.Is(lexicon.Number):
		if i > 0 && t.Start > 0 && text[t.Start-1] == '-' && (t.Start == 1 || text[t.Start-2] == ' ' || text[t.Start-2] == '(') {
			v.num, v.negative = -v.num, true
		}
		if w := text[t.Start:t.End]; len(w) >= 5 && len(w) <= 7 && w[len(w)-4] == '.' && w[0] != '0' {
			v.thousands = math.Round(v.num * 1000)
		}
		if int(t.End) < len(text) && text[t.End] == 's' && isYear(t) && t.Value == 10*math.Trunc(t.Value/10) {
			v.kind, v.year = decade, int(t.Value)
			return v, 1
		}
		if int(t.End) < len(text) && text[t.End] == '%' {
			v.unit = unitOf(l, "percent")
			return v, 1
		}
	case t.Is(lexicon.Ordinal):
		return v, 1
	default:
		if v.num, n = numerals(text, ts, i); n == 0 {
			return value{}, 0
		}
		v.soft = v.num <= 3
	}
	if i+n < len(ts) && ts[i+n].Is(lexicon.Scale) && scaleFollows(text, ts[i+n-1], ts[i+n]) {
		v.num *= ts[i+n].Value
		v.soft = false
		n++
	}
	switch {
	case i+n < len(ts) && ts[i+n].Is(lexicon.Unit) && unitFollows(gap(text, ts[i+n-1], ts[i+n])):
		v.unit = int(ts[i+n].Value)
		n++
	case t.Start > 0:
		v.unit = currency(l, text[:t.Start])
	}
	return v, n
}

func moreThan(text string, t lexicon.Token) bool {
	switch strings.ToLower(text[t.Start:t.End]) {
	case "more", "greater", "higher", "longer", "older":
		return true
	}
	return false
}

// scaleFollows tells "3 million" and "3m" from "3 m tall": a scale of one or
// two letters stands right after the digits.
func scaleFollows(text string, a, b lexicon.Token) bool {
	g := gap(text, a, b)
	if b.End-b.Start <= 2 {
		return g == ""
	}
	return g == " " || g == "-" || g == "\u00a0"
}

func unitFollows(g string) bool {
	return g == "" || g == " " || g == "-" || g == "\u00a0" || g == " (" || g == "\u202f"
}

// numerals reads a number in words: twenty-one, three thousand two hundred.
func numerals(text string, ts []lexicon.Token, i int) (float64, int) {
	total, part := 0.0, 0.0
	n := 0
	for ; i+n < len(ts); n++ {
		t := ts[i+n]
		if n > 0 {
			switch gap(text, ts[i+n-1], t) {
			case " ", "-", ", ":
			default:
				return total + part, n
			}
		}
		switch {
		case t.Is(lexicon.Numeral) && n > 0 && !(t.Value < 10 && int(part)%100 >= 20 && int(part)%10 == 0 || int(part)%100 == 0):
			return total + part, n // "two three": two numbers
		case t.Is(lexicon.Numeral):
			part += t.Value
		case t.Is(lexicon.Scale) && n > 0 && t.Value == 100 && t.End-t.Start > 2:
			part *= 100
		case t.Is(lexicon.Scale) && n > 0 && t.End-t.Start > 2:
			total += part * t.Value
			part = 0
		default:
			return total + part, n
		}
	}
	return total + part, n
}

// currency is the unit of a number after before, which may end in the mark of a
// currency and a space.
func currency(l *lexicon.Lexicon, before string) int {
	switch currencyMark(strings.TrimSuffix(before, " ")) {
	case "$":
		return unitOf(l, "dollar")
	case "€":
		return unitOf(l, "euro")
	case "£":
		return unitOf(l, "gbp")
	case "¥":
		return unitOf(l, "yen")
	}
	return 0
}

// currencyMark is the mark of a currency that s ends in, "" for none.
func currencyMark(s string) string {
	switch {
	case s == "":
		return ""
	case s[len(s)-1] == '$':
		return "$"
	case s[len(s)-1] < utf8.RuneSelf:
		return ""
	}
	for _, c := range [...]string{"€", "£", "¥"} {
		if strings.HasSuffix(s, c) {
			return c
		}
	}
	return ""
}

func unitOf(l *lexicon.Lexicon, name string) int {
	for i := range l.Units {
		if l.Units[i].Name == name {
			return i
		}
	}
	return 0
}

// significant counts the digits of a number as written, without trailing zeros
// before the point: 78,000 has 2.
func significant(s string) int {
	n, zeros, point := 0, 0, false
	for i := range len(s) {
		switch b := s[i]; {
		case b == '.':
			point = point || n > 0
		case b == '0' && n == 0: // before the first that counts
		case b == '0':
			n++
			zeros++
		case b-'0' < 10:
			n++
			zeros = 0
		}
	}
	if !point {
		n -= zeros
	}
	return max(1, n)
}
