package lexical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

const nearestIn, statedIn = "nearest passage in ", "stated in "

// appendPassage appends the chunk number of q to s.line, and an excerpt of q around byte at of q.
func (s *scratch) appendPassage(contexts []string, q quote, at int) {
	s.line = strconv.AppendInt(append(s.line, "chunk "...), int64(q.chunk), 10)
	s.line = verdict.AppendExcerpt(append(s.line, ": "...), q.text(contexts), at)
}

// minWhole is the minimum length of a phrase, as a share of its sentence, for the reason not to
// quote the sentence as well.
const minWhole = 0.8

// objectionReason returns the reason for an objection to c, which quotes q.
func (j *Judge) objectionReason(s *scratch, o objection, c *claim, contexts []string, q quote) string {
	s.line = append(append(s.line[:0], o.reason...), "; "...)
	if o.basis == basisMissing {
		s.line = append(s.line, nearestIn...)
	}
	text := q.text(contexts)
	at := strings.Index(text, o.stated)
	switch {
	case o.stated == "" || at < 0:
		at = j.findTerms(s, c, contexts, q)
	case float64(len(o.stated)) >= minWhole*float64(len(strings.TrimSpace(text))):
		return string(strconv.AppendInt(append(s.line, "chunk "...), int64(q.chunk), 10))
	}
	s.appendPassage(contexts, q, at)
	return string(s.line)
}

// support returns the passages that support c, of which q is the best, the basis, and the
// reason, which lists the passages and the words of c that they do not contain.
func (j *Judge) support(s *scratch, c *claim, contexts []string, q quote) ([]quote, basis, string) {
	if strings.Contains(q.text(contexts), c.text) {
		s.line = append(s.line[:0], statedIn...)
		s.appendPassage(contexts, q, strings.Index(q.text(contexts), c.text))
		return []quote{q}, basisStated, string(s.line)
	}
	s.parseClaim(j, c)
	at := j.findTerms(s, c, contexts, q)
	s.markValues(c, q)
	stated, b := s.isStated(c), basisClose
	s.line = s.line[:0]
	if stated && max(len(c.text), q.end-q.start) <= maxAligned && s.align(j, contexts, q).SameNegations() {
		s.line, b = append(s.line, statedIn...), basisStated
	} else {
		s.line = append(s.line, "close match in "...)
	}
	s.appendPassage(contexts, q, at)
	quotes := []quote{q}
	if !stated {
		if more := j.secondQuote(s, c, contexts, q); more.covered > 0 {
			quotes = append(quotes, more)
			at = j.findMoreTerms(s, c, contexts, more)
			if s.line = append(s.line, " and "...); more.chunk == q.chunk {
				s.line = verdict.AppendExcerpt(s.line, more.text(contexts), at)
			} else {
				s.appendPassage(contexts, more, at)
			}
		}
		s.appendMissing(c, contexts, true)
	}
	return quotes, b, string(s.line)
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
	s.line = s.line[:0]
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		n := s.nearestValue(c, v, contexts)
		s.line = append(s.line, notInContexts(wholeValue(c.text, v.Start, v.End), n.text(contexts))...)
		s.line = append(s.line, "; "+nearestIn...)
		s.appendPassage(contexts, q, at)
		return string(s.line)
	}
	const prefix = "not stated; "
	s.line = append(s.line, prefix+nearestIn...)
	s.appendPassage(contexts, q, at)
	if s.appendMissing(c, contexts, false) {
		return string(s.line[len(prefix):])
	}
	return string(s.line)
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
