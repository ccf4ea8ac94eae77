package semantic

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A guard decides whether two claims are equivalent by comparing their words.
// Equivalent claims may differ only in articles, contractions, number words and synonyms
// in the same inflected form. The guard avoids false positives, which would produce wrong
// verdicts, at the expense of false negatives, which cost a request. Its rules are for
// English; in other languages little more than punctuation may differ. A guard is safe for
// concurrent use.
type guard struct{ lex *lexicon.Lexicon }

// minWords is the minimum number of words in a claim that can be reused.
const minWords = 3

// equivalent reports whether two claims certainly have the same meaning. sameQuestion is
// set if both answer the same question. A claim that refers to the preceding texts, the
// question and the earlier claims, such as "It was red", is equivalent to another only if all
// preceding texts are equivalent too.
func (g *guard) equivalent(a string, beforeA []string, b string, beforeB []string, sameQuestion bool) bool {
	if !NeedsContext(a) && !NeedsContext(b) {
		return g.compare(a, b, sameQuestion)
	}
	equal := func(a, b string) bool { return a == b || g.compare(a, b, true) }
	return sameQuestion && len(beforeA) > 0 && slices.EqualFunc(beforeA, beforeB, equal) && g.compare(a, b, true)
}

// NeedsContext reports whether a claim refers to something that it does not name.
func NeedsContext(claim string) bool { return refersOutside(split(claim)) }

// compare compares two claims alone. For different questions, they must be English, because
// pronouns in other languages are not recognized.
func (g *guard) compare(a, b string, sameQuestion bool) bool {
	x, y := split(a), split(b)
	if len(x) < minWords || !slices.EqualFunc(x, y, g.match) {
		return false
	}
	return sameQuestion || isEnglish(x) && !slices.ContainsFunc(x, func(w word) bool { return w.kind == pronoun })
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
