package lexical

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// findRearrangement returns an objection if the quote contains the words of the claim
// with a different meaning: swapped roles, a number in a different year, or "some"
// instead of "all".
func (j *Judge) findRearrangement(s *scratch, c *claim) objection {
	a, b := &s.claimStmt, &s.quoteStmt
	if a.negations != 0 || b.negations != 0 {
		return objection{}
	}
	if all, some := a.findGeneralization(b); all != "" {
		o := notStated(some, all)
		o.incomplete = true
		return o
	}
	if claimed, stated := s.findYearMismatch(c); claimed != "" {
		return notStated(stated, claimed)
	}
	if a.ambiguous || b.ambiguous {
		return objection{}
	}
	if claimed, stated := s.findSwappedRoles(j.lex); claimed != "" {
		return notStated(stated, claimed)
	}
	return objection{}
}

// statedNearby reports whether another sentence near the quote q states a role of the
// claim or contains a universal quantifier.
func (j *Judge) statedNearby(s *scratch, contexts []string, q quote) bool {
	a, b := &s.claimStmt, &s.quoteStmt
	for _, span := range j.sentences(s, contexts, q.chunk, q.start) {
		if span[0] == q.start {
			continue
		}
		b.parse(j.lex, contexts[q.chunk][span[0]:span[1]])
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

// findGeneralization finds a universal statement in x that y restricts to some cases.
// It returns both phrases, or empty strings.
func (x *statement) findGeneralization(y *statement) (all, some string) {
	remaining := maxRoles
	for i := range x.tokens {
		if !x.tokens[i].Is(lexicon.Universal) {
			continue
		}
		if remaining == maxRoles && y.hasUniversal() || remaining == 0 {
			break
		}
		remaining--
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

// hasUniversal reports whether x contains a universal quantifier, such as "all".
func (x *statement) hasUniversal() bool {
	return slices.ContainsFunc(x.tokens, func(t lexicon.Token) bool { return t.Is(lexicon.Universal) })
}

// quantified returns the token index of the first content word that the quantifier at
// token i applies to: "students" in "all of the students". It returns -1 if there is
// none, as in "in all" or "all over".
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

// isDeterminer reports whether a word may separate a quantifier from its noun.
func isDeterminer(word string) bool {
	switch word {
	case "of", "the", "these", "those", "its", "their", "his", "her", "our":
		return true
	}
	return false
}

// isPartial reports whether token i is a partial quantifier: a word such as "some", or
// a number before "of the".
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

// quantifiedWith returns the index of the token with this key that the quantifier at
// token i applies to, or -1. At most one adjective may precede the token.
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
			// A noun such as "wing" quantifies only before "of".
			if x.tokens[i].Class&(lexicon.Stop|lexicon.Frequency|lexicon.Number|lexicon.Fraction) != 0 || x.lower(i+1) == "of" || x.isAdjectival(i) {
				return k
			}
			return -1
		}
		words++
	}
	return -1
}

// isAdjectival reports whether the quantifier at token i directly precedes its noun.
func (x *statement) isAdjectival(i int) bool {
	switch x.lower(i) {
	case "many", "several":
		return true
	}
	return x.tokens[i].Is(lexicon.Polarity) // few
}

// findYearMismatch finds a number that the claim and the quote assign to different
// years, if the quote gives a different number with the same unit for the claim's year.
// It returns both phrases, or empty strings.
func (s *scratch) findYearMismatch(c *claim) (claim, quote string) {
	a, b := &s.claimStmt, &s.quoteStmt
	claimed := s.claimValues[c.values[0]:c.values[1]]
	var stated []number
	for i := 1; i < len(claimed); i++ {
		v, year := &claimed[i-1], &claimed[i]
		if !v.inYear(year, a.text) {
			continue
		}
		if stated == nil {
			stated = s.appendNumbers(nil, len(b.text), b.text, b.tokens)
		}
		otherValue, otherYear := false, -1
		for k := 1; k < len(stated); k++ {
			w, y := &stated[k-1], &stated[k]
			if !w.inYear(y, b.text) {
				if v.match(w) < levels || v.match(y) < levels && (k+1 == len(stated) || !y.inYear(&stated[k+1], b.text)) {
					return "", "" // the quote contains the number without a year
				}
				continue
			}
			sameValue, sameYear := v.match(w) < levels, year.match(y) == levelExact
			switch {
			case sameValue && sameYear:
				return "", ""
			case sameValue:
				otherYear = k
			case sameYear && v.Unit == w.Unit:
				otherValue = true
			}
		}
		if otherValue && otherYear > 0 {
			return a.text[v.Start:year.End], b.text[stated[otherYear-1].Start:stated[otherYear].End]
		}
	}
	return "", ""
}
