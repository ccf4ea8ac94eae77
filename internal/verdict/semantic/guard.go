package semantic

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A guard compares claims word by word. Claims that it takes for the same differ only
// in articles, the notation of numbers and dates, single words with a synonym in the
// same inflected form, and the position of one date at the start or the end. It
// rejects many pairs that do mean the same, which costs a request, so that it accepts
// none that does not. Its rules are for English; in other languages hardly more than
// punctuation may differ. It is safe for concurrent use.
type guard struct{ lex *lexicon.Lexicon }

// newGuard fails only if the embedded lexicon is damaged.
func newGuard() (*guard, error) {
	lex, err := lexicon.Load()
	if err != nil {
		return nil, err
	}
	return &guard{lex}, nil
}

// minWords is how many words a claim must have to be understood on its own.
const minWords = 3

// same reports whether two claims surely say the same. sameQuestion says that both
// answer the same question.
func (g *guard) same(a, b string, sameQuestion bool) bool {
	return g.sameIn(false, a, b, sameQuestion)
}

// sameAfter is like same for claims after a question and other claims, in the order of
// the answer. A claim that refers to what came before, such as "It was red", says the
// same only if everything before it does.
func (g *guard) sameAfter(a string, beforeA []string, b string, beforeB []string, sameQuestion bool) bool {
	if !sameQuestion || !needsContext(a) && !needsContext(b) {
		return g.same(a, b, sameQuestion)
	}
	if len(beforeA) != len(beforeB) || len(beforeA) == 0 {
		return false
	}
	for i := range beforeA {
		if beforeA[i] != beforeB[i] && !g.sameIn(true, beforeA[i], beforeB[i], true) {
			return false
		}
	}
	return g.sameIn(true, a, b, true)
}

// needsContext reports whether a claim refers to something that it does not name.
func needsContext(claim string) bool { return refersOutside(parse(claim)) }

// sameIn is same, for claims that may refer to what came before if inContext is set.
func (g *guard) sameIn(inContext bool, a, b string, sameQuestion bool) bool {
	x, y := parse(a), parse(b)
	if !isComparable(x, sameQuestion, inContext) || !isComparable(y, sameQuestion, inContext) {
		return false
	}
	x, y = placeFirst(x), placeFirst(y)
	if g.matchAll(x, y) {
		return true
	}
	if d := dateLast(x); d != nil && g.matchAll(d, y) {
		return true
	}
	d := dateLast(y)
	return d != nil && g.matchAll(x, d)
}

// isComparable reports whether a claim can be understood on its own. After a different
// question it must be English, since pronouns of other languages are not known.
func isComparable(ws []word, sameQuestion, inContext bool) bool {
	if len(ws) < minWords || !inContext && refersOutside(ws) {
		return false
	}
	return sameQuestion || isEnglish(ws) && !slices.ContainsFunc(ws, func(w word) bool { return w.kind == pronoun })
}

func (g *guard) matchAll(a, b []word) bool { return slices.EqualFunc(a, b, g.match) }

// match reports whether two words in the same position say the same.
func (g *guard) match(a, b word) bool {
	if a.text == b.text {
		return a.kind == b.kind && (a.capital == b.capital || a.first || b.first)
	}
	if a.kind != plain || b.kind != plain || a.capital || b.capital || a.first || b.first {
		return false
	}
	form := g.form(a.text)
	return form != graded && form == g.form(b.text) && g.areSynonyms(a.text, b.text)
}

func (g *guard) areSynonyms(a, b string) bool {
	found := false
	other := g.lex.Key(b)
	g.lex.Related(g.lex.Key(a), func(key uint64, r lexicon.Relation) {
		found = found || key == other && r == lexicon.Synonym
	})
	return found
}

// A form is the inflection of a word, as far as its spelling shows it.
type form uint8

const (
	base   form = iota
	plural      // or third person: -s
	past        // -ed and irregular forms
	progressive
	graded // -er, -est, -ly: such words have no synonyms in the same form
)

func (g *guard) form(w string) form {
	switch {
	case strings.HasSuffix(w, "er"), strings.HasSuffix(w, "est"), strings.HasSuffix(w, "ly"):
		return graded
	case strings.HasSuffix(w, "ing"):
		return progressive
	case strings.HasSuffix(w, "ed"):
		return past
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return plural
	case g.lex.Key(w) != lexicon.Hash(w) && !strings.HasSuffix(w, "e"):
		return past
	}
	return base
}
