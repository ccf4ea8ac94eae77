package quantity

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// numberAt parses the number in digits or words that starts at token i, with its scale
// and unit. It returns the number of tokens, or 0 if there is no number.
func numberAt(l *lexicon.Lexicon, text string, ts []lexicon.Token, i int) (Value, int) {
	t := &ts[i]
	v := Value{Kind: Number, Num: t.Value, Ordinal: t.Is(lexicon.Ordinal), digits: significantDigits(t.Text(text))}
	if i > 0 {
		v.hedged = ts[i-1].Is(lexicon.Hedge)
		v.atLeast = isLowerBound(text, ts, i-1, ts[i-1].Text(text))
	}
	n := 1
	switch {
	case t.Is(lexicon.Number):
		if i > 0 && t.Start > 0 && text[t.Start-1] == '-' && (t.Start == 1 || text[t.Start-2] == ' ' || text[t.Start-2] == '(') {
			v.Num, v.negative = -v.Num, true
		}
		if w := t.Text(text); len(w) >= 5 && len(w) <= 7 && w[len(w)-4] == '.' && w[0] != '0' {
			v.thousands = math.Round(v.Num * 1000)
		}
		if int(t.End) < len(text) && text[t.End] == 's' && isYear(t) && t.Value == 10*math.Trunc(t.Value/10) {
			v.Kind, v.year = Decade, int(t.Value)
			return v, 1
		}
		if int(t.End) < len(text) && text[t.End] == '%' {
			v.Unit = l.UnitNamed("percent")
			return v, 1
		}
	case t.Is(lexicon.Ordinal):
		return v, 1
	default:
		if v.Num, n = numerals(text, ts, i); n == 0 {
			return Value{}, 0
		}
		v.Soft = v.Num <= 3
	}
	if i+n < len(ts) && ts[i+n].Is(lexicon.Scale) && isScaleOf(text, &ts[i+n-1], &ts[i+n]) {
		v.Num *= ts[i+n].Value
		v.Soft = false
		n++
	}
	switch {
	case i+n < len(ts) && ts[i+n].Is(lexicon.Unit) && joinsUnit(lexicon.Gap(text, &ts[i+n-1], &ts[i+n])):
		v.Unit = int(ts[i+n].Value)
		n++
	case t.Start > 0:
		v.Unit = currency(l, text[:t.Start])
	}
	return v, n
}

// isLowerBound reports whether the number after token i is a lower bound: "over 3",
// "more than 3", "at least 3". word is the text of the token.
func isLowerBound(text string, ts []lexicon.Token, i int, word string) bool {
	if ts[i].Is(lexicon.AtLeast) || i > 0 && word == "least" {
		return true
	}
	if i == 0 || word != "than" {
		return false
	}
	switch ts[i-1].Lower(text) {
	case "more", "greater", "higher", "longer", "older":
		return true
	}
	return false
}

// isScaleOf reports whether the token scale scales the number. It accepts "3 million"
// and "3m" but not "3 m tall": a scale of one or two letters must directly follow the
// digits.
func isScaleOf(text string, number, scale *lexicon.Token) bool {
	g := lexicon.Gap(text, number, scale)
	if scale.End-scale.Start <= 2 {
		return g == ""
	}
	return g == " " || g == "-" || g == "\u00a0"
}

// joinsUnit reports whether gap may separate a number from its unit.
func joinsUnit(gap string) bool {
	return gap == "" || gap == " " || gap == "-" || gap == "\u00a0" || gap == " (" || gap == "\u202f"
}

// numerals parses a number in words, such as "three thousand two hundred". It returns
// the value and the number of tokens.
func numerals(text string, ts []lexicon.Token, i int) (float64, int) {
	total, part := 0.0, 0.0
	n := 0
	for ; i+n < len(ts); n++ {
		t := &ts[i+n]
		if n > 0 {
			switch lexicon.Gap(text, &ts[i+n-1], t) {
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

// currency returns the unit of a number, given the text before it. It returns 0 if the
// text does not end in a currency sign and an optional space.
func currency(l *lexicon.Lexicon, before string) int {
	switch currencySign(strings.TrimSuffix(before, " ")) {
	case "$":
		return l.UnitNamed("dollar")
	case "€":
		return l.UnitNamed("euro")
	case "£":
		return l.UnitNamed("gbp")
	case "¥":
		return l.UnitNamed("yen")
	}
	return 0
}

// currencySign returns the currency sign at the end of s, or "".
func currencySign(s string) string {
	switch {
	case s == "":
		return ""
	case s[len(s)-1] == '$':
		return "$"
	case s[len(s)-1] < utf8.RuneSelf:
		return ""
	}
	for _, sign := range [...]string{"€", "£", "¥"} {
		if strings.HasSuffix(s, sign) {
			return sign
		}
	}
	return ""
}

// significantDigits returns the number of significant digits in a number as written. It
// is at least 1 and excludes trailing zeros of an integer: 78,000 has 2.
func significantDigits(s string) int {
	n, zeros, point := 0, 0, false
	for i := range len(s) {
		switch b := s[i]; {
		case b == '.':
			point = point || n > 0
		case b == '0' && n == 0: // a leading zero
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
