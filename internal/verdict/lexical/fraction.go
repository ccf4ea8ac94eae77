package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// wordOf returns a word as written, in lower case.
func wordOf(text string, t lexicon.Token) string { return strings.ToLower(text[t.Start:t.End]) }

// fractionAt reads a share in words that begins at token i, as the percentage
// that it is: half of, a third of, two-thirds, one in five, 3 out of 4. It
// returns how many tokens it takes, 0 for none. "The fifth attempt" and "the
// second half" are none.
func fractionAt(l *lexicon.Lexicon, text string, ts []lexicon.Token, i int) (value, int) {
	t := ts[i]
	v := value{kind: number, fraction: true, digits: 2}
	if i > 0 {
		// Of "nearly a fifth" the hedge is one word further off.
		k := i - 1
		if k > 0 && wordOf(text, ts[k]) == "a" {
			k--
		}
		v.hedged = ts[k].Is(lexicon.Hedge)
		v.least = ts[k].Is(lexicon.AtLeast) || k > 0 && wordOf(text, ts[k]) == "than" && moreThan(text, ts[k-1]) ||
			k > 0 && wordOf(text, ts[k]) == "least"
	}
	n, share := 0, 0.0
	switch {
	case t.Class&(lexicon.Number|lexicon.Numeral) != 0 && t.Value >= 1 && i+1 < len(ts):
		if share, n = counted(text, ts, i); n == 0 {
			if share, n = oneIn(text, ts, i); n > 0 {
				v.parts = [2]float64{t.Value, ts[i+n-1].Value}
			}
		} else {
			v.soft = t.Value == 1 && share >= 1.0/4
		}
	default:
		share = single(text, ts, i)
		v.soft = share >= 1.0/4
		if share > 0 {
			n = 1
		}
	}
	if n > 0 {
		v.num, v.unit = 100*share, unitOf(l, "percent")
	}
	return v, n
}

// denominator returns what the word t divides by, 0 if it does not.
func denominator(text string, t lexicon.Token) float64 {
	switch {
	case t.Is(lexicon.Fraction):
		return t.Value
	case t.Is(lexicon.Ordinal) && t.Value <= 20 && text[t.Start] > '9':
		return t.Value
	}
	return 0
}

// counted reads "two thirds" and "one fifth of".
func counted(text string, ts []lexicon.Token, i int) (float64, int) {
	d := denominator(text, ts[i+1])
	g := gap(text, ts[i], ts[i+1])
	if d == 0 || ts[i].Value >= d || g != " " && g != "-" {
		return 0, 0
	}
	if i+3 < len(ts) && ofFollows(text, ts, i+1) && wordOf(text, ts[i+3]) == "a" {
		return 0, 0 // two tenths of a second: a quantity and no share
	}
	plural := text[ts[i+1].End-1] == 's'
	if plural != (ts[i].Value > 1) || !plural && g != "-" && !ofFollows(text, ts, i+1) {
		return 0, 0
	}
	return ts[i].Value / d, 2
}

// oneIn reads "one in five", "3 out of 4" and "3/4", not "one in three weeks".
func oneIn(text string, ts []lexicon.Token, i int) (float64, int) {
	n := 1
	switch {
	case gap(text, ts[i], ts[i+1]) == "/" && ts[i].Is(lexicon.Number) && ts[i+1].Value <= 10:
	case wordOf(text, ts[i+1]) == "in":
		n = 2
	case wordOf(text, ts[i+1]) == "out" && i+2 < len(ts) && wordOf(text, ts[i+2]) == "of":
		n = 3
	default:
		return 0, 0
	}
	if i+n >= len(ts) {
		return 0, 0
	}
	m := ts[i+n]
	const number = lexicon.Number | lexicon.Numeral
	if m.Class&number != ts[i].Class&number || ts[i].Value >= m.Value || !roundEnough(m.Value) || strings.Contains(text[ts[i].End:m.Start], ",") {
		return 0, 0
	}
	if i+n+1 < len(ts) && ts[i+n+1].Class&(lexicon.Unit|lexicon.Scale|lexicon.Month|number) != 0 ||
		int(m.End) < len(text) && text[m.End] == '%' {
		return 0, 0
	}
	return ts[i].Value / m.Value, n + 1
}

// roundEnough reports whether people say "one in" of x.
func roundEnough(x float64) bool {
	switch x {
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 50, 100, 1000:
		return true
	}
	return false
}

// single reads "a fifth of" and "half the".
func single(text string, ts []lexicon.Token, i int) float64 {
	d := denominator(text, ts[i])
	if d == 0 || text[ts[i].End-1] == 's' {
		return 0
	}
	before := ""
	if i > 0 && ts[i-1].End+1 == ts[i].Start {
		before = wordOf(text, ts[i-1])
	}
	if d != 2 {
		if before != "a" || !ofFollows(text, ts, i) {
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
	if i+1 < len(ts) && gap(text, ts[i], ts[i+1]) == " " {
		switch wordOf(text, ts[i+1]) {
		case "of", "the", "its", "their", "all":
			return 1.0 / 2
		}
	}
	return 0
}

func ofFollows(text string, ts []lexicon.Token, i int) bool {
	return i+1 < len(ts) && gap(text, ts[i], ts[i+1]) == " " && wordOf(text, ts[i+1]) == "of"
}
