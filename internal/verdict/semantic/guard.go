package semantic

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// A guard decides whether two claims are equivalent by comparing their words. Equivalent claims may
// differ only in articles, contractions, number words and synonyms in the same inflected form. The
// guard avoids false positives, which would produce wrong verdicts, at the expense of false
// negatives, which cost a request. Its rules are for English; in other languages little more than
// punctuation may differ. A guard is safe for concurrent use.
type guard struct{ lex *lexicon.Lexicon }

// minWords is the minimum number of words in a claim that can be reused.
const minWords = 3

// equivalent reports whether two claims certainly have the same meaning. sameQuestion is
// set if both answer the same question. A claim that can refer to the preceding texts, the
// question and the earlier claims, such as "It was red" or "The price is 5 euros", is equivalent
// to another only if all preceding texts are equivalent too.
func (g *guard) equivalent(a []word, beforeA []string, b []word, beforeB []string, sameQuestion bool) bool {
	refers := refersOutside(a) || refersOutside(b)
	if !refers && standsAlone(a) && standsAlone(b) {
		return g.compare(a, b, sameQuestion)
	}
	equal := func(a, b string) bool { return a == b || g.compare(split(a), split(b), true) }
	return sameQuestion && (len(beforeA) > 0 || !refers) && slices.EqualFunc(beforeA, beforeB, equal) && g.compare(a, b, true)
}

// NeedsContext reports whether a claim refers to something that it does not name, as far as its
// words tell: in other languages than English, it may.
func NeedsContext(claim string) bool {
	words := split(claim)
	return refersOutside(words) || !isEnglish(words)
}

// standsAlone reports whether a claim is English and has a name, or nothing with "the".
func standsAlone(claim []word) bool {
	named := slices.ContainsFunc(claim, func(w word) bool { return w.capital && !w.first && w.kind == plain })
	return isEnglish(claim) && (named || !slices.ContainsFunc(claim, func(w word) bool { return w.definite }))
}

// compare compares two claims alone. For different questions, they must be English, because
// pronouns in other languages are not recognized.
func (g *guard) compare(a, b []word, sameQuestion bool) bool {
	if len(a) < minWords || !slices.EqualFunc(a, b, g.match) {
		return false
	}
	return sameQuestion || isEnglish(a) && !slices.ContainsFunc(a, func(w word) bool { return w.kind == pronoun })
}

// match reports whether two words in the same position are interchangeable.
func (g *guard) match(a, b word) bool {
	if a.text == b.text {
		return a.kind == b.kind && (a.form == b.form || a.first || b.first)
	}
	if a.kind != plain || b.kind != plain || a.capital || b.capital || a.first || b.first {
		return false
	}
	form := g.form(a.text)
	if form == graded || form != g.form(b.text) {
		return false
	}
	synonyms, other := false, g.lex.Key(b.text)
	g.lex.Related(g.lex.Key(a.text), func(key uint64, r lexicon.Relation) {
		synonyms = synonyms || key == other && r == lexicon.Synonym
	})
	return synonyms
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

// A kind classifies a word. Only plain words may be replaced by synonyms.
type kind uint8

const (
	plain kind = iota
	number
	fixed   // negations, quantifiers, comparisons, auxiliary verbs, dates, prepositions and conjunctions
	pronoun // may refer to something that the claim names
	deictic // refers to something outside the claim
)

// A word is a word, number or significant symbol in a claim.
type word struct {
	text     string // lower case
	form     string // as written: MB is not Mb
	kind     kind
	capital  bool // starts with a capital letter
	first    bool // first word of the claim
	definite bool // after "the"
}

//nolint:gochecknoglobals // constant
var notation = strings.NewReplacer("’", "'", "−", "-", "–", "-", "cannot", "can not",
	"can't", "can not", "can’t", "can not", "won't", "will not", "won’t", "will not", "n't", " not", "n’t", " not")

var words = regexp.MustCompile(`\.?\p{N}+(?:[.,:]\p{N}+)*['"′″]?|[\p{L}\p{M}]+|!=|[^\s\p{L}\p{M}\p{N}.,;:!?¡¿'"“”‘’„«»…—]`)

// split returns the words of a claim without articles and similar words.
func split(text string) []word {
	var all []word
	definite := false
	found := words.FindAllString(notation.Replace(text), -1)
	next := func(i int) string { return strings.ToLower(found[min(i+1, len(found)-1)]) }
	for i, text := range found {
		r, _ := utf8.DecodeRuneInString(text)
		w := word{text: strings.ToLower(text), form: text, capital: unicode.IsUpper(r), first: i == 0}
		w.kind = kindOf(w)
		if !unicode.IsLetter(r) {
			w.kind = number
		}
		cardinals := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
		if n := slices.Index(cardinals[:], w.text); n >= 0 {
			w.text, w.form, w.kind = strconv.Itoa(n), strconv.Itoa(n), number
		}
		switch w.text {
		case "a":
			if isAmount := slices.Contains([]string{"few", "little", "number", "lot"}, next(i)); !isAmount && (!w.capital || w.first) { // not: "hepatitis A", "a few"
				continue
			}
		case "the":
			if next(i) != "number" {
				definite = true
				continue
			}
		case "an":
			if i+1 < len(found) { // in German it can be the last word
				continue
			}
		case "also", "however", "moreover", "additionally", "furthermore", "indeed":
			continue
		case "is", "are", "was", "were":
			if n := len(all); n > 0 && all[n-1].text == "there" {
				all[n-1].kind = fixed // "there is" is not a reference
			}
		}
		w.definite, definite = definite, false
		all = append(all, w)
	}
	return all
}

// refersOutside reports whether a claim may refer to something outside it: it contains a
// pronoun before the first name, or a word such as "this".
func refersOutside(ws []word) bool {
	named := false
	for i, w := range ws {
		switch {
		case w.kind == deictic, w.kind == pronoun && !named:
			return true
		case w.kind != plain || !w.capital:
		case !w.first, i+1 < len(ws) && ws[i+1].kind < pronoun:
			named = true
		}
	}
	return false
}

// isEnglish reports whether a claim contains a common word that occurs only in English.
func isEnglish(ws []word) bool {
	return slices.ContainsFunc(ws, func(w word) bool {
		switch w.text {
		case "of", "is", "was", "are", "were", "and", "has", "have", "had", "with", "by", "to", "from", "for", "not", "which", "that", "their":
			return true
		}
		return false
	})
}

// kindOf returns the kind of a word in letters.
func kindOf(w word) kind {
	switch w.text {
	case "he", "she", "it", "they", "him", "her", "them", "his", "hers", "its", "their", "theirs", "himself", "herself", "itself", "themselves":
		return pronoun
	case "us":
		if w.capital && !w.first {
			return plain // the US
		}
		return deictic
	case "this", "these", "those", "here", "there", "former", "latter", "we", "our", "ours", "i", "me", "my", "mine", "you", "your", "yours":
		return deictic
	case "not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "hardly", "barely", "unless", "except", "lack", "lacks", "fail", "fails", "failed", "unable", "nowhere",
		"all", "some", "most", "every", "each", "only", "any", "many", "much", "few", "several", "both", "half", "least", "always", "often", "sometimes", "usually", "rarely", "seldom",
		"about", "around", "approximately", "nearly", "almost", "roughly", "exactly", "just", "up", "over", "under", "entire", "whole", "partly", "mainly", "mostly", "majority", "minority", "generally", "solely", "alone",
		"more", "less", "fewer", "better", "worse", "best", "worst", "greater", "before", "after", "since", "until", "during", "above", "below", "first", "last", "second", "third",
		"earlier", "later", "next", "previous", "increase", "increased", "increases", "decrease", "decreased", "decreases", "than", "same", "different", "higher", "lower", "then", "further", "too",
		"fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
		"hundred", "thousand", "million", "billion", "trillion", "dozen", "twice", "double", "doubled", "triple", "quarter",
		"thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
		"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
		"january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
		"is", "are", "am", "was", "were", "be", "been", "being", "has", "have", "had", "having", "do", "does", "did", "will", "would", "can", "could", "may", "might", "must", "shall", "should",
		"if", "whether", "still", "already", "now", "once", "again", "allegedly", "reportedly", "possibly", "probably", "likely", "perhaps", "maybe",
		"of", "in", "on", "at", "to", "from", "by", "with", "for", "into", "onto", "through", "between", "among", "against", "towards", "toward", "via", "near", "outside", "inside", "within", "off", "out", "down",
		"and", "or", "but", "as", "because", "although", "though", "while", "whereas", "which", "who", "whom", "whose", "that", "such", "thereby", "therefore", "thus", "so", "where", "when", "why", "how", "what":
		return fixed
	}
	return plain
}
