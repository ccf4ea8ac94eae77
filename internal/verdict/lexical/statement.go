package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A statement is a claim, or a sentence of a context, split into words, with what it
// negates.
type statement struct {
	text      string
	tokens    []lexicon.Token
	content   []int // tokens other than stop words
	negations int
	denied    []int // indices into content: the first content word after each negation
	unclear   bool  // has a condition, or a word such as "avoid", so the scope of negations is unknown
}

// negationReach is how many words after a negation the word that it denies may
// follow: "not at all effective".
const negationReach = 3

// read replaces x by the statement of a text.
func (x *statement) read(l *lexicon.Lexicon, text string) {
	*x = statement{text: text, tokens: l.Tokens(x.tokens[:0], text), content: x.content[:0], denied: x.denied[:0]}
	last := -1 - negationReach
	for i := range x.tokens {
		t := &x.tokens[i]
		x.unclear = x.unclear || t.Is(lexicon.Polarity)
		switch {
		case t.Is(lexicon.Negation):
			if x.negatesNothing(i) {
				continue
			}
			x.negations++
			last = i
		case !t.Is(lexicon.Stop):
			x.content = append(x.content, i)
			if i-last <= negationReach {
				x.denied = append(x.denied, len(x.content)-1)
				last = -1 - negationReach
			}
		}
	}
}

// negatesNothing reports whether the negation at token i denies nothing: "No, ...",
// "not only", "or not".
func (x *statement) negatesNothing(i int) bool {
	if i+1 < len(x.tokens) {
		if strings.ContainsAny(x.gap(i+1), ",.!?;:") {
			return true
		}
		switch x.tokens[i+1].Text(x.text) {
		case "only", "just", "merely", "or", "necessarily":
			return true
		}
	}
	return i > 0 && x.tokens[i-1].Text(x.text) == "or"
}

// lower returns token i in lower case.
func (x *statement) lower(i int) string { return x.tokens[i].Lower(x.text) }

// gap returns the text between token i and the one before it.
func (x *statement) gap(i int) string { return lexicon.Gap(x.text, &x.tokens[i-1], &x.tokens[i]) }

// contentToken returns the token of content word n.
func (x *statement) contentToken(n int) *lexicon.Token { return &x.tokens[x.content[n]] }

// word returns content word n as written.
func (x *statement) word(n int) string { return x.contentToken(n).Text(x.text) }

// key returns the key of content word n, 0 if n is out of range.
func (x *statement) key(n int) uint64 {
	if n < 0 || n >= len(x.content) {
		return 0
	}
	return x.contentToken(n).Key
}

// indexOf returns the index of the first content word with a key, or -1.
func (x *statement) indexOf(key uint64) int {
	return slices.IndexFunc(x.content, func(i int) bool { return x.tokens[i].Key == key })
}

// hasAll reports whether all keys are those of content words.
func (x *statement) hasAll(keys []uint64) bool {
	return !slices.ContainsFunc(keys, func(k uint64) bool { return x.indexOf(k) < 0 })
}

// appendKeys appends the keys of the content words.
func (x *statement) appendKeys(dst []uint64) []uint64 {
	for _, i := range x.content {
		dst = append(dst, x.tokens[i].Key)
	}
	return dst
}

// coverage returns the share, weighted by IDF, of the content words of x that are
// among words, themselves or as a related word.
func (j *Judge) coverage(x *statement, words []uint64) float64 {
	found, all := 0.0, 0.0
	for _, i := range x.content {
		t := &x.tokens[i]
		w := j.lex.IDF(t.Key)
		all += w
		has := slices.Contains(words, t.Key)
		if !has {
			j.lex.Related(t.Key, func(k uint64, r lexicon.Relation) {
				has = has || r != lexicon.Antonym && slices.Contains(words, k)
			})
		}
		if has {
			found += w
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}

// related returns the key and those of words with a similar meaning, and its antonyms.
func (j *Judge) related(key uint64) (like, unlike []uint64) {
	like = []uint64{key}
	j.lex.Related(key, func(k uint64, r lexicon.Relation) {
		if r == lexicon.Antonym {
			unlike = append(unlike, k)
		} else {
			like = append(like, k)
		}
	})
	return like, unlike
}

// sameNeighbour reports whether the content word before or after n in x is also the
// one before or after m in y.
func (x *statement) sameNeighbour(n int, y *statement, m int) bool {
	return x.key(n-1) != 0 && x.key(n-1) == y.key(m-1) || x.key(n+1) != 0 && x.key(n+1) == y.key(m+1)
}

// denies reports whether x denies what y affirms: a content word follows a negation
// in x and has the same neighbour in both.
func (x *statement) denies(y *statement) bool {
	for _, n := range x.denied {
		if m := y.indexOf(x.key(n)); m >= 0 && x.sameNeighbour(n, y, m) {
			return true
		}
	}
	return false
}

// sameNegations reports whether x and y surely negate the same number of things.
func (x *statement) sameNegations(y *statement) bool {
	return !x.unclear && !y.unclear && x.negations == y.negations
}

// startsPart reports whether a clause or a part of a list starts at token i, which is
// not the first.
func (x *statement) startsPart(i int) bool {
	if strings.ContainsAny(x.gap(i), ",;:()—–|\n") {
		return true
	}
	switch x.lower(i) {
	case "but", "except", "unless", "while", "whereas", "although", "though", "because":
		return true
	}
	return false
}

// startsClause reports whether a clause with its own subject may start at token i.
func (x *statement) startsClause(i int) bool {
	if i == 0 {
		return false
	}
	g := x.gap(i)
	if strings.ContainsAny(g, ";:()—|\n") {
		return true
	}
	switch x.lower(i) {
	case "and", "but", "while", "whereas", "which", "who", "though", "although", "whose":
		return strings.IndexByte(g, ',') >= 0
	}
	return false
}

// startsComparison reports whether "more than" or the like starts at token i: "no
// more than five" denies nothing.
func (x *statement) startsComparison(i int) bool {
	if i+1 >= len(x.tokens) || x.lower(i+1) != "than" {
		return false
	}
	switch x.lower(i) {
	case "more", "less", "fewer", "later", "earlier", "longer", "other":
		return true
	}
	return false
}

// joinsPhrase reports whether two tokens with a gap between them may be in one phrase.
func joinsPhrase(gap string) bool { return gap == " " || gap == "-" }

// isName reports whether token i may be a word of a name.
func (x *statement) isName(i int) bool {
	t := &x.tokens[i]
	return t.Is(lexicon.Capital) && t.Class&(lexicon.Stop|lexicon.Number|lexicon.Month|lexicon.Numeral) == 0
}

// nameAt returns the token after the name that starts at token i, and the keys of its
// words. A name in the genitive, the owner of what follows, has no keys.
func (x *statement) nameAt(i int) (next int, words []uint64) {
	for next = i; next < len(x.tokens) && x.isName(next) && (next == i || joinsPhrase(x.gap(next))); next++ {
		words = append(words, x.tokens[next].Key)
		if isPossessive(x.tokens[next].Text(x.text)) {
			return next + 1, nil
		}
	}
	return next, words
}

func isPossessive(word string) bool {
	return strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "’s") || strings.HasSuffix(word, "'") || strings.HasSuffix(word, "’")
}

// matchKeys returns how many tokens from i on are the words keys, with stop words
// between them, 0 if they are not.
func (x *statement) matchKeys(i int, keys []uint64) int {
	n, k := 0, 0
	for i+n < len(x.tokens) && k < len(keys) {
		t := &x.tokens[i+n]
		switch {
		case t.Key == keys[k]:
			k++
		case k == 0 || !t.Is(lexicon.Stop):
			return 0
		}
		n++
	}
	if k < len(keys) {
		return 0
	}
	return n
}

// followsPreposition reports whether token i follows a preposition and so cannot be
// a subject.
func (x *statement) followsPreposition(i int) bool {
	for i--; i >= 0; i-- {
		switch x.lower(i) {
		case "the", "a", "an":
		case "at", "in", "on", "from", "near", "of", "to", "into", "for", "with", "against", "between", "under", "over", "after", "before":
			return true
		default:
			return false
		}
	}
	return false
}

// isSubset reports whether all of a are in b.
func isSubset(a, b []uint64) bool {
	return !slices.ContainsFunc(a, func(k uint64) bool { return !slices.Contains(b, k) })
}
