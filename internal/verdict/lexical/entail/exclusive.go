package entail

import "github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"

// exclusive finds a claim that says "only" where the statement does not, or that adds
// something to what the statement restricts.
func (a *Alignment) exclusive() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if (c.seen|s.seen)&restrictive == 0 {
		return Finding{}, false
	}
	switch {
	case s.seen&restrictive == 0:
		i := c.onlyAt()
		if i < 0 {
			return Finding{}, false
		}
		k := c.contentAfter(i+1, 4)
		if c.Words[i].Lower == "alone" {
			k = c.contentBefore(i-1, 3)
		}
		if k < 0 || a.To[k] < 0 || !a.sameContext(k, a.To[k]) || s.limits() {
			return Finding{}, false
		}
		if j := s.addition(); j >= 0 {
			return a.differs(Quantifier, i, j)
		}
		return a.differs(Quantifier, i, a.To[k])
	case c.seen&restrictive == 0:
		j := s.onlyAt()
		if j < 0 {
			return Finding{}, false
		}
		k := s.contentAfter(j+1, 4)
		if k < 0 || a.From[k] < 0 || !a.sameContext(a.From[k], k) {
			return Finding{}, false
		}
		if i := c.addition(); i >= 0 && s.addition() < 0 {
			return a.differs(Quantifier, i, j)
		}
		if i := a.joined(a.From[k]); i >= 0 {
			return a.differs(Quantifier, i, j)
		}
	}
	return Finding{}, false
}

// joined returns a word that the claim adds with "and" or "or" to the phrase of its word
// i and that the statement does not have, or -1.
func (a *Alignment) joined(i int) int {
	c := a.Claim
	for k := i + 1; k < len(c.Words) && k <= i+4 && !c.stopsAt(k); k++ {
		if w := c.Words[k].Lower; w != "and" && w != "or" {
			continue
		}
		for n := k + 1; n < len(c.Words) && n <= k+4 && !c.stopsAt(n); n++ {
			if c.Words[n].Content && a.To[n] < 0 {
				return n
			}
		}
	}
	return -1
}

// onlyAt returns a word such as "only" that excludes everything else, or -1. "Only two"
// and "not only" do not.
func (x *Sentence) onlyAt() int {
	if x.foreign {
		return x.find(restrictive)
	}
	for i := range x.Words {
		switch x.Words[i].Lower {
		case "only", "solely", "exclusively", "alone":
			switch n := x.lower(i + 1); {
			case x.lower(i-1) == "not" || x.lower(i-1) == "the" || x.lower(i-1) == "an":
			case x.isNumeric(i+1) || n == "a" || n == "an" || n == "about" || n == "if" || n == "when" || n == "some":
			default:
				return i
			}
		}
	}
	return -1
}

// addition returns a word such as "also", or -1.
func (x *Sentence) addition() int {
	for i := range x.Words {
		switch x.Words[i].Lower {
		case "also", "besides", "both", "additionally", "too":
			return i
		case "well":
			if x.lower(i-1) == "as" {
				return i
			}
		}
	}
	return -1
}

// limits reports whether x says in other words than "only" that something is limited to
// what it names: with a negation, a condition or a contrast.
func (x *Sentence) limits() bool {
	for i := range x.Words {
		w := &x.Words[i]
		if w.Is(lexicon.Negation) || w.traits&negative != 0 {
			return true
		}
		switch w.Lower {
		case "unless", "except", "until", "limited", "restricted", "reserved", "confined", "sole", "single", "exclusive", "unique", "but", "instead", "whereas", "remain", "other", "requires", "required", "must":
			return true
		}
	}
	return false
}
