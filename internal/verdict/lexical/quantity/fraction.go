package quantity

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// fractionAt parses the share that starts at token i and converts it to a percentage:
// half of, a third of, two-thirds, one in five, 3 out of 4. It returns the number of
// tokens, or 0 if there is no share. "The fifth attempt" and "the second half" are not
// shares.
func fractionAt(l *lexicon.Lexicon, text string, ts []lexicon.Token, i int) (Value, int) {
	t := &ts[i]
	v := Value{Kind: Number, Fraction: true, digits: 2}
	if i > 0 {
		k := i - 1
		if k > 0 && ts[k].Lower(text) == "a" { // nearly a fifth
			k--
		}
		v.hedged = ts[k].Is(lexicon.Hedge)
		v.atLeast = isLowerBound(text, ts, k, ts[k].Lower(text))
	}
	const large = 1.0 / 4 // minimum share that is Soft
	n, share := 0, 0.0
	switch {
	case t.Class&(lexicon.Number|lexicon.Numeral) == 0:
		if share = singleFraction(text, ts, i); share > 0 {
			n = 1
		}
		v.Soft = share >= large
	case t.Value < 1 || i+1 >= len(ts):
	default:
		if share, n = countedFraction(text, ts, i); n > 0 {
			v.Soft = t.Value == 1 && share >= large
		} else if share, n = ratio(text, ts, i); n > 0 {
			v.parts = [2]float64{t.Value, ts[i+n-1].Value}
		}
	}
	if n > 0 {
		v.Num, v.Unit = 100*share, l.UnitNamed("percent")
	}
	return v, n
}

// denominator returns the denominator in a word such as "thirds" or "fifth", or 0.
func denominator(text string, t *lexicon.Token) float64 {
	switch {
	case t.Is(lexicon.Fraction):
		return t.Value
	case t.Is(lexicon.Ordinal) && t.Value <= 20 && text[t.Start] > '9':
		return t.Value
	}
	return 0
}

// countedFraction parses "two thirds" and "one fifth of".
func countedFraction(text string, ts []lexicon.Token, i int) (share float64, n int) {
	d := denominator(text, &ts[i+1])
	g := lexicon.Gap(text, &ts[i], &ts[i+1])
	if d == 0 || ts[i].Value >= d || g != " " && g != "-" {
		return 0, 0
	}
	if i+3 < len(ts) && followedByOf(text, ts, i+1) && ts[i+3].Lower(text) == "a" {
		return 0, 0 // "two tenths of a second" is a quantity
	}
	plural := text[ts[i+1].End-1] == 's'
	if plural != (ts[i].Value > 1) || !plural && g != "-" && !followedByOf(text, ts, i+1) {
		return 0, 0
	}
	return ts[i].Value / d, 2
}

// ratio parses "one in five", "3 out of 4" and "3/4", but not "one in three weeks".
func ratio(text string, ts []lexicon.Token, i int) (share float64, n int) {
	n = 1
	switch {
	case lexicon.Gap(text, &ts[i], &ts[i+1]) == "/" && ts[i].Is(lexicon.Number) && ts[i+1].Value <= 10:
	case ts[i+1].Lower(text) == "in":
		n = 2
	case ts[i+1].Lower(text) == "out" && i+2 < len(ts) && ts[i+2].Lower(text) == "of":
		n = 3
	default:
		return 0, 0
	}
	if i+n >= len(ts) {
		return 0, 0
	}
	d := &ts[i+n]
	const number = lexicon.Number | lexicon.Numeral
	if d.Class&number != ts[i].Class&number || ts[i].Value >= d.Value || !isUsualDenominator(d.Value) || strings.Contains(text[ts[i].End:d.Start], ",") {
		return 0, 0
	}
	if i+n+1 < len(ts) && ts[i+n+1].Class&(lexicon.Unit|lexicon.Scale|lexicon.Month|number) != 0 ||
		int(d.End) < len(text) && text[d.End] == '%' {
		return 0, 0
	}
	return ts[i].Value / d.Value, n + 1
}

// isUsualDenominator reports whether "one in x" is a common phrase.
func isUsualDenominator(x float64) bool {
	switch x {
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 50, 100, 1000:
		return true
	}
	return false
}

// singleFraction returns the share in phrases such as "a fifth of" and "half the", or 0.
func singleFraction(text string, ts []lexicon.Token, i int) float64 {
	d := denominator(text, &ts[i])
	if d == 0 || text[ts[i].End-1] == 's' {
		return 0
	}
	before := ""
	if i > 0 && ts[i-1].End+1 == ts[i].Start {
		before = ts[i-1].Lower(text)
	}
	if d != 2 {
		if before != "a" || !followedByOf(text, ts, i) {
			return 0
		}
		return 1 / d
	}
	if i > 0 && ts[i-1].Class&(lexicon.Stop|lexicon.Hedge) == 0 {
		return 0
	}
	switch before {
	case "the", "this", "that", "other", "each", "its", "their", "his", "her", "own", "same":
		return 0
	}
	if i+1 < len(ts) && lexicon.Gap(text, &ts[i], &ts[i+1]) == " " {
		switch ts[i+1].Lower(text) {
		case "of", "the", "its", "their", "all":
			return 1.0 / 2
		}
	}
	return 0
}

// followedByOf reports whether the word after token i is "of".
func followedByOf(text string, ts []lexicon.Token, i int) bool {
	return i+1 < len(ts) && lexicon.Gap(text, &ts[i], &ts[i+1]) == " " && ts[i+1].Lower(text) == "of"
}
