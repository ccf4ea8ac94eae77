package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// deniesAny reports whether one of the words that x denies is in y, so that a
// negation of x may be that of y in other places: "required on the islands, but not
// on the mainland" and "not required on the mainland".
func (x *side) deniesAny(y *side) bool {
	for _, n := range x.denied {
		if y.place(x.key(n)) >= 0 {
			return true
		}
	}
	return false
}

// deniesEarlier reports whether x ends a clause in a negation, as in "white light is
// prohibited; red lamps are not", and its subject there, of words that no clause
// before it has, is in y.
func (x *side) deniesEarlier(y *side) bool {
	for i := range x.tokens {
		if !x.tokens[i].Is(lexicon.Negation) || !x.endsClause(i) || i == 0 {
			continue
		}
		start := i
		for start > 0 && !strings.ContainsAny(gap(x.text, x.tokens[start-1], x.tokens[start]), ",;:—") {
			start--
		}
		if start == 0 {
			continue // the clause has nothing to take its verb from
		}
		subject, known := 0, 0
		for _, t := range x.tokens[start:i] {
			if t.Is(lexicon.Stop) {
				continue
			}
			subject++
			if y.place(t.Key) >= 0 && !hasKey(x.tokens[:start], t.Key) {
				known++
			}
		}
		if subject > 0 && known == subject {
			return true
		}
	}
	return false
}

// endsClause reports whether a mark of punctuation, or the end, follows token i.
func (x *side) endsClause(i int) bool {
	return i+1 == len(x.tokens) || strings.ContainsAny(gap(x.text, x.tokens[i], x.tokens[i+1]), ".,;:!?—")
}

func hasKey(tokens []lexicon.Token, key uint64) bool {
	for i := range tokens {
		if tokens[i].Key == key {
			return true
		}
	}
	return false
}

// oneClause reports whether x has no second clause, which might be another subject's.
func (x *side) oneClause() bool { return !strings.ContainsAny(x.text, ",;:") }
