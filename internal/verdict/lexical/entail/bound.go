package entail

import "github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"

// A bound says on which side of a number a value lies.
type bound int8

const (
	upper bound = -1 // at most, up to, less than
	lower bound = 1  // at least, from, more than
)

// HasNumber reports whether x contains a number in digits or words.
func (x *Sentence) HasNumber() bool {
	for i := range x.Words {
		if x.isNumeric(i) {
			return true
		}
	}
	return false
}

// boundAt returns the bound that the number at word i is, or 0 if it is exact.
func (x *Sentence) boundAt(i int) bound {
	b, at := bound(0), i
	for k := i - 1; k >= 0 && k >= i-4 && b == 0; k-- {
		if k+1 < i && x.isNumeric(k+1) {
			break
		}
		at = k
		if x.Words[k].traits&bounding == 0 {
			continue
		}
		switch x.Words[k].Lower {
		case "least", "minimum":
			b = lower
		case "most", "maximum":
			if x.Words[k].Lower == "maximum" || x.lower(k-1) == "at" {
				b = upper
			}
		case "up":
			if x.lower(k+1) == "to" {
				b = upper
			}
		case "over", "exceeding", "exceed", "exceeds", "above":
			if k >= i-2 {
				b = lower
			}
		case "under", "below", "within":
			if k >= i-2 {
				b = upper
			}
		case "more", "longer", "greater", "older", "higher", "larger":
			if x.lower(k+1) == "than" {
				b = lower
			}
		case "less", "fewer", "lower", "shorter", "smaller", "younger":
			if x.lower(k+1) == "than" {
				b = upper
			}
		}
	}
	for k := i + 1; b == 0 && k < len(x.Words) && k <= i+4 && !x.isNumeric(k); k++ {
		at = i
		if w := x.Words[k].Lower; w != "or" && w != "at" && w != "and" {
			continue
		}
		switch {
		case x.is(k, "or", "more"), x.is(k, "or", "longer"), x.is(k, "or", "over"), x.is(k, "and", "over"), x.is(k, "at", "least"), x.is(k, "and", "more"):
			return lower
		case x.is(k, "or", "less"), x.is(k, "or", "fewer"), x.is(k, "or", "under"), x.is(k, "at", "most"), x.is(k, "at", "the", "most"), x.is(k, "or", "shorter"):
			return upper
		}
	}
	for k := at - 1; k >= 0 && k >= at-3; k-- {
		if x.Words[k].Is(lexicon.Negation) && x.Words[k].Lower != "without" {
			return -b
		}
	}
	return b
}

// isCount reports whether word i is a number, or "once" or "twice".
func (x *Sentence) isCount(i int) bool {
	return x.isNumeric(i) || x.Words[i].Lower == "once" || x.Words[i].Lower == "twice"
}

// bounds finds the same number as a lower bound in one sentence and an upper bound in
// the other.
func (a *Alignment) bounds() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if c.seen&bounding == 0 || s.seen&bounding == 0 {
		return Finding{}, false
	}
	for i := range c.Words {
		if !c.isCount(i) {
			continue
		}
		j := a.To[i]
		if j < 0 && !c.Words[i].Content {
			for k := range s.Words {
				if s.Words[k].Key == c.Words[i].Key {
					j = k
				}
			}
		}
		if j < 0 {
			continue
		}
		x, y := c.boundAt(i), s.boundAt(j)
		if x*y >= 0 || !a.sameContext(i, j) || a.opposed() {
			continue
		}
		return Finding{Kind: Quantity, Stated: s.around(j), Claimed: c.around(i)}, true
	}
	return Finding{}, false
}

// sameBound reports whether the sentences give bounds of the same number with the sign
// want: 1 for the same bound, -1 for opposite ones.
func (a *Alignment) sameBound(want bound) bool {
	c, s := a.Claim, a.Stated
	for i := range c.Words {
		if j := a.To[i]; c.isCount(i) && j >= 0 {
			if c.boundAt(i)*s.boundAt(j) == want {
				return true
			}
		}
	}
	return false
}

// around returns the words around word i.
func (x *Sentence) around(i int) Phrase { return x.Span(max(0, i-3), min(len(x.Words)-1, i+2)) }

// opposed reports whether a word of the claim is aligned with an opposite.
func (a *Alignment) opposed() bool {
	for i, how := range a.How {
		if how == Opposite && !a.Claim.isNumeric(i) {
			switch a.Claim.Words[i].Lower {
			case "least", "most", "more", "less", "fewer", "maximum", "minimum":
			default:
				return true
			}
		}
	}
	return false
}
