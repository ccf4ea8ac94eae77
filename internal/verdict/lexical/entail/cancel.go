package entail

// cancels reports whether the sentences say the same with opposite signs, so that a
// negation or an opposite in one of them makes no difference: "refused unless" and
// "accepted only if", "not more than" and "up to", "not every" and "some do not",
// "A is heavier than B" and "B is lighter than A".
func (a *Alignment) cancels() bool {
	c, s := a.Claim, a.Stated
	claimed, stated := c.negations(0, len(c.Words)), s.negations(0, len(s.Words))
	if x, y := c.notAll(), s.notAll(); x && !y && stated > 0 || y && !x && claimed > 0 {
		return true
	}
	if bounded := a.Claim.seen & a.Stated.seen & bounding; bounded != 0 {
		if (claimed+stated)%2 == 1 && a.sameBound(1) || a.opposed() && a.sameBound(-1) {
			return true
		}
	}
	if (claimed+stated)%2 == 1 {
		if _, ok := a.reordered(); ok {
			return true
		}
	}
	if _, _, how := a.comparison(); how == sameOrder {
		return true
	}
	return a.restrictionsCancel()
}

// notAll reports whether x contains "not all" or the like.
func (x *Sentence) notAll() bool {
	for i := range x.Words {
		if x.Words[i].Lower == "not" && i+1 < len(x.Words) && x.Words[i+1].traits&universal != 0 {
			return true
		}
	}
	return false
}

// restrictionsCancel reports whether a condition has the opposite sign in the claim, and
// so has what it restricts, or whether the claim denies of an exception what the statement
// says of the rest.
func (a *Alignment) restrictionsCancel() bool {
	c := a.Claim
	var claimedBuf, statedBuf [maxRestrictions]restriction
	stated := a.Stated.restrictions(statedBuf[:0])
	if len(stated) == 0 {
		return false
	}
	claimed := c.restrictions(claimedBuf[:0])
	whole := restriction{at: len(c.Words), end: len(c.Words)}
	for _, y := range stated {
		for _, x := range claimed {
			if x.negative != y.negative && a.shared(x, y) > 0.5 && a.flipped(x, y) {
				return true
			}
		}
		if y.exception && len(claimed) == 0 && a.touched(y) && a.flipped(whole, y) {
			return true
		}
	}
	return false
}
