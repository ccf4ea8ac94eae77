package lexical

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A statement is a tokenized claim or context sentence.
type statement struct {
	tokens    []lexicon.Token
	content   []int // indices of the content words in tokens
	negations int
	negated   int  // index into content of the first word after the last negation
	ambiguous bool // contains a condition or a word such as "avoid", so the scope of negations is unknown
}

// parse resets x to the statement in text.
func (x *statement) parse(l *lexicon.Lexicon, text string) {
	*x = statement{tokens: l.Tokens(x.tokens[:0], text), content: x.content[:0]}
	for i := range x.tokens {
		t := &x.tokens[i]
		x.ambiguous = x.ambiguous || t.Is(lexicon.Polarity)
		switch {
		case t.Is(lexicon.Negation):
			x.negations++
			x.negated = len(x.content)
		case !t.Is(lexicon.Stop):
			x.content = append(x.content, i)
		}
	}
}

// indexOf returns the index of the first content word with this key, or -1.
func (x *statement) indexOf(key uint64) int {
	return slices.IndexFunc(x.content, func(i int) bool { return x.tokens[i].Key == key })
}
