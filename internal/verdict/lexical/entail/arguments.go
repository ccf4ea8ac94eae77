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
		if f.word < 0 || !a.Claim.Words[f.word].Content || a.How[f.word] == Opposite || a.isMutual(f.word) {
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
	if f.subj < 0 || g.subj < 0 || f.pronoun || g.pronoun || a.aligned(f.subject, g.subject) || !a.inverted(f, g) {
		return false
	}
	return a.aligned(f.subject, g.object) || a.aligned(f.subject, g.others) && a.aligned(slices.Concat(f.object, f.others), g.subject)
}

// aligned reports whether a content word of the claim in words has a counterpart in to.
func (a *Alignment) aligned(words, to []int) bool {
	return slices.ContainsFunc(words, func(w int) bool {
		return a.To[w] >= 0 && a.Claim.Words[w].Content && slices.Contains(to, a.To[w])
	})
}

// inverted reports whether the subject of f is on the other side of the predicate of g
// than a subject would be. This guards against errors of the parser.
func (a *Alignment) inverted(f, g *frame) bool {
	before, after := false, false
	for _, w := range f.subject {
		if !a.Claim.Words[w].Content || a.To[w] < 0 {
			continue
		}
		for j := range a.Stated.Words {
			if a.Stated.Words[j].Key == a.Claim.Words[w].Key && a.Stated.Words[j].Clause == a.Stated.Words[g.word].Clause {
				before, after = before || j < g.word, after || j > g.word
			}
		}
	}
	if g.passive {
		return before && !after
	}
	return after && !before
}

// phrase returns the words of a frame from its subject to its predicate.
func (x *Sentence) phrase(f *frame) Phrase {
	first, last := f.word, f.word
	for _, w := range f.subject {
		first, last = min(first, w), max(last, w)
	}
	return x.Span(first, last)
}
