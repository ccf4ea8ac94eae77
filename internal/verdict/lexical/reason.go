package lexical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

const nearestIn, statedIn = "nearest passage in ", "stated in "

// passage returns the chunk number of q, and an excerpt of q around byte at of q.
func (q quote) passage(contexts []string, at int) string {
	return "chunk " + strconv.Itoa(q.chunk) + ": " + verdict.Excerpt(q.text(contexts), at)
}

// minWhole is the minimum length of a phrase, as a share of its sentence, for the reason not to
// quote the sentence as well.
const minWhole = 0.8

// objectionReason returns the reason for an objection to c, which quotes q.
func (j *Judge) objectionReason(s *scratch, o objection, c *claim, contexts []string, q quote) string {
	reason := o.reason + "; "
	if o.basis == basisMissing {
		reason += nearestIn
	}
	text := q.text(contexts)
	at := strings.Index(text, o.stated)
	switch {
	case o.stated == "" || at < 0:
		at = j.findTerms(s, c, contexts, q)
	case float64(len(o.stated)) >= minWhole*float64(len(strings.TrimSpace(text))):
		return reason + "chunk " + strconv.Itoa(q.chunk)
	}
	return reason + q.passage(contexts, at)
}

// support returns the passages that support c, of which q is the best, the basis, and the
// reason, which lists the passages and the words of c that they do not contain.
func (j *Judge) support(s *scratch, c *claim, contexts []string, q quote) ([]quote, basis, string) {
	if at := strings.Index(q.text(contexts), c.text); at >= 0 {
		return []quote{q}, basisStated, statedIn + q.passage(contexts, at)
	}
	s.parseClaim(j, c)
	at := j.findTerms(s, c, contexts, q)
	s.markValues(c, q)
	stated, b, reason := s.isStated(c), basisClose, "close match in "
	if stated && max(len(c.text), q.end-q.start) <= maxAligned && s.align(j, contexts, q).SameNegations() {
		b, reason = basisStated, statedIn
	}
	quotes := []quote{q}
	reason += q.passage(contexts, at)
	if stated {
		return quotes, b, reason
	}
	if more := j.secondQuote(s, c, contexts, q); more.covered > 0 {
		quotes = append(quotes, more)
		at = j.findMoreTerms(s, c, contexts, more)
		passage := more.passage(contexts, at)
		if more.chunk == q.chunk {
			passage = verdict.Excerpt(more.text(contexts), at)
		}
		reason += " and " + passage
	}
	return quotes, b, reason + s.missingWords(c, contexts, true)
}

// markValues marks the values of c that q states in other words as present.
func (s *scratch) markValues(c *claim, q quote) {
	stated := s.valuesIn(q)
	for i := range s.presence {
		t := &s.terms[int(c.terms[0])+i]
		if t.value >= 0 && slices.ContainsFunc(stated, func(w number) bool { return s.claimValues[t.value].match(&w) <= levelAdjective }) {
			s.presence[i] = isPresent
		}
	}
}

// secondQuote returns the sentence that contains most of the words of c that are not in
// q, or a quote that covers nothing if none contains enough.
func (j *Judge) secondQuote(s *scratch, c *claim, contexts []string, q quote) quote {
	more := j.bestSentence(s, c, contexts, s.presence)
	if other := j.complement(s, c, contexts, q); other.covered > more.covered {
		more = other
	}
	total := float64(c.total * exactCredit)
	if float64(more.covered) < minSecondCoverage*total || float64(more.covered) < minSecondAlone*total && float64(more.about) < minSecondShare*total || more.chunk == q.chunk && more.start < q.end && q.start < more.end {
		return quote{}
	}
	return more
}

// missingReason returns the reason for an unsupported claim. It names the first missing number or
// date and the most similar one in the contexts, or else the words that are not in q.
func (j *Judge) missingReason(s *scratch, c *claim, contexts []string, q quote) string {
	at := j.findTerms(s, c, contexts, q)
	passage := nearestIn + q.passage(contexts, at)
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		nearest := ""
		if n, similarity := s.nearestValue(c, v, contexts); similarity >= minSimilarity/2 {
			nearest = n.in(contexts).value()
		}
		return notInContexts(wholeValue(c.text, v.Start, v.End), nearest) + "; " + passage
	}
	if missing := s.missingWords(c, contexts, false); missing != "" {
		return passage + missing
	}
	return "not stated; " + passage
}

// absentValue returns the first number or date in c that no context contains, or nil.
func (s *scratch) absentValue(c *claim, contexts []string) *term {
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].Loose && s.isAbsent(c, t, contexts) {
			return t
		}
	}
	return nil
}
