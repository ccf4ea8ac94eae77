package entail

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/lexicon"
)

// polarity finds a negation or an opposite that only one of the sentences has.
func (a *Alignment) polarity() (Finding, bool) {
	c, s := a.Claim, a.Stated
	if s.elliptic() || a.restated() || a.limited() {
		return Finding{}, false
	}
	for _, q := range s.cues() {
		if a.From[q.at] >= 0 {
			continue // the claim has it too, or an opposite
		}
		j := s.alternative(q, a.From)
		if j < 0 || a.From[j] < 0 || s.isContrast(q) && slices.ContainsFunc(a.From[q.end:], func(i int) bool { return i >= 0 }) {
			continue
		}
		i := a.From[j]
		if a.How[i] == Opposite || c.negated(i) || s.affirms(j) || s.isSupposed(q.at) && !c.isSupposed(i) {
			continue
		}
		return Finding{Kind: Polarity, Stated: s.between(q.at, j), Claimed: c.Span(i, i), Denies: s.isExplicit(q)}, true
	}
	for _, q := range c.cues() {
		if a.To[q.at] >= 0 {
			continue
		}
		i := q.target
		if i < 0 || a.To[i] < 0 {
			continue
		}
		j := a.To[i]
		if a.How[i] == Opposite || s.negated(j) || c.affirms(i) {
			continue
		}
		return Finding{Kind: Polarity, Stated: s.Span(j, j), Claimed: c.between(q.at, i), Denies: c.isExplicit(q)}, true
	}
	if i, j := a.excepted(); j >= 0 {
		return Finding{Kind: Polarity, Stated: s.Span(s.Clauses[s.Words[j].Clause].First, j), Claimed: c.Span(i, i), Denies: true}, true
	}
	for i, how := range a.How {
		if how != Opposite {
			continue
		}
		j := a.To[i]
		if c.negated(i) != s.negated(j) || a.From[j] != i || c.compares(i) && s.compares(j) || c.Has(s.Words[j].Key) || c.isName(i) || s.isName(j) {
			continue
		}
		return Finding{Kind: Antonym, Stated: s.Span(j, j), Claimed: c.Span(i, i), Denies: true}, true
	}
	return Finding{}, false
}

// excepted returns a word of a claim without negations, and its counterpart in an exception from
// what the claim says: "every day except Tuesday". It returns -1 if there is none.
func (a *Alignment) excepted() (i, j int) {
	c, s := a.Claim, a.Stated
	if len(c.cues()) > 0 || len(s.cues()) > 0 || c.hasException() || c.contains("but") || slices.Contains(a.How, Opposite) {
		return -1, -1
	}
	const minCoverage = 0.95
	i, j, last := -1, -1, 0
	for k, to := range a.To {
		if last = max(last, to); to >= 0 && s.Clauses[s.Words[to].Clause].Kind == Exception && !s.affirms(to) {
			i, j = k, to
		}
	}
	if j < 0 || a.Coverage() < minCoverage || last >= s.phraseEnd(s.Clauses[s.Words[j].Clause].First) { // the text after the exception says more about it
		return -1, -1
	}
	return i, j
}

// hasException reports whether a clause of x is an exception.
func (x *Sentence) hasException() bool {
	return slices.ContainsFunc(x.Clauses, func(cl Clause) bool { return cl.Kind == Exception })
}

// alternative returns the target of q if it is aligned, and otherwise an aligned word that "or"
// joins to it, as in "cannot be exchanged or refunded", that follows it in another language, as in
// "n'a pas de balcon", or that x denies with a verb that it also affirms, as in "includes lunch but
// does not include dinner".
func (x *Sentence) alternative(q cue, aligned []int) int {
	if q.target < 0 || aligned[q.target] >= 0 {
		return q.target
	}
	if k := q.target + 2; k < q.end && (x.lower(k-1) == "or" || x.lower(k-1) == "nor") && aligned[k] >= 0 {
		return k
	}
	if k := q.target + 1; x.foreign && k < q.end && aligned[k] >= 0 && !x.stopsAt(k) {
		return k
	}
	repeated := slices.ContainsFunc(x.Words[:q.at], func(w Word) bool { return w.Key == x.Words[q.target].Key })
	for k := q.target + 1; repeated && k < q.end; k++ {
		if x.Words[k].Content && aligned[k] >= 0 {
			return k
		}
	}
	return q.target
}

// isContrast reports whether q starts a clause that only restricts the one before it: "but not on
// Sundays".
func (x *Sentence) isContrast(q cue) bool {
	const maxWords = 5
	cl := x.Clauses[x.Words[q.at].Clause]
	return x.Words[q.at].Lower == "not" && cl.First > 0 && x.lower(q.at-1) == "but" && cl.End-q.at <= maxWords
}

// isExplicit reports whether q is a negation or a predicate, unlike the "failure" in "a
// failure of the pump".
func (x *Sentence) isExplicit(q cue) bool {
	return x.Words[q.at].Is(lexicon.Negation) || x.isPredicate(q.at)
}

// isSupposed reports whether word i is in a clause that supposes something without stating
// it: "if the food does not arrive".
func (x *Sentence) isSupposed(i int) bool {
	cl := x.Clauses[x.Words[i].Clause]
	return cl.Kind == Condition && (x.lower(cl.First) == "if" || x.lower(cl.First) == "whether")
}

// restated reports whether a negation of the claim and one of the statement concern the same
// words. If one has more negations than the other, those that both have do not count.
func (a *Alignment) restated() bool {
	c, s := a.Claim, a.Stated
	differ := len(c.cues()) != len(s.cues())
	for _, p := range c.cues() {
		if differ && isShared(p, c, s, a.To) {
			continue
		}
		for _, q := range s.cues() {
			if differ && isShared(q, s, c, a.From) {
				continue
			}
			for i := p.at + 1; i < p.end; i++ {
				if j := a.To[i]; j > q.at && j < q.end || j >= 0 && q.target == j {
					return true
				}
			}
		}
	}
	return false
}

// isShared reports whether y also has the negation q of x: aligned with it, or as the same word
// before the same target.
func isShared(q cue, x, y *Sentence, aligned []int) bool {
	return aligned[q.at] >= 0 || q.target >= 0 && aligned[q.target] >= 0 && slices.ContainsFunc(y.cues(), func(p cue) bool {
		return y.Words[p.at].Lower == x.Words[q.at].Lower && p.target == aligned[q.target]
	})
}

// compares reports whether word i is a comparative before "than".
func (x *Sentence) compares(i int) bool {
	return x.lower(i+1) == "than" || x.lower(i+2) == "than" || x.lower(i+3) == "than"
}

// affirms reports whether x contains the word at i elsewhere without a negation.
func (x *Sentence) affirms(i int) bool {
	for k := range x.Words {
		if k != i && x.Words[k].Key == x.Words[i].Key && !x.negated(k) {
			return true
		}
	}
	return false
}

// limited reports whether an exception in one sentence is a restriction in the other: "not
// admitted unless", "admitted only with".
func (a *Alignment) limited() bool {
	c, s := a.Claim, a.Stated
	return c.seen&restrictive != 0 && s.excepts() || s.seen&restrictive != 0 && c.excepts()
}

// excepts reports whether x contains an exception, which turns a negation into a restriction.
func (x *Sentence) excepts() bool {
	return slices.ContainsFunc([]string{"unless", "except", "until", "without"}, x.contains)
}
