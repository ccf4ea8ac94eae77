package entail

// cancels reports whether the sentences say the same with opposite signs, so that a
// negation or an opposite in one of them makes no difference: "not more than" and "up to",
// "not every" and "some do not".
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
	return false
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
