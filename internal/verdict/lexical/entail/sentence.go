package entail

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// A Sentence is a claim or a statement of a context, split into words and clauses.
type Sentence struct {
	Text    string
	Next    string // start of the text after the sentence, which may deny it
	Words   []Word
	Clauses []Clause
	seen    trait // traits of any word
	foreign bool  // in a language other than English

	comparer *Comparer

	cueList  []cue // valid if cuesRead
	cuesRead bool

	relatives []relative // of all words, valid if related
	related   bool
}

// A Word is a word of a sentence.
type Word struct {
	lexicon.Token

	Lower   string // as written, in lower case
	Content bool   // carries meaning of its own: neither a function word nor a part of an operator
	Clause  int    // index in Clauses
	traits  trait

	weight    float64 // inverse document frequency, set by relate
	relatives [2]int  // range in Sentence.relatives, set by relate
}

// A Clause is a range of words with one polarity.
type Clause struct {
	First, End int // range in Words
	Kind       ClauseKind
}

// A ClauseKind is the relation of a clause to the sentence.
type ClauseKind uint8

// The kinds of clauses.
const (
	Main      ClauseKind = iota // also a reason, a contrast or a relative clause
	Condition                   // if, unless, provided that, once, when
	Exception                   // except, other than, apart from
	Reported                    // that: content of saying or thinking
)

// A cue is a word that reverses the polarity of words in its clause: "not", "no",
// "without", or a predicate such as "exclude".
type cue struct {
	at     int
	end    int // end of the words after it that it negates
	target int // first content word that it negates, or -1
}

// Light reports whether w says little: a function word, a quantifier, or a word such as
// "take". Texts often express it in other words.
func (w *Word) Light() bool { return !w.Content || w.traits&(light|linking) != 0 }

// Parse resets x to the sentence in text, which consists of tokens.
func (c *Comparer) Parse(x *Sentence, text string, tokens []lexicon.Token) {
	x.Text, x.Next, x.comparer, x.cuesRead, x.related = text, "", c, false, false
	x.Words, x.Clauses, x.seen = x.Words[:0], x.Clauses[:0], 0
	lower := strings.ToLower(text)
	for i := range tokens {
		t := &tokens[i]
		w := Word{Token: *t, traits: c.traits.Get(t.Key)}
		if len(lower) == len(text) {
			w.Lower = lower[t.Start:t.End]
		} else {
			w.Lower = strings.ToLower(t.Text(text))
		}
		if int(t.Word) < len(c.forms) {
			w.traits |= c.forms[t.Word]
		}
		w.Content = !t.Is(lexicon.Stop) && w.traits&(restrictive|quantity) == 0
		x.Words = append(x.Words, w)
		x.seen |= w.traits
	}
	x.foreign = x.isForeign()
	x.split()
}

// Gap returns the text between word i-1 and word i.
func (x *Sentence) Gap(i int) string {
	return lexicon.Gap(x.Text, &x.Words[i-1].Token, &x.Words[i].Token)
}

// lower returns the word at i in lower case, or "" if there is none.
func (x *Sentence) lower(i int) string {
	if i < 0 || i >= len(x.Words) {
		return ""
	}
	return x.Words[i].Lower
}

// is reports whether the words from i on are the given ones.
func (x *Sentence) is(i int, words ...string) bool {
	if i < 0 || i+len(words) > len(x.Words) {
		return false
	}
	for k, w := range words {
		if x.Words[i+k].Lower != w {
			return false
		}
	}
	return true
}

// contains reports whether x contains the word as written.
func (x *Sentence) contains(lower string) bool {
	for i := range x.Words {
		if x.Words[i].Lower == lower {
			return true
		}
	}
	return false
}

// Has reports whether x contains the word with key k.
func (x *Sentence) Has(k uint64) bool {
	for i := range x.Words {
		if x.Words[i].Key == k {
			return true
		}
	}
	return false
}

// isForeign reports whether few of several words are English function words, or most of
// them are not in Latin script.
func (x *Sentence) isForeign() bool {
	const maxFragment = 3       // words of a fragment, which may have no function word
	const firstNonLatin = 0x370 // the first letter after the blocks of Latin letters and marks
	english, nonLatin := 0, 0
	for i := range x.Words {
		if x.Words[i].Is(lexicon.Stop) {
			english++
		}
		if r, _ := utf8.DecodeRuneInString(x.Words[i].Lower); r >= firstNonLatin {
			nonLatin++
		}
	}
	return english*5 < len(x.Words) && len(x.Words) > maxFragment || 2*nonLatin > len(x.Words)
}

// split finds the clauses.
func (x *Sentence) split() {
	if len(x.Words) == 0 {
		return
	}
	first, kind := 0, Main
	if k, ok := x.clauseAt(0, ""); ok {
		kind = k
	}
	for i := 1; i < len(x.Words); i++ {
		gap := x.Gap(i)
		k, ok := x.clauseAt(i, gap)
		if !ok && breaks(gap) {
			k, ok = Main, !x.answers(i)
		}
		if !ok || i == first {
			continue
		}
		x.Clauses = append(x.Clauses, Clause{First: first, End: i, Kind: kind})
		first, kind = i, k
	}
	x.Clauses = append(x.Clauses, Clause{First: first, End: len(x.Words), Kind: kind})
	for n, c := range x.Clauses {
		for i := c.First; i < c.End; i++ {
			x.Words[i].Clause = n
		}
	}
}

// clauseAt reports whether word i, which follows gap, starts a clause, and its kind.
func (x *Sentence) clauseAt(i int, gap string) (ClauseKind, bool) {
	comma := strings.IndexByte(gap, ',') >= 0
	switch x.Words[i].Lower {
	case "if", "unless", "provided", "providing", "whenever", "once", "when":
		return Condition, true
	case "except", "excluding", "besides", "sauf", "excepté", "hormis", "excepto", "salvo", "außer", "ausser":
		return Exception, true
	case "apart", "aside":
		return Exception, x.lower(i+1) == "from"
	case "other":
		return Exception, x.lower(i+1) == "than"
	case "with":
		return Exception, x.is(i+1, "the", "exception", "of")
	case "because", "until":
		return Main, true
	case "but", "although", "though", "whereas", "however", "yet":
		return Main, comma || x.lower(i) != "yet" && x.lower(i-1) != "all" && x.lower(i-1) != "nothing" && x.lower(i-1) != "anything"
	case "while", "before", "after":
		return Main, comma || i == 0
	case "who", "which", "whose", "whom":
		return Main, comma || i > 0 && x.Words[i-1].Content
	case "that":
		return Reported, i > 0 && x.Words[i-1].traits&(saying|negative|thinking) != 0
	}
	return Main, false
}

// breaks reports whether the text between two words separates clauses, other than by a comma.
func breaks(gap string) bool {
	return gap != " " && (strings.ContainsFunc(gap, isBreak) || strings.Contains(gap, " - "))
}

// isBreak reports whether a punctuation mark separates clauses, other than by a comma.
func isBreak(r rune) bool {
	switch r {
	case ';', ':', '(', ')', '—', '–', '|', '\n':
		return true
	}
	return false
}

// answers reports whether word i answers the rest of an item such as "Wireless charging: no".
func (x *Sentence) answers(i int) bool {
	const maxWords = 16
	switch x.lower(i) {
	case "no", "none", "yes":
		return i > 0 && i+1 == len(x.Words) && i < maxWords && strings.HasPrefix(x.Gap(i), ":") && strings.Trim(x.Text[x.Words[i].End:], ". ") == ""
	}
	return false
}

func isAuxiliary(w string) bool {
	switch w {
	case "is", "are", "was", "were", "be", "been", "has", "have", "had", "do", "does", "did", "will", "would", "can", "cannot", "could", "may", "might", "must", "shall", "should",
		"isn't", "aren't", "wasn't", "weren't", "hasn't", "haven't", "hadn't", "don't", "doesn't", "didn't", "won't", "wouldn't", "can't", "couldn't", "mustn't", "shouldn't":
		return true
	}
	return false
}

// contentAfter returns the first content word from word i on, among at most n words and
// before the next punctuation mark, or -1.
func (x *Sentence) contentAfter(i, n int) int {
	for k := max(i, 0); k < len(x.Words) && k < i+n; k++ {
		if k > i && x.stopsAt(k) {
			return -1
		}
		if x.Words[k].Content {
			return k
		}
	}
	return -1
}

// stopsAt reports whether a punctuation mark that separates phrases precedes word i.
func (x *Sentence) stopsAt(i int) bool {
	gap := x.Gap(i)
	return gap != " " && strings.ContainsFunc(gap, func(r rune) bool {
		return r == ',' || r == '.' || isBreak(r) || r >= utf8.RuneSelf && strings.ContainsRune("，。；：、！？،؛؟", r)
	})
}

// Separates reports whether word i starts another phrase of a list, or another clause.
func (x *Sentence) Separates(i int) bool {
	switch x.Words[i].Lower {
	case "and", "or", "but", "while", "whereas":
		return true
	}
	return i > 0 && strings.ContainsAny(x.Gap(i), ",;—–|\n")
}

// HasPronoun reports whether x has a pronoun that may refer to the text before x and that claim
// lacks.
func (x *Sentence) HasPronoun(claim *Sentence) bool {
	return slices.ContainsFunc(x.Words, func(w Word) bool {
		switch w.Lower {
		case "it", "he", "she", "they", "you", "we", "this", "these", "that", "those", "its", "their", "one", "ones", "both", "same":
			return !claim.contains(w.Lower)
		}
		return false
	})
}

// IsElliptic reports whether x omits what the sentence before it says: "Dogs are not.", "So does
// Ben."
func (x *Sentence) IsElliptic() bool {
	last := len(x.Words) - 1
	if last < 0 || x.lower(0) == "so" || x.lower(0) == "neither" || x.lower(0) == "nor" {
		return true
	}
	w := &x.Words[last]
	return isAuxiliary(w.Lower) || w.Is(lexicon.Negation) || w.Lower == "too" || w.Lower == "either"
}

// phraseEnd returns the end of the phrase that starts at word i: the next punctuation
// mark, or the next clause.
func (x *Sentence) phraseEnd(i int) int {
	k := i + 1
	for k < len(x.Words) && !x.stopsAt(k) && x.Words[k].Clause == x.Words[i].Clause {
		k++
	}
	return k
}

// isName reports whether word i is capitalized and does not start a sentence.
func (x *Sentence) isName(i int) bool {
	return x.Words[i].Is(lexicon.Capital) && !x.Words[i].Is(lexicon.Initial)
}

// isNumeric reports whether word i is a number in digits or words.
func (x *Sentence) isNumeric(i int) bool {
	return i >= 0 && i < len(x.Words) && x.Words[i].Class&(lexicon.Number|lexicon.Numeral|lexicon.Fraction) != 0
}
