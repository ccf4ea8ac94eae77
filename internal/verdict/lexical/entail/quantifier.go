package entail

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// The shares of things that quantifiers stand for, in order.
const (
	shareFew = iota + 1
	shareSome
	shareMany
	shareMost
	shareAll
)

// shareAt returns the share that the quantifier at word i stands for, or 0.
func (x *Sentence) shareAt(i int) int {
	w := &x.Words[i]
	if w.Lower == "any" && x.isFreeChoice(i) {
		return shareAll
	}
	if x.isNumeric(i) && w.Value != 100 && x.isShare(i) {
		return shareSome
	}
	if w.traits&(universal|partial) == 0 || x.isNumeric(i+1) && w.Lower == "some" {
		return 0
	}
	switch before := x.lower(i - 1); {
	case before == "not" || before == "no" || before == "nearly" || before == "almost" || before == "n't":
		if w.traits&universal != 0 {
			return shareMost
		}
		return 0
	case x.lower(i+1) == "but" || before == "at" || before == "the" && w.traits&partial != 0 && w.Lower != "majority" && w.Lower != "minority":
		return 0 // "all but one", "at all", "the most"
	}
	if w.traits&universal != 0 {
		return shareAll
	}
	switch w.Lower {
	case "few", "minority":
		if w.Lower == "few" && x.lower(i-1) == "a" {
			return shareSome
		}
		return shareFew
	case "many", "often", "frequently", "numerous":
		return shareMany
	case "most":
		// "most branches", but not "most important".
		if n := x.lower(i + 1); n != "of" && (!strings.HasSuffix(n, "s") && !strings.HasSuffix(x.lower(i+2), "s")) {
			return 0
		}
		return shareMost
	case "majority", "mostly", "usually", "generally", "typically", "mainly", "largely", "normally":
		return shareMost
	}
	return shareSome
}

// isShare reports whether the number at word i is a part of a number or of a group: "two
// of the nine", "one in ten", "half the".
func (x *Sentence) isShare(i int) bool {
	switch x.lower(i + 1) {
	case "of":
		switch x.lower(i + 2) {
		case "the", "its", "their", "our", "these", "those", "all":
			return true
		}
		return x.Words[i].Lower == "one" || x.Words[i].Lower == "half"
	case "the", "all":
		return x.Words[i].Lower == "half"
	case "in", "out":
		return x.isNumeric(i+2) && x.Words[i].Lower == "one" || x.is(i+1, "out", "of")
	}
	return false
}

// isFreeChoice reports whether the "any" at word i means each one, as it does where
// nothing is denied, asked or supposed.
func (x *Sentence) isFreeChoice(i int) bool {
	for k := range i {
		w := &x.Words[k]
		switch w.Lower {
		case "if", "whether", "unless", "before", "without", "or", "than", "when", "deny", "any":
			return false
		}
		if w.Is(lexicon.Negation) || w.traits&negative != 0 {
			return false
		}
	}
	return x.lower(i+1) != "other" && x.lower(i+1) != "of" && x.lower(i+1) != "more"
}

// quantifies reports whether the quantifier at word i is about word k: it precedes it in
// the same phrase, or is an adverb in the same clause.
func (x *Sentence) quantifies(i, k int) bool {
	w := &x.Words[i]
	if w.Class&lexicon.Frequency != 0 {
		return w.Clause == x.Words[k].Clause
	}
	if k < i || k > i+5 {
		return false
	}
	for n := i + 1; n <= k; n++ {
		if x.stopsAt(n) || n < k && isAuxiliary(x.Words[n].Lower) {
			return false
		}
	}
	return true
}

// quantifier finds a claim about more, or about fewer, of the same things than the
// statement: all instead of some, only some instead of all.
func (a *Alignment) quantifier() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for i := range c.Words {
		claimed := c.shareAt(i)
		if claimed == 0 {
			continue
		}
		k := c.contentAfter(i+1, 4)
		if c.Words[i].Is(lexicon.Ideogram) && k >= 0 && a.To[k] < 0 {
			k = c.contentAfter(k+1, 3) // k is the pair across the end of the quantifier
		}
		adverb := c.Words[i].Class&lexicon.Frequency != 0
		if adverb && (k < 0 || a.To[k] < 0) {
			k = c.contentBefore(i-1, 3)
		}
		if k < 0 || a.To[k] < 0 || a.How[k] == Opposite {
			continue
		}
		if claimed >= shareMany && a.hasShare(claimed, a.To[k]) {
			continue
		}
		onlySome := claimed <= shareMany && claimed != shareFew && (isRestrictive(c.lower(i-1)) || c.lower(i-1) == "a" && isRestrictive(c.lower(i-2)))
		for j := range s.Words {
			stated := s.shareAt(j)
			if stated == 0 || !s.quantifies(j, a.To[k]) || adverb != (s.Words[j].Class&lexicon.Frequency != 0) {
				continue
			}
			switch {
			case claimed == shareAll && stated < shareAll, claimed >= stated+2:
				return a.differs(Quantity, i, j)
			case claimed == shareFew && stated >= shareMany, onlySome && stated >= shareMost:
				return a.differs(Quantity, i, j)
			}
		}
		if claimed == shareAll && c.seen&restrictive == 0 && !c.isAnaphoric(i) && a.How[k] != Derived {
			if j := a.narrowed(a.To[k]); j >= 0 {
				return a.differs(Quantity, i, j)
			}
		}
	}
	return Finding{}, false
}

// hasShare reports whether the statement too has a quantifier of at least the given share
// that is about its word j.
func (a *Alignment) hasShare(share, j int) bool {
	s := a.Stated
	for q := range s.Words {
		if s.shareAt(q) >= share && s.quantifies(q, j) {
			return true
		}
	}
	return false
}

func isRestrictive(w string) bool {
	switch w {
	case "only", "just", "merely", "solely", "exclusively":
		return true
	}
	return false
}

// narrowed returns the word by which the statement narrows the noun phrase around its
// word j to fewer things than the claim speaks of: "only", or a preposition or pronoun
// after the phrase, as in "branches in the capital", or a part before it, as in "the wing
// of the castle". It returns -1 if there is none.
func (a *Alignment) narrowed(j int) int {
	s := a.Stated
	for k := s.Clauses[s.Words[j].Clause].First; s.seen&restrictive != 0 && k < s.Clauses[s.Words[j].Clause].End; k++ {
		if s.contentAfter(k+1, 2) == j {
			continue // "uses only flour from here": all of its flour is from here
		}
		switch s.Words[k].Lower {
		case "only", "solely", "exclusively", "alone":
			if s.lower(k-1) != "not" && s.lower(k+1) != "to" && (!s.isNumeric(k+1) || s.contentAfter(k+2, 3) < 0) {
				return k
			}
		}
	}
	if k := s.others(); k >= 0 && j > k && j <= k+4 || k >= 0 && s.Words[k].Clause != s.Words[j].Clause || k >= 0 && s.Words[j].Lower == s.lower(k+1) {
		return k
	}
	if s.seen&universal != 0 {
		return -1
	}
	first := j
	for first > 0 && !s.stopsAt(first) && (s.Words[first-1].Content && a.From[first-1] >= 0 || s.lower(first-1) == "the") {
		first--
	}
	if first > 1 && s.lower(first-1) == "of" && s.Words[first-2].Is(lexicon.Partial) { // "the northern wing of the castle"
		return first - 2
	}
	for j+1 < len(s.Words) && s.Words[j+1].Content && a.From[j+1] >= 0 && !s.stopsAt(j+1) {
		j++
	}
	if j+1 >= len(s.Words) || s.stopsAt(j+1) {
		return -1
	}
	switch s.Words[j+1].Lower {
	case "in", "with", "who", "under", "over", "on", "from", "without", "aged", "above", "below":
		if k := s.contentAfter(j+2, 3); k >= 0 && a.From[k] < 0 {
			return k
		}
	}
	return -1
}

// others returns a word that starts a statement about the other things of a kind: "all
// other stalls", "those elsewhere", "the rest". It returns -1 if there is none.
func (x *Sentence) others() int {
	for i := range x.Words {
		switch x.Words[i].Lower {
		case "other", "others", "elsewhere", "rest", "remaining", "otherwise":
			for k := i; k > 0 && k > i-4; k-- {
				if w := x.lower(k); w == "and" || w == "or" || w == "than" {
					break
				}
				if x.stopsAt(k) {
					return i
				}
			}
		}
	}
	return -1
}

// isAnaphoric reports whether the quantifier at word i is about things named before, or
// itself means the others: "all of these", "all other stalls".
func (x *Sentence) isAnaphoric(i int) bool {
	for k := i + 1; k < len(x.Words) && k <= i+2; k++ {
		switch x.Words[k].Lower {
		case "these", "those", "this", "that", "them", "other", "others", "such", "which", "it":
			return true
		}
	}
	return false
}
