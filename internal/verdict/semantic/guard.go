package semantic

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A guard decides whether two claims are equivalent by comparing their words.
// Equivalent claims may differ only in articles, the notation of numbers and dates,
// synonyms in the same inflected form, and the position of one date at the start or the
// end. The guard avoids false positives, which would produce wrong verdicts, at the
// expense of false negatives, which cost a request. Its rules are for English; in other
// languages little more than punctuation may differ. A guard is safe for concurrent use.
type guard struct{ lex *lexicon.Lexicon }

// minWords is the minimum number of words in a claim that can be reused.
const minWords = 3

// equivalent reports whether two claims certainly have the same meaning. sameQuestion is
// set if both answer the same question. A claim that refers to the preceding texts, the
// question and the earlier claims, such as "It was red", is equivalent to another only if all
// preceding texts are equivalent too.
func (g *guard) equivalent(a string, beforeA []string, b string, beforeB []string, sameQuestion bool) bool {
	if !sameQuestion || !NeedsContext(a) && !NeedsContext(b) {
		return g.compare(a, b, sameQuestion, false)
	}
	equal := func(a, b string) bool { return a == b || g.compare(a, b, true, true) }
	return len(beforeA) > 0 && slices.EqualFunc(beforeA, beforeB, equal) && g.compare(a, b, true, true)
}

// NeedsContext reports whether a claim refers to something that it does not name.
func NeedsContext(claim string) bool { return refersOutside(parse(claim)) }

// compare compares two claims alone. If inContext is set, they may refer to preceding texts.
func (g *guard) compare(a, b string, sameQuestion, inContext bool) bool {
	x, y := parse(a), parse(b)
	if !isComparable(x, sameQuestion, inContext) || !isComparable(y, sameQuestion, inContext) {
		return false
	}
	x, y = placeFirst(x), placeFirst(y)
	if slices.EqualFunc(x, y, g.match) {
		return true
	}
	if d := dateLast(x); d != nil && slices.EqualFunc(d, y, g.match) {
		return true
	}
	d := dateLast(y)
	return d != nil && slices.EqualFunc(x, d, g.match)
}

// isComparable reports whether a claim can be compared without its preceding texts, or
// inContext is set. For different questions, the claim must be English, because pronouns
// in other languages are not recognized.
func isComparable(ws []word, sameQuestion, inContext bool) bool {
	if len(ws) < minWords || !inContext && refersOutside(ws) {
		return false
	}
	return sameQuestion || isEnglish(ws) && !slices.ContainsFunc(ws, func(w word) bool { return w.kind == pronoun })
}

// match reports whether two words in the same position are interchangeable.
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

// A form is the inflection of a word, inferred from its spelling.
type form uint8

const (
	base   form = iota
	plural      // or third person: -s
	past        // -ed and irregular forms
	progressive
	graded // -er, -est, -ly; not replaced by synonyms
)

// form returns the form of a lower-case word.
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
