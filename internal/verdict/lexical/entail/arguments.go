package entail

import "slices"

// arguments finds a predicate whose subject in the claim is its object in the statement.
func (a *Alignment) arguments() (Finding, bool) {
	if a.Stated.elliptic() {
		return Finding{}, false
	}
	c, s := a.Claim.parse(), a.Stated.parse()
	for i := range c.frames {
		f := &c.frames[i]
		if f.word < 0 || !a.Claim.Words[f.word].Content || a.isMutual(f.word) {
			continue
		}
		k := slices.IndexFunc(s.frames, func(g frame) bool { return g.word >= 0 && g.word == a.To[f.word] })
		if k >= 0 && a.swaps(f, &s.frames[k]) {
			return Finding{Kind: Roles, Stated: a.Stated.phrase(&s.frames[k]), Claimed: a.Claim.phrase(f)}, true
		}
	}
	return Finding{}, false
}

// isMutual reports whether word i of the claim is a predicate whose subject and object
// can be exchanged, such as "marry".
func (a *Alignment) isMutual(i int) bool {
	directed, known := a.c.lex.Directed(a.Claim.Words[i].Key)
	return known && !directed
}

// swaps reports whether the subject of f is not that of g but another argument of it.
func (a *Alignment) swaps(f, g *frame) bool {
	if f.subj < 0 || g.subj < 0 || f.pronoun || g.pronoun || a.aligned(f.subject, g.subject) || !a.inverted(f.subject, f.word, g.word) {
		return false
	}
	return a.aligned(f.subject, g.object) || a.aligned(f.subject, g.others) && a.aligned(f.object, g.subject)
}

// aligned reports whether a content word of the claim in words has a counterpart in to.
func (a *Alignment) aligned(words, to []int) bool {
	return slices.ContainsFunc(words, func(w int) bool {
		return a.To[w] >= 0 && a.Claim.Words[w].Content && slices.Contains(to, a.To[w])
	})
}

// inverted reports whether the words precede predicate p in the claim, but only follow its
// counterpart q in the statement, or the other way round.
func (a *Alignment) inverted(words []int, p, q int) bool {
	before, after := false, false
	for _, w := range words {
		if !a.Claim.Words[w].Content || a.To[w] < 0 {
			continue
		}
		for j := range a.Stated.Words {
			if a.Stated.Words[j].Key == a.Claim.Words[w].Key {
				before, after = before || j < q, after || j > q
			}
		}
	}
	if len(words) == 0 || before == after {
		return false
	}
	return after == (words[0] < p)
}

// phrase returns the words of a frame from its subject to its predicate.
func (x *Sentence) phrase(f *frame) Phrase {
	first, last := f.word, f.word
	for _, w := range f.subject {
		first, last = min(first, w), max(last, w)
	}
	return x.Span(first, last)
}
