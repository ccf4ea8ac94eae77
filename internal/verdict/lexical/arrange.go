package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// rearranged looks, in a quote that has nearly all words of the claim, for an
// arrangement of them with a different meaning: swapped roles, a number in a
// different year, or some for all.
func (j *Judge) rearranged(s *scratch, c *claim) objection {
	a, b := &s.claimStmt, &s.quoteStmt
	if a.negations != 0 || b.negations != 0 {
		return objection{}
	}
	if all, some := a.generalizes(b); all != "" {
		o := notStated(some, all)
		o.incomplete = true
		return o
	}
	if claimed, stated := s.otherYear(j.lex, c); claimed != "" {
		return notStated(stated, claimed)
	}
	if a.unclear || b.unclear {
		return objection{}
	}
	if claimed, stated := s.swapped(j.lex); claimed != "" {
		return notStated(stated, claimed)
	}
	return objection{}
}

// saidNearby reports whether a sentence around the quote q has the claim's
// arrangement of the words.
func (j *Judge) saidNearby(s *scratch, contexts []string, q quote) bool {
	a, b := &s.claimStmt, &s.quoteStmt
	for _, span := range j.sentences(s, contexts, q.chunk, q.start) {
		if span[0] == q.start {
			continue
		}
		b.read(j.lex, contexts[q.chunk][span[0]:span[1]])
		if b.hasUniversal() {
			return true
		}
		s.claimRoles = a.roles(s.claimRoles[:0], j.lex)
		s.quoteRoles = b.roles(s.quoteRoles[:0], j.lex)
		for i := range s.claimRoles {
			if s.quoteHasRole(&s.claimRoles[i]) {
				return true
			}
		}
	}
	return false
}

// generalizes looks for something that x says of all and y only of some. It returns
// what each says, or "".
func (x *statement) generalizes(y *statement) (all, some string) {
	left := maxRoles
	for i := range x.tokens {
		if !x.tokens[i].Is(lexicon.Universal) {
			continue
		}
		if left == maxRoles && y.hasUniversal() || left == 0 {
			break
		}
		left--
		k := x.quantified(i)
		if k < 0 {
			continue
		}
		frequency := x.tokens[i].Is(lexicon.Frequency)
		for m := range y.tokens {
			if !y.isPartial(m) || y.tokens[m].Is(lexicon.Frequency) != frequency {
				continue
			}
			if n := y.quantifiedWith(m, x.tokens[k].Key); n >= 0 {
				return x.text[x.tokens[i].Start:x.tokens[k].End], y.text[y.tokens[m].Start:y.tokens[n].End]
			}
		}
	}
	return "", ""
}

// hasUniversal reports whether x has a word such as "all".
func (x *statement) hasUniversal() bool {
	for i := range x.tokens {
		if x.tokens[i].Is(lexicon.Universal) {
			return true
		}
	}
	return false
}

// quantified returns the first content word that the quantifier at token i applies
// to, or -1: "students" in "all of the students". Phrases such as "in all" or "all
// over" do not quantify.
func (x *statement) quantified(i int) int {
	if i > 0 && x.lower(i) == "all" {
		switch x.lower(i - 1) {
		case "at", "in", "after", "above", "for", "not":
			return -1
		}
	}
	for k := i + 1; k < len(x.tokens) && x.gap(k) == " "; k++ {
		if !x.tokens[k].Is(lexicon.Stop) {
			if x.tokens[k].Class&(lexicon.Number|lexicon.Numeral|lexicon.Partial) != 0 {
				return -1
			}
			return k
		}
		if !x.tokens[i].Is(lexicon.Frequency) && !isDeterminer(x.lower(k)) {
			return -1
		}
	}
	return -1
}

// isDeterminer reports whether a word may stand between a quantifier and its noun.
func isDeterminer(word string) bool {
	switch word {
	case "of", "the", "these", "those", "its", "their", "his", "her", "our":
		return true
	}
	return false
}

// isPartial reports whether token i restricts what follows to a part of it: a word
// such as "some", or a number before "of the".
func (x *statement) isPartial(i int) bool {
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

// quantifiedWith returns the token with a key that the quantifier at token i applies
// to, or -1. At most one adjective may precede it.
func (x *statement) quantifiedWith(i int, key uint64) int {
	words := 0
	for k := i + 1; k < len(x.tokens) && words < 2; k++ {
		g := x.gap(k)
		if g != " " && g != "% " {
			return -1
		}
		t := &x.tokens[k]
		if t.Is(lexicon.Stop) {
			if w := x.lower(k); !isDeterminer(w) && w != "a" && !x.tokens[i].Is(lexicon.Frequency) {
				return -1
			}
			continue
		}
		if t.Key == key {
			// The whole of a noun such as "wing" follows "of".
			if x.tokens[i].Class&(lexicon.Stop|lexicon.Frequency|lexicon.Number|lexicon.Fraction) != 0 || x.lower(i+1) == "of" || x.needsNoOf(i) {
				return k
			}
			return -1
		}
		words++
	}
	return -1
}

// needsNoOf reports whether the quantifier at token i directly precedes its noun.
func (x *statement) needsNoOf(i int) bool {
	switch x.lower(i) {
	case "many", "several":
		return true
	}
	return x.tokens[i].Is(lexicon.Polarity) // few
}

// otherYear looks for a number that the claim and the quote put in different years,
// if the quote has a different number of the same kind for the claim's year. It
// returns what each says, or "".
func (s *scratch) otherYear(l *lexicon.Lexicon, c *claim) (claim, quote string) {
	a, b := &s.claimStmt, &s.quoteStmt
	claimed := s.claimValues[c.values[0]:c.values[1]]
	var stated []quantity.Value
	for i := 1; i < len(claimed); i++ {
		v, year := &claimed[i-1], &claimed[i]
		if !v.InYear(year, a.text, a.tokens) {
			continue
		}
		if stated == nil {
			stated = quantity.Append(nil, len(b.text), l, b.text, b.tokens)
		}
		other, elsewhere := false, -1
		for k := 1; k < len(stated); k++ {
			w, y := &stated[k-1], &stated[k]
			if !w.InYear(y, b.text, b.tokens) {
				if v.Match(w, l) > 0 || v.Match(y, l) > 0 && (k+1 == len(stated) || !y.InYear(&stated[k+1], b.text, b.tokens)) {
					return "", "" // the quote has the number without a year
				}
				continue
			}
			sameValue, sameYear := v.Match(w, l) > 0, year.Num == y.Num
			switch {
			case sameValue && sameYear:
				return "", ""
			case sameValue:
				elsewhere = k
			case sameYear && v.Unit == w.Unit:
				other = true
			}
		}
		if other && elsewhere > 0 {
			return a.text[v.Start:year.End], b.text[stated[elsewhere-1].Start:stated[elsewhere].End]
		}
	}
	return "", ""
}
