package lexical

import (
	"slices"
	"sort"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// An objection is a reason why the contexts do not support a claim.
type objection struct {
	reason     string
	limit      float64 // upper bound of the score
	incomplete bool    // the contexts lack part of the claim, but do not contradict it
}

// Shares of a claim that the quoted sentence must have for a difference to be a
// contradiction, not a different subject. They were chosen on the suites of
// docs/accuracy.md.
const (
	minShareForValue    = 0.5 // a different number or date
	minShareForOpposite = 0.6 // an antonym
	nearlyAll           = 0.8 // an additional or a missing negation
)

const (
	contradicted  = 0.2 // upper bound of the score of a contradicted claim
	minSimilarity = 0.5 // of a value of the same kind, with the same unit or parts of the same date
	// maxValueChecks is how many values of a claim are looked for; each is compared
	// with every value of the contexts.
	maxValueChecks = 16
)

// contradiction looks in the best quote for a number or date other than the claim's,
// the opposite of one of its words, or a negation that only one of them has.
func (j *Judge) contradiction(s *scratch, c *claim, contexts []string, quotes []quote) objection {
	if len(quotes) == 0 {
		return objection{}
	}
	q := quotes[0]
	share := func(without int64) float64 {
		return float64(q.covered) / float64(max(1, (c.total-without)*exact))
	}
	a, b := &s.claimStmt, &s.quoteStmt
	a.read(j.lex, c.text)
	b.read(j.lex, contexts[q.chunk][q.start:q.end])
	left := maxValueChecks
	for i := c.terms[0]; i < c.terms[1] && left > 0; i++ {
		t := &s.terms[i]
		if t.value < 0 || t.best < levels || s.claimValues[t.value].Soft || share(t.weight) < minShareForValue ||
			verdict.InMarker(c.text, int(t.start), int(t.end)) {
			continue
		}
		left--
		v := &s.claimValues[t.value]
		if n := s.nearest(j.lex, c, v, contexts); n.similarity >= minSimilarity && n.within(q) {
			return objection{reason: s.valueReason(c, t, n.text(contexts), contexts), limit: contradicted}
		}
		if other := a.otherNumber(b, v); other != "" {
			return objection{reason: s.valueReason(c, t, other, contexts), limit: contradicted}
		}
	}
	if share(0) < minShareForOpposite {
		return objection{}
	}
	o := j.oppositeOrNegation(s, c, share(0) >= nearlyAll)
	if o.reason != "" || c.best.score < j.opts.Threshold || c.best.score == 1 || share(0) < nearlyAll {
		return o
	}
	o = j.rearranged(s, c)
	if o.reason != "" && j.saidNearby(s, contexts, q) {
		return objection{}
	}
	return o
}

// sentenceContradicts looks for an antonym, a negation or a different arrangement in a
// sentence that has nearly all words of the claim.
func (j *Judge) sentenceContradicts(s *scratch, c *claim, sentence string) bool {
	s.claimStmt.read(j.lex, c.text)
	s.quoteStmt.read(j.lex, sentence)
	return j.oppositeOrNegation(s, c, true).reason != "" || j.rearranged(s, c).reason != ""
}

// oppositeOrNegation compares s.claimStmt and s.quoteStmt. Negations are compared only
// if the quote has nearly all of the claim.
func (j *Judge) oppositeOrNegation(s *scratch, c *claim, hasNearlyAll bool) objection {
	a, b := &s.claimStmt, &s.quoteStmt
	switch {
	case a.unclear || b.unclear:
	case a.negations == 0 && b.negations == 0:
		return j.opposite(s, c)
	case !hasNearlyAll:
	case a.negations == 0 && b.denies(a):
		return objection{reason: "the contexts deny the claim", limit: contradicted}
	case b.negations == 0 && a.denies(b):
		return objection{reason: "the claim denies what the contexts say", limit: contradicted}
	}
	return objection{}
}

// opposite looks for a word of the quote that is an antonym of a word of the claim
// and has the same neighbour.
func (j *Judge) opposite(s *scratch, c *claim) objection {
	a, b := &s.claimStmt, &s.quoteStmt
	var o objection
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 || t.best < levels {
			continue
		}
		j.lex.Related(t.key, func(k uint64, r lexicon.Relation) {
			if r != lexicon.Antonym || o.reason != "" || a.indexOf(k) >= 0 {
				return
			}
			x, y := a.indexOf(t.key), b.indexOf(k)
			if x >= 0 && y >= 0 && a.sameNeighbour(x, b, y) {
				o = notStated(b.word(y), a.word(x))
			}
		})
	}
	return o
}

// notStated returns the objection that the contexts state something other than what is
// claimed.
func notStated(stated, claimed string) objection {
	return objection{reason: "the contexts say " + quoted(stated) + ", not " + quoted(claimed), limit: contradicted}
}

// A similarValue is a value of the contexts that a claim may have got wrong.
type similarValue struct {
	value      *quantity.Value
	chunk      int
	similarity float64
}

// within reports whether the value is in the sentence q.
func (n *similarValue) within(q quote) bool {
	return n.chunk == q.chunk && n.value.Start >= q.start && n.value.Start < q.end
}

// text returns the value as the contexts write it, "" if it is not similar enough to
// be named.
func (n *similarValue) text(contexts []string) string {
	if n.value == nil || n.similarity < minSimilarity/2 {
		return ""
	}
	return n.value.Text(contexts[n.chunk])
}

// What a value gains in rank over equally similar ones if it is in the best chunk, and
// also if it is in the closest window.
const (
	inBestChunk     = 0.1
	inClosestWindow = 0.2
)

// nearest returns the value of the contexts that is most similar to v, with a
// preference for the closest window and its chunk.
func (s *scratch) nearest(l *lexicon.Lexicon, c *claim, v *quantity.Value, contexts []string) similarValue {
	var best similarValue
	bestRank := 0.0
	lo, hi := 0, len(s.values)
	if s.sparse != nil {
		lo, hi = s.valuesNear(c.best.from)
	}
	for i := lo; i < hi; i++ {
		d := &s.values[i]
		similarity := v.Similarity(d, l)
		if similarity == 0 {
			continue
		}
		chunk := int(s.valueChunks[i])
		rank := similarity
		if chunk == c.best.chunk {
			rank += inBestChunk
			if d.Start >= int(c.best.from.start) && d.Start <= int(c.best.to.start) {
				rank += inClosestWindow
			}
		}
		if rank > bestRank && !verdict.InMarker(contexts[chunk], d.Start, d.End) {
			bestRank = rank
			best = similarValue{value: d, chunk: chunk, similarity: similarity}
		}
	}
	return best
}

// valuesNear returns the range of the values of the contexts around h.
func (s *scratch) valuesNear(h hit) (lo, hi int) {
	at := sort.Search(len(s.values), func(i int) bool {
		return s.valueChunks[i] > h.chunk || s.valueChunks[i] == h.chunk && s.values[i].Start >= int(h.start)
	})
	return max(0, at-valuesBefore), min(len(s.values), at+valuesAfter)
}

// otherNumber returns the number of y that has the same neighbour as the plain number
// v has in x: "14 guest rooms" for "20 guest rooms". It returns "" if there is none.
func (x *statement) otherNumber(y *statement, v *quantity.Value) string {
	if v.Kind != quantity.Number || v.FirstToken != v.LastToken {
		return ""
	}
	n := slices.Index(x.content, v.FirstToken)
	if n < 0 {
		return ""
	}
	for m := range y.content {
		t := y.contentToken(m)
		if t.Class&(lexicon.Number|lexicon.Numeral) != 0 && t.Is(lexicon.Ordinal) == v.Ordinal && x.sameNeighbour(n, y, m) &&
			!verdict.InMarker(y.text, int(t.Start), int(t.End)) {
			return y.word(m)
		}
	}
	return ""
}
