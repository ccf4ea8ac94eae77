package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// otherwiseArranged looks, in a quote that has nearly all words of the claim,
// for an arrangement of them that says something else: sides that changed
// places, years that go with another number, some for all.
func (j *Judge) otherwiseArranged(s *scratch, c *claim) objection {
	a, b := &s.claimSide, &s.quoteSide
	if a.negations != 0 || b.negations != 0 {
		return objection{}
	}
	if all, some := a.lessSaid(b); all != "" {
		return objection{reason: "the contexts say " + quoted(some) + ", not " + quoted(all), limit: contradicted, less: true}
	}
	if mine, theirs := s.otherYear(j.lex, c); mine != "" {
		return objection{reason: "the contexts say " + quoted(theirs) + ", not " + quoted(mine), limit: contradicted}
	}
	if a.unclear || b.unclear {
		return objection{}
	}
	if mine, theirs := s.swapped(j.lex); mine != "" {
		return objection{reason: "the contexts say " + quoted(theirs) + ", not " + quoted(mine), limit: contradicted}
	}
	return objection{}
}

// saidNearby reports whether a sentence around the quote q says in the claim's
// arrangement what q says in another.
func (j *Judge) saidNearby(s *scratch, contexts []string, q quote) bool {
	a, b := &s.claimSide, &s.quoteSide
	for _, span := range j.sentences(s, contexts, q.chunk, q.start) {
		if span[0] == q.start {
			continue
		}
		b.read(j.lex, contexts[q.chunk][span[0]:span[1]])
		if a.saysAllOf(b) {
			return true
		}
		s.claimRoles = a.roles(s.claimRoles[:0], j.lex)
		s.quoteRoles = b.roles(s.quoteRoles[:0], j.lex)
		for i := range s.claimRoles {
			if s.quoteSays(&s.claimRoles[i]) {
				return true
			}
		}
	}
	return false
}

// quantified returns the first content word that the word of quantity at token
// i is said of, -1 for none: "all of the students". A phrase such as "in all"
// or "all over" says nothing of that kind.
func (x *side) quantified(i int) int {
	if i > 0 {
		switch x.lower(i - 1) {
		case "at", "in", "after", "above", "for", "not":
			if x.lower(i) == "all" {
				return -1
			}
		}
	}
	for k := i + 1; k < len(x.tokens) && x.gap(k) == " "; k++ {
		if !x.tokens[k].Is(lexicon.Stop) {
			if x.tokens[k].Class&(lexicon.Number|lexicon.Numeral|lexicon.Partial) != 0 {
				return -1
			}
			return k
		}
		switch x.lower(k) {
		case "of", "the", "these", "those", "its", "their", "his", "her", "our":
		default:
			if !x.tokens[i].Is(lexicon.Frequency) {
				return -1
			}
		}
	}
	return -1
}

// lessSaid finds what x says of all and y only of some, and returns what each
// says, or nothing.
func (x *side) lessSaid(y *side) (all, some string) {
	left := maxRoles
	for i := range x.tokens {
		if !x.tokens[i].Is(lexicon.Universal) {
			continue
		}
		if left == maxRoles && x.saysAllOf(y) || left == 0 {
			break
		}
		left--
		k := x.quantified(i)
		if k < 0 {
			continue
		}
		often := x.tokens[i].Is(lexicon.Frequency)
		for m := range y.tokens {
			if !y.partial(m) || y.tokens[m].Is(lexicon.Frequency) != often {
				continue
			}
			if n := y.partOf(m, x.tokens[k].Key); n >= 0 {
				return x.text[x.tokens[i].Start:x.tokens[k].End], y.text[y.tokens[m].Start:y.tokens[n].End]
			}
		}
	}
	return "", ""
}

// saysAllOf reports whether y, too, has a word for all.
func (x *side) saysAllOf(y *side) bool {
	for i := range y.tokens {
		if y.tokens[i].Is(lexicon.Universal) {
			return true
		}
	}
	return false
}

// partial reports whether token i says that of what follows some is meant: a
// word for it, or a number before "of the".
func (x *side) partial(i int) bool {
	t := &x.tokens[i]
	switch {
	case t.Is(lexicon.Partial):
		return true
	case t.Class&(lexicon.Number|lexicon.Numeral) == 0 || i+2 >= len(x.tokens):
		return false
	}
	k := i + 1
	if x.tokens[k].Is(lexicon.Unit) && x.lower(k) == "percent" {
		k++
	}
	return k+1 < len(x.tokens) && x.lower(k) == "of" && x.tokens[k+1].Is(lexicon.Stop) && t.Value != 100
}

// partOf returns the token with the key that the word of quantity at token i
// is said of, with at most one adjective between, -1 for none.
func (x *side) partOf(i int, key uint64) int {
	words := 0
	for k := i + 1; k < len(x.tokens) && words < 2; k++ {
		g := x.gap(k)
		if g != " " && g != "% " {
			return -1
		}
		t := &x.tokens[k]
		if t.Is(lexicon.Stop) {
			switch x.lower(k) {
			case "of", "the", "these", "those", "its", "their", "his", "her", "our", "a":
				continue
			}
			if x.tokens[i].Is(lexicon.Frequency) {
				continue
			}
			return -1
		}
		if t.Key == key {
			// Of a noun such as "wing" only what "of" joins to it is its whole.
			if x.tokens[i].Is(lexicon.Stop) || x.tokens[i].Is(lexicon.Frequency) || x.lower(i+1) == "of" || x.tokens[i].Class&(lexicon.Number|lexicon.Fraction) != 0 || x.quantifier(i) {
				return k
			}
			return -1
		}
		words++
	}
	return -1
}

// quantifier reports whether the word for some at token i needs no "of".
func (x *side) quantifier(i int) bool {
	switch x.lower(i) {
	case "many", "several":
		return true
	}
	return x.tokens[i].Is(lexicon.Polarity) // few
}
