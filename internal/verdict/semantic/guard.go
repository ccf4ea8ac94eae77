package semantic

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A Difference says why two claims must not share a verdict.
type Difference string

// The differences, as far as they can be told apart. Any of them is reason
// enough.
const (
	Pronoun    Difference = "pronoun"    // what a claim speaks of is said elsewhere
	Short      Difference = "short"      // a claim is too short to be understood alone
	Number     Difference = "number"     // a number, or a unit or sign beside it
	Date       Difference = "date"       // a date, a month or a weekday
	Name       Difference = "name"       // a word with a capital
	Negation   Difference = "negation"   // not, never, without
	Quantifier Difference = "quantifier" // all, some, most, only, about
	Comparison Difference = "comparison" // more, before, first, an antonym
	Tense      Difference = "tense"      // is, was, will be, may be
	Order      Difference = "order"      // the same words in another order
	Word       Difference = "word"       // any other word
)

// A Guard compares claims word by word. What it lets through differs in nothing
// but articles, the writing of numbers and dates, single words with a synonym in
// the same form, and the place of one date at the beginning or the end. It turns
// away many that do mean the same, which costs a request, to let through none
// that does not. It knows English; in other languages hardly more than
// punctuation may differ. It is read only and may be shared.
type Guard struct{ lex *lexicon.Lexicon }

// NewGuard fails only where the data in the binary is damaged.
func NewGuard() (*Guard, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	return &Guard{lex}, nil
}

const fewest = 3 // words that a claim has at least to be understood alone

// Differ says what keeps the verdict of one claim from the other, "" where
// nothing does. sameQuestion says that both reply to the same question.
func (g *Guard) Differ(a, b string, sameQuestion bool) Difference {
	return g.differ(a, b, sameQuestion, false)
}

// DifferAfter is Differ for claims that come after a question and other claims, in
// the order of the answer. One that speaks of what was said before, as "It was
// red" does, says the same where all that was said before does.
func (g *Guard) DifferAfter(a string, beforeA []string, b string, beforeB []string, sameQuestion bool) Difference {
	if !sameQuestion || !g.Leans(a) && !g.Leans(b) {
		return g.Differ(a, b, sameQuestion)
	}
	if len(beforeA) != len(beforeB) || len(beforeA) == 0 {
		return Pronoun
	}
	for i := range beforeA {
		if beforeA[i] != beforeB[i] && g.differ(beforeA[i], beforeB[i], true, true) != "" {
			return Pronoun
		}
	}
	return g.differ(a, b, true, true)
}

// Leans says that a claim speaks of what is said elsewhere.
func (g *Guard) Leans(claim string) bool { return dangles(read(claim)) }

func (g *Guard) differ(a, b string, sameQuestion, placed bool) Difference {
	as, bs := read(a), read(b)
	for _, ws := range [][]word{as, bs} {
		if len(ws) < fewest {
			return Short
		}
		if !placed && dangles(ws) {
			return Pronoun
		}
		if !sameQuestion && (has(ws, pronoun) || !english(ws)) {
			return Pronoun // in another language it may have some that are not known
		}
	}
	as, bs = placeFirst(as), placeFirst(bs)
	if g.same(as, bs) {
		return ""
	}
	for _, r := range [][2][]word{{dateLast(as), bs}, {as, dateLast(bs)}} {
		if r[0] != nil && r[1] != nil && g.same(r[0], r[1]) {
			return ""
		}
	}
	return g.why(as, bs)
}

func (g *Guard) same(a, b []word) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !g.match(a[i], b[i]) {
			return false
		}
	}
	return true
}

// match reports whether two words in the same place say the same.
func (g *Guard) match(a, b word) bool {
	if a.text == b.text {
		return a.kind == b.kind && (a.capital == b.capital || a.first || b.first)
	}
	if a.kind != plain || b.kind != plain || a.capital || b.capital || a.first || b.first {
		return false
	}
	form := g.form(a.text)
	return form != exact && form == g.form(b.text) && g.related(a.text, b.text, lexicon.Synonym)
}

func (g *Guard) related(a, b string, want lexicon.Relation) bool {
	found := false
	other := g.lex.Key(b)
	g.lex.Related(g.lex.Key(a), func(key uint64, r lexicon.Relation) {
		found = found || key == other && r == want
	})
	return found
}

// A form is the inflection of a word as far as its letters show it.
type form uint8

const (
	base   form = iota
	plural      // or third person: -s
	past        // -ed, and irregular forms
	going       // -ing
	exact       // -er and -est, -ly: nothing else says the same
)

func (g *Guard) form(w string) form {
	switch {
	case strings.HasSuffix(w, "er"), strings.HasSuffix(w, "est"), strings.HasSuffix(w, "ly"):
		return exact
	case strings.HasSuffix(w, "ing"):
		return going
	case strings.HasSuffix(w, "ed"):
		return past
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return plural
	case g.lex.Key(w) != lexicon.HashString(w) && !strings.HasSuffix(w, "e"):
		return past
	}
	return base
}

// why names the difference of claims that are not the same, by the first kind
// of word in which they differ.
func (g *Guard) why(a, b []word) Difference {
	onlyA, onlyB := missing(a, b), missing(b, a)
	both := append(onlyA, onlyB...)
	if len(both) == 0 {
		return Order
	}
	for _, k := range []struct {
		kind kind
		is   Difference
	}{{negation, Negation}, {number, Number}, {date, Date}, {quantifier, Quantifier}, {comparison, Comparison}, {auxiliary, Tense}} {
		for _, w := range both {
			if w.kind == k.kind {
				return k.is
			}
		}
	}
	for _, x := range onlyA {
		for _, y := range onlyB {
			if g.related(x.text, y.text, lexicon.Antonym) {
				return Comparison
			}
		}
	}
	for _, w := range both {
		if w.capital && !w.first {
			return Name
		}
	}
	return Word
}

// missing is the words of a that b does not have.
func missing(a, b []word) []word {
	count := map[string]int{}
	for _, w := range b {
		count[w.text]++
	}
	var out []word
	for _, w := range a {
		if count[w.text]--; count[w.text] < 0 {
			out = append(out, w)
		}
	}
	return out
}
