package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A statement is a tokenized claim or context sentence, with its negations.
type statement struct {
	text      string
	tokens    []lexicon.Token
	content   []int // indices of the content words in tokens
	negations int
	negated   []int // indices into content of the first word after each negation
	notOnly   int   // index of the "only" of "not only", or 0
	ambiguous bool  // contains a condition or a word such as "avoid", so the scope of negations is unknown
}

// negationScope is the maximum distance in words between a negation and the word that it
// negates: "not at all effective".
const negationScope = 3

// parse resets x to the statement in text.
func (x *statement) parse(l *lexicon.Lexicon, text string) {
	*x = statement{text: text, tokens: l.Tokens(x.tokens[:0], text), content: x.content[:0], negated: x.negated[:0]}
	last := -1 - negationScope
	for i := range x.tokens {
		t := &x.tokens[i]
		x.ambiguous = x.ambiguous || t.Is(lexicon.Polarity)
		switch {
		case t.Is(lexicon.Negation):
			if x.isIdiomaticNegation(i) {
				continue
			}
			x.negations++
			last = i
		case !t.Is(lexicon.Stop):
			x.content = append(x.content, i)
			if i-last <= negationScope {
				x.negated = append(x.negated, len(x.content)-1)
				last = -1 - negationScope
			}
		}
	}
}

// isIdiomaticNegation reports whether the negation at token i does not negate anything:
// "No, ...", "not only", "or not".
func (x *statement) isIdiomaticNegation(i int) bool {
	if i+1 < len(x.tokens) {
		if strings.ContainsAny(x.gap(i+1), ",.!?;:") {
			return true
		}
		switch x.lower(i + 1) {
		case "only", "just", "merely", "necessarily":
			x.notOnly = i + 1
			return true
		case "or":
			return true
		}
	}
	return i > 0 && x.lower(i-1) == "or" || x.limitsNumber(i)
}

// limitsNumber reports whether the negation at token i makes a bound of a number: "do not
// take more than 6".
func (x *statement) limitsNumber(i int) bool {
	for k := i + 1; k+1 < len(x.tokens) && k <= i+2*negationScope; k++ {
		if w := x.lower(k); (w == "than" || w == "exceed" || w == "exceeds" || w == "exceeding") && x.tokens[k+1].Class&(lexicon.Number|lexicon.Numeral) != 0 {
			return true
		}
	}
	return false
}

// lower returns the text of token i in lower case.
func (x *statement) lower(i int) string { return x.tokens[i].Lower(x.text) }

// gap returns the text between token i-1 and token i.
func (x *statement) gap(i int) string { return lexicon.Gap(x.text, &x.tokens[i-1], &x.tokens[i]) }

// contentToken returns the token of content word n.
func (x *statement) contentToken(n int) *lexicon.Token { return &x.tokens[x.content[n]] }

// word returns content word n as written.
func (x *statement) word(n int) string { return x.contentToken(n).Text(x.text) }

// key returns the key of content word n, or 0 if n is out of range.
func (x *statement) key(n int) uint64 {
	if n < 0 || n >= len(x.content) {
		return 0
	}
	return x.contentToken(n).Key
}

// indexOf returns the index of the first content word with this key, or -1.
func (x *statement) indexOf(key uint64) int {
	return slices.IndexFunc(x.content, func(i int) bool { return x.tokens[i].Key == key })
}

// sameNeighbour reports whether content word n of x and content word m of y have the
// same preceding or the same following content word.
func (x *statement) sameNeighbour(n int, y *statement, m int) bool {
	return x.key(n-1) != 0 && x.key(n-1) == y.key(m-1) || x.key(n+1) != 0 && x.key(n+1) == y.key(m+1)
}

// deniesOnly reports whether x denies by "not only" the "only" of y.
func (x *statement) deniesOnly(y *statement) bool {
	return x.notOnly > 0 && y.notOnly == 0 && slices.ContainsFunc(y.tokens, func(t lexicon.Token) bool {
		return t.Lower(y.text) == x.lower(x.notOnly)
	})
}

// negates reports whether x negates y: a negated word of x also occurs in y, with the
// same neighbour, or y has eine where x has keine. It returns the indices of the word among
// the content words of each.
func (x *statement) negates(y *statement) (n, m int, ok bool) {
	for _, n := range x.negated {
		m := y.indexOf(x.key(n))
		if m < 0 {
			continue
		}
		if i := x.content[n] - 1; x.sameNeighbour(n, y, m) || i >= 0 && x.tokens[i].Is(lexicon.Negation) && x.tokens[i].Key == y.key(m-1) {
			return n, m, true
		}
	}
	return 0, 0, false
}

// sameNegations reports whether x and y are unambiguous and contain the same number of
// negations.
func (x *statement) sameNegations(y *statement) bool {
	return !x.ambiguous && !y.ambiguous && x.negations == y.negations
}
