package entail

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// The shares of things that quantifiers stand for, in order.
const (
	shareFew = iota + 1
	shareSome
	shareMost
	shareAll
)

// shareAt returns the share that the quantifier at word i stands for, or 0.
func (x *Sentence) shareAt(i int) int {
	w := &x.Words[i]
	isUniversal, before := w.traits&universal != 0, x.lower(i-1)
	switch {
	case x.lower(i+1) == "of" && x.lower(i+2) == "the" && (x.isNumeric(i) || w.Is(lexicon.Partial)): // three of the, a wing of the
		return shareSome
	case w.traits&(universal|partial) == 0, x.lower(i+1) == "but", before == "at", // "all but one", "at all"
		!isUniversal && (before == "the" || before == "not" || before == "no"), x.isNumeric(i + 1):
		return 0
	case isUniversal && (before == "not" || before == "nearly" || before == "almost"):
		return shareMost
	case isUniversal:
		return shareAll
	}
	switch w.Lower {
	case "few", "minority":
		if before != "a" {
			return shareFew
		}
	case "most", "majority", "mostly", "usually", "generally", "typically", "mainly", "largely", "normally":
		return shareMost
	}
	return shareSome
}

// quantifies reports whether the quantifier at word i is about word k: it precedes it in
// the same phrase, or is an adverb in the same clause.
func (x *Sentence) quantifies(i, k int) bool {
	if x.Words[i].Class&lexicon.Frequency != 0 {
		return x.Words[i].Clause == x.Words[k].Clause
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

// unclaimedException returns an exception in the statement that the claim does not mention.
func (a *Alignment) unclaimedException() (Clause, bool) {
	if len(a.Claim.cues()) > 0 || len(a.Claim.Clauses) > 1 {
		return Clause{}, false
	}
	for _, cl := range a.Stated.Clauses {
		if cl.Kind == Exception && !slices.ContainsFunc(a.From[cl.First:cl.End], func(i int) bool { return i >= 0 }) {
			return cl, true
		}
	}
	return Clause{}, false
}

// restriction returns the index of an "only" that starts a phrase, or -1: "Only members may vote",
// but not "The bakery uses only flour from local mills". A sentence with a word such as "all" has
// none.
func (x *Sentence) restriction() int {
	if x.seen&restrictive == 0 || x.seen&universal != 0 {
		return -1
	}
	for i := range x.Words {
		if x.Words[i].traits&restrictive != 0 && (i == 0 || x.stopsAt(i)) {
			return i
		}
	}
	return -1
}

// quantifier finds a claim about all or most of the things of which the statement says
// less, or about few of those of which it says more.
func (a *Alignment) quantifier() (Finding, bool) {
	c, s := a.Claim, a.Stated
	for i := range c.Words {
		claimed := c.shareAt(i)
		if claimed == 0 {
			continue
		}
		k := c.contentAfter(i+1, 4)
		if c.Words[i].Class&lexicon.Frequency != 0 && (k < 0 || a.To[k] < 0) {
			k = c.contentBefore(i-1, 3)
		}
		if k < 0 || a.To[k] < 0 || a.How[k] == Opposite {
			continue
		}
		if cl, ok := a.unclaimedException(); ok && claimed == shareAll {
			return Finding{Kind: Quantity, Stated: s.Span(cl.First, cl.End-1), Claimed: c.Span(i, i)}, true
		}
		if j := s.restriction(); j >= 0 && claimed == shareAll && c.seen&restrictive == 0 {
			return Finding{Kind: Quantity, Stated: s.Span(j, j), Claimed: c.Span(i, i)}, true
		}
		at := -1
		for j := range s.Words {
			stated := s.shareAt(j)
			if stated == 0 || !s.quantifies(j, a.To[k]) {
				continue
			}
			if claimed < shareMost && claimed != shareFew || stated >= claimed && claimed != shareFew || stated <= claimed && claimed == shareFew {
				at = -1 // also said of as many
				break
			}
			at = j
		}
		if at >= 0 {
			return Finding{Kind: Quantity, Stated: s.Span(at, at), Claimed: c.Span(i, i)}, true
		}
	}
	return Finding{}, false
}
