package lexical

import (
	"cmp"
	"sort"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/values"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An objection is a reason why the contexts do not support a claim.
type objection struct {
	reason   string
	stated   string  // words of the contexts that differ from the claim, or ""
	maxScore float64 // upper bound of the claim's score, or 0 if it depends on the score
	basis    basis
	at       quote // the passage that states it, if it is not the best one
}

const maxContradictedScore = 0.2

// minCoverageForValue is the minimum share of a claim, without a number or date, that a quote
// must cover for another one in it to contradict the claim.
const minCoverageForValue = 0.5

// maxValueChecks limits the values checked per claim. Each is compared with every value in
// the contexts.
const maxValueChecks = 16

// checkNumbers returns an objection if q has a number or date that resembles one of c which
// the contexts lack.
func (s *scratch) checkNumbers(c *claim, contexts []string, q quote) objection {
	remaining := maxValueChecks
	for i := c.terms[0]; i < c.terms[1] && remaining > 0; i++ {
		t := &s.terms[i]
		if t.value < 0 || t.best < levels || s.claimValues[t.value].Loose || verdict.InMarker(c.text, int(t.start), int(t.end)) ||
			float64(q.covered) < minCoverageForValue*float64((c.total-t.weight)*exactCredit) {
			continue
		}
		remaining--
		v := &s.claimValues[t.value]
		if n, similarity := s.nearestValue(c, v, contexts); n != nil && n.within(q) && (similarity >= minSimilarity || v.Noun != "" && values.CountsAlike(&v.Value, &n.Value)) {
			other, claimed := n.in(contexts), textValue{c.text, v.Start, v.End}
			reason := otherValue(other, claimed)
			if s.isAbsent(c, t, contexts) {
				reason = notInContexts(claimed.value(), other.value())
			}
			return objection{reason: reason, stated: other.value(), maxScore: maxContradictedScore, basis: c.valueBasis()}
		}
	}
	return objection{}
}

// otherValue returns the reason for a value that differs from a stated one. Values that
// look equal are quoted with the words around them, as in "at most 40" and "at least 40".
func otherValue(stated, claimed textValue) string {
	a, b := stated.value(), claimed.value()
	if strings.EqualFold(a, b) {
		a, b = stated.phrase(), claimed.phrase()
	}
	return otherWords(a, b)
}

// otherWords returns the reason for words that differ from stated ones.
func otherWords(stated, claimed string) string {
	if strings.EqualFold(stated, claimed) {
		return "the contexts say " + quotedValue(stated) + " with another limit, rate or sign"
	}
	return "the contexts say " + quotedValue(stated) + ", not " + quotedValue(claimed)
}

// notInContexts returns the reason for a value that is missing from the contexts.
func notInContexts(value, nearest string) string {
	if nearest == "" || nearest == value {
		return quotedValue(value) + " is not in the contexts"
	}
	return quotedValue(value) + " is not in the contexts (nearest: " + quotedValue(nearest) + ")"
}

// otherSign returns the objection that q has a word with another sign than the claim.
func otherSign(stated, claimed []byte, q quote) objection {
	return objection{reason: otherWords(string(stated), string(claimed)), stated: string(stated), maxScore: maxContradictedScore, basis: basisValue, at: q}
}

// valueBasis returns the basis of an objection to a value of c. A total or another value that
// may be computed from those in the contexts is not contradicted by them.
func (c *claim) valueBasis() basis {
	for w := range strings.FieldsFuncSeq(strings.ToLower(c.text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "total", "totals", "sum", "altogether", "together", "combined", "overall", "average", "difference", "remaining", "insgesamt", "zusammen", "ensemble", "conjunto":
			return basisMissing
		}
	}
	return basisValue
}

// minSimilarity is the similarity of values of the same kind, and the same unit or parts of the
// same date. Half of it suffices to quote a value as the nearest one.
const minSimilarity = 0.5

// within reports whether a value of the contexts is in the sentence q.
func (v *number) within(q quote) bool {
	return v.chunk == q.chunk && v.Start >= q.start && v.Start < q.end
}

// in returns a value of the contexts with its text.
func (v *number) in(contexts []string) textValue {
	return textValue{contexts[v.chunk], v.Start, v.End}
}

// Bonuses added to the similarity of a value when values are ranked.
const (
	bestChunkBonus     = 0.1 // the value is in the best chunk
	closestWindowBonus = 0.2 // the value is also in the closest window
)

// nearestValue returns the value in the contexts that is most similar to v, or nil, and the
// similarity. It prefers values in the closest window and its chunk.
func (s *scratch) nearestValue(c *claim, v *number, contexts []string) (best *number, highest float64) {
	bestRank := 0.0
	for i := range s.values {
		d := &s.values[i]
		similarity := values.Similarity(&v.Value, &d.Value)
		if similarity == 0 {
			continue
		}
		rank := similarity
		if d.chunk == c.best.chunk {
			rank += bestChunkBonus
			if d.Start >= int(c.best.from.start) && d.Start <= int(c.best.to.start) {
				rank += closestWindowBonus
			}
		}
		if rank > bestRank && !verdict.InMarker(contexts[d.chunk], d.Start, d.End) {
			best, highest, bestRank = d, similarity, rank
		}
	}
	return best, highest
}

// valuesIn returns those of the first maxValuesKept values of the contexts that are in the sentence q.
func (s *scratch) valuesIn(q quote) []number {
	at := func(offset int) int {
		return sort.Search(len(s.values), func(i int) bool {
			return cmp.Or(cmp.Compare(s.values[i].chunk, q.chunk), cmp.Compare(s.values[i].Start, offset)) >= 0
		})
	}
	return s.values[at(q.start):at(q.end)]
}
