package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// A number is a number, date or other value in a text, with the tokens that it covers.
type number struct {
	values.Value

	first, last int // inclusive
	chunk       int // of a value in the contexts
}

// maxNumbers limits the values that are compared per sentence or table cell. Few contain
// more.
const maxNumbers = 16

// appendNumbers appends the first values in text to dst, at most limit. tokens are the
// tokens of text.
func (s *scratch) appendNumbers(dst []number, limit int, text string, tokens []lexicon.Token) []number {
	s.found = s.finder.Append(s.found[:0], text, tokens)
	i := 0
	for n := range min(limit, len(s.found)) {
		v := &s.found[n]
		if v.Kind == values.Ordinal && v.Loose {
			continue // words such as "first" are compared as words
		}
		for i < len(tokens) && int(tokens[i].Start) < v.Start {
			i++
		}
		first := i
		for i < len(tokens) && int(tokens[i].End) <= v.End {
			i++
		}
		if i > first {
			dst = append(dst, number{Value: *v, first: first, last: i - 1})
		}
	}
	return dst
}

// match returns the level at which the context states v with d, or levels if d is
// another value.
func (v *number) match(d *number) level {
	switch values.Mentions(&v.Value, &d.Value) {
	case values.Equal:
		return levelExact
	case values.Entailed:
		return levelAdjective
	case values.Undecided:
		return levelLoose
	case values.Incomparable, values.Contradicted:
	}
	return levels
}
