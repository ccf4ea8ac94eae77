package quantity

import (
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// dateAt parses the date that starts at token i. It returns the number of tokens, or 0
// if there is no date. A single year is a number, not a date.
func dateAt(text string, ts []lexicon.Token, i int) (Value, int) {
	t := &ts[i]
	rest := ts[i+1:]
	switch {
	case t.Is(lexicon.Month) && !t.Is(lexicon.Stop) || t.Is(lexicon.Month|lexicon.Capital):
		if len(rest) == 0 || !isAdjacent(text, t, &rest[0]) {
			return Value{}, 0
		}
		v := Value{Kind: Date, month: int(t.Value)}
		if isYear(&rest[0]) {
			v.year = int(rest[0].Value)
			return v, 2
		}
		if !isInteger(&rest[0], 1, 31) {
			return Value{}, 0
		}
		v.day = int(rest[0].Value)
		if len(rest) > 1 && isYear(&rest[1]) && isAdjacent(text, &rest[0], &rest[1]) {
			v.year = int(rest[1].Value)
			return v, 3
		}
		return v, 2
	case isInteger(t, 1, 31) && len(rest) > 0 && rest[0].Is(lexicon.Month) && isAdjacent(text, t, &rest[0]),
		isInteger(t, 1, 31) && len(rest) > 1 && rest[1].Is(lexicon.Month) && isOf(text, &rest[0]):
		n := 2
		if !rest[0].Is(lexicon.Month) {
			n = 3
		}
		m := &ts[i+n-1]
		if m.Is(lexicon.Stop) && !m.Is(lexicon.Capital) { // the verb "may"
			return Value{}, 0
		}
		v := Value{Kind: Date, day: int(t.Value), month: int(m.Value)}
		if i+n < len(ts) && isYear(&ts[i+n]) && isAdjacent(text, m, &ts[i+n]) {
			v.year = int(ts[i+n].Value)
			n++
		} else if i+n+1 < len(ts) && isOf(text, &ts[i+n]) && isYear(&ts[i+n+1]) {
			v.year = int(ts[i+n+1].Value)
			n += 2
		}
		return v, n
	case len(rest) > 1 && t.Is(lexicon.Number):
		return numericDate(text, t, &rest[0], &rest[1])
	}
	return Value{}, 0
}

// numericDate parses 1967-01-15, 15.01.1967 and 1/15/1967.
func numericDate(text string, a, b, c *lexicon.Token) (Value, int) {
	sep := lexicon.Gap(text, a, b)
	if sep != lexicon.Gap(text, b, c) || sep != "-" && sep != "/" && sep != "." {
		return Value{}, 0
	}
	switch {
	case isYear(a) && isInteger(b, 1, 12) && isInteger(c, 1, 31):
		return Value{Kind: Date, year: int(a.Value), month: int(b.Value), day: int(c.Value)}, 3
	case isYear(c) && isInteger(a, 1, 31) && isInteger(b, 1, 31) && (a.Value <= 12 || b.Value <= 12):
		v := Value{Kind: Date, year: int(c.Value), day: int(a.Value), month: int(b.Value)}
		if b.Value > 12 {
			v.day, v.month = v.month, v.day
		} else {
			v.swappable = a.Value <= 12 && sep == "/"
		}
		return v, 3
	}
	return Value{}, 0
}

// isAdjacent reports whether only spaces and at most one comma, full stop or hyphen
// separate two tokens.
func isAdjacent(text string, a, b *lexicon.Token) bool {
	if n := b.Start - a.End; n < 0 || n > 4 {
		return false
	}
	g := lexicon.Gap(text, a, b)
	if g == " " {
		return true // the usual case
	}
	g = strings.TrimLeft(g, " \u00a0")
	if g != "" && strings.IndexByte(",.-", g[0]) >= 0 {
		g = g[1:]
	}
	return strings.TrimLeft(g, " \u00a0") == ""
}

// isInteger reports whether t is an integer from lo to hi in digits.
func isInteger(t *lexicon.Token, lo, hi float64) bool {
	return t.Is(lexicon.Number) && t.Value >= lo && t.Value <= hi && t.Value == math.Trunc(t.Value)
}

// isYear reports whether t may be a year of four digits.
func isYear(t *lexicon.Token) bool {
	return isInteger(t, 1000, 2199) && t.End-t.Start == 4 && !t.Is(lexicon.Ordinal)
}

// isOf reports whether t may connect the parts of a date: "14 de marzo de 1879".
func isOf(text string, t *lexicon.Token) bool {
	w := t.Text(text)
	return w == "of" || w == "de"
}
