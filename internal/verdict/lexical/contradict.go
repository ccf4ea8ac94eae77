package lexical

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// An objection is a reason why the contexts do not support a claim.
type objection struct {
	reason   string
	stated   string  // words of the contexts that differ from the claim, or ""
	maxScore float64 // upper bound of the claim's score
	basis    basis
}

// The share of a claim that the quoted sentence must cover for a difference to count as
// a contradiction. Below it, the sentence may have a different subject. The constants
// were tuned on the suites in docs/accuracy.md.
const (
	minCoverageForValue    = 0.5 // for a different number or date
	minCoverageForAntonym  = 0.6
	minCoverageForNegation = 0.8
)

// minCoverageForStated is the minimum share of a claim that a quote must cover for the
// claim to be reported as stated in the quote.
const minCoverageForStated = 0.8

const (
	maxContradictedScore = 0.2
	minSimilarity        = 0.5 // values have the same kind, and the same unit or parts of the same date
	// maxValueChecks limits the values checked per claim. Each is compared with every
	// value in the contexts.
	maxValueChecks = 16
)

// findContradiction compares a claim with its best quote. It returns an objection if
// the quote contains a different number or date or an antonym, if only one of them is
// negated, or if they use the same words with a different meaning. valuesStated is set if
// the contexts state all numbers and dates of the claim.
func (j *Judge) findContradiction(s *scratch, c *claim, contexts []string, quotes []quote, valuesStated bool) objection {
	if len(quotes) == 0 {
		return objection{}
	}
	q := quotes[0]
	coverage := func(excluded int64) float64 {
		return float64(q.covered) / float64(max(1, (c.total-excluded)*exactCredit))
	}
	a, b := &s.claimStmt, &s.quoteStmt
	a.parse(j.lex, c.text)
	b.parse(j.lex, q.text(contexts))
	b.ambiguous = b.ambiguous || b.text != q.statement(contexts)
	remaining := maxValueChecks
	for i := c.terms[0]; i < c.terms[1] && remaining > 0 && !valuesStated; i++ {
		t := &s.terms[i]
		if t.value < 0 || t.best < levels || s.claimValues[t.value].Loose || coverage(t.weight) < minCoverageForValue ||
			verdict.InMarker(c.text, int(t.start), int(t.end)) {
			continue
		}
		remaining--
		v := &s.claimValues[t.value]
		if n := s.nearestValue(c, v, contexts); n.similarity >= minSimilarity && n.within(q) {
			return s.valueObjection(c, t, n.at(contexts), contexts)
		}
		if other := a.differentNumber(b, v); other.end > 0 {
			return s.valueObjection(c, t, other, contexts)
		}
	}
	if coverage(0) < minCoverageForAntonym {
		return objection{}
	}
	return j.findAntonymOrNegation(s, c, coverage(0) >= minCoverageForNegation)
}

// deniedScore is the score of a claim that denies a value where the contexts give another.
const deniedScore = 0.8

// deniesValue reports whether c only denies its value, so that another value in q supports it:
// "does not have 10 rooms" for 12 rooms.
func (s *scratch) deniesValue(c *claim, q quote) bool {
	a, b := &s.claimStmt, &s.quoteStmt
	if c.values[1]-c.values[0] != 1 || a.ambiguous || b.ambiguous || a.negations != 1 || b.negations != 0 || len(a.negated) != 1 || strings.HasSuffix(c.text, "?") {
		return false
	}
	for i := s.valueAt(q.chunk, q.start); i < len(s.values) && int(s.valueChunks[i]) == q.chunk && s.values[i].Start < q.end; i++ {
		if !s.values[i].IsPlain() {
			return false // "up to 12 rooms"
		}
	}
	v, n := &s.claimValues[c.values[0]], a.negated[0]
	isNext := slices.ContainsFunc(a.content[n:min(n+2, len(a.content))], func(i int) bool { return int(a.tokens[i].Start) >= v.Start && int(a.tokens[i].End) <= v.End })
	return isNext && v.IsPlain() && s.coverageWithout(c, v.Start, v.End) >= minRepeated
}

// findAntonymOrNegation compares s.claimStmt and s.quoteStmt. It compares negations
// only if checkNegation is set.
func (j *Judge) findAntonymOrNegation(s *scratch, c *claim, checkNegation bool) objection {
	a, b := &s.claimStmt, &s.quoteStmt
	switch {
	case a.ambiguous || b.ambiguous:
	case checkNegation && (a.deniesOnly(b) || b.deniesOnly(a)):
		return j.differs(s, 0, 0)
	case a.negations == 0 && b.negations == 0:
		return j.findAntonym(s, c)
	case !checkNegation:
	case a.negations == 0:
		if n, m, ok := b.negates(a); ok {
			return j.differs(s, int(b.contentToken(n).Start), int(a.contentToken(m).Start))
		}
	case b.negations == 0:
		if m, n, ok := a.negates(b); ok {
			return j.differs(s, int(b.contentToken(n).Start), int(a.contentToken(m).Start))
		}
	}
	return objection{}
}

// findAntonym returns an objection if a word in the quote is an antonym of a word in
// the claim and both have the same neighbour.
func (j *Judge) findAntonym(s *scratch, c *claim) objection {
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
				o = notStated(b.word(y), a.word(x), basisNegation)
			}
		})
	}
	return o
}

// notStated returns the objection that the contexts state something else than the
// claim does.
func notStated(stated, claimed string, b basis) objection {
	return objection{reason: otherWords(stated, claimed), stated: stated, maxScore: maxContradictedScore, basis: b}
}

// valueObjection returns the objection that the contexts give the value other instead of
// the number or date t.
func (s *scratch) valueObjection(c *claim, t *term, other textValue, contexts []string) objection {
	return objection{reason: s.valueReason(c, t, other, contexts), stated: other.value(), maxScore: maxContradictedScore, basis: c.valueBasis()}
}

// valueBasis returns the basis of an objection to a value of c. The contexts contradict it
// only if it is one that they state, and not one that they allow to compute.
func (c *claim) valueBasis() basis {
	for w := range strings.FieldsFuncSeq(strings.ToLower(c.text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "total", "totals", "sum", "altogether", "together", "combined", "overall", "average", "difference", "remaining", "insgesamt", "zusammen", "ensemble", "conjunto":
			return basisMissing
		}
	}
	return basisValue
}

// A similarValue is a value in the contexts that resembles a value in a claim.
type similarValue struct {
	value      *number
	chunk      int
	similarity float64
}

// within reports whether the value is in the sentence q.
func (n *similarValue) within(q quote) bool {
	return n.chunk == q.chunk && n.value.Start >= q.start && n.value.Start < q.end
}

// text returns the value as written in the contexts, or "" if it is not similar enough
// to be quoted.
func (n *similarValue) text(contexts []string) string {
	if n.value == nil || n.similarity < minSimilarity/2 {
		return ""
	}
	return n.at(contexts).value()
}

func (n *similarValue) at(contexts []string) textValue {
	return textValue{contexts[n.chunk], n.value.Start, n.value.End}
}

// Bonuses added to the similarity of a value when values are ranked.
const (
	bestChunkBonus     = 0.1 // the value is in the best chunk
	closestWindowBonus = 0.2 // the value is also in the closest window
)

// nearestValue returns the value in the contexts that is most similar to v. It prefers
// values in the closest window and its chunk.
func (s *scratch) nearestValue(c *claim, v *number, contexts []string) similarValue {
	var best similarValue
	bestRank := 0.0
	lo, hi := 0, len(s.values)
	if s.bounds != nil {
		lo, hi = s.valuesNear(c.best.from)
	}
	for i := lo; i < hi; i++ {
		d := &s.values[i]
		similarity := values.Similarity(&v.Value, &d.Value)
		if similarity == 0 {
			continue
		}
		chunk := int(s.valueChunks[i])
		rank := similarity
		if chunk == c.best.chunk {
			rank += bestChunkBonus
			if d.Start >= int(c.best.from.start) && d.Start <= int(c.best.to.start) {
				rank += closestWindowBonus
			}
		}
		if rank > bestRank && !verdict.InMarker(contexts[chunk], d.Start, d.End) {
			bestRank = rank
			best = similarValue{value: d, chunk: chunk, similarity: similarity}
		}
	}
	return best
}

// valueAt returns the index of the first context value at or after a byte of a chunk.
func (s *scratch) valueAt(chunk, start int) int {
	return sort.Search(len(s.values), func(i int) bool {
		return int(s.valueChunks[i]) > chunk || int(s.valueChunks[i]) == chunk && s.values[i].Start >= start
	})
}

// valuesNear returns the index range of the context values around h.
func (s *scratch) valuesNear(h hit) (lo, hi int) {
	at := s.valueAt(int(h.chunk), int(h.start))
	return max(0, at-valuesBefore), min(len(s.values), at+valuesAfter)
}

// differentNumber returns the number in y that has the same neighbour as the plain
// number v in x, if any: it returns "14" for "20 guest rooms" and "14 guest rooms".
func (x *statement) differentNumber(y *statement, v *number) textValue {
	if v.Kind != values.Number && v.Kind != values.Ordinal || v.first != v.last {
		return textValue{}
	}
	n := slices.Index(x.content, v.first)
	if n < 0 {
		return textValue{}
	}
	for m := range y.content {
		t := y.contentToken(m)
		if t.Key == x.contentToken(n).Key {
			return textValue{}
		}
		if t.Class&(lexicon.Number|lexicon.Numeral) != 0 && t.Is(lexicon.Ordinal) == (v.Kind == values.Ordinal) && x.sameNeighbour(n, y, m) &&
			!verdict.InMarker(y.text, int(t.Start), int(t.End)) {
			return textValue{y.text, int(t.Start), int(t.End)}
		}
	}
	return textValue{}
}
