package lexical

import (
	"strconv"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

// appendPassage appends the chunk number of q to s.line, and an excerpt of q around the
// first word that matches c.
func (s *scratch) appendPassage(c *claim, contexts []string, q quote) {
	at := 0
	for i := range c.bestHits {
		h := &c.bestHits[i]
		if int(h.chunk) == q.chunk && int(h.start) >= q.start && int(h.start) < q.end {
			at = int(h.start) - q.start
			break
		}
	}
	s.line = strconv.AppendInt(append(s.line, "chunk "...), int64(q.chunk), 10)
	s.line = verdict.AppendExcerpt(append(s.line, ": "...), contexts[q.chunk][q.start:q.end], at)
}

// objectionReason returns the reason for an objection to c, which quotes q.
func (s *scratch) objectionReason(o objection, c *claim, contexts []string, q quote) string {
	s.line = append(append(s.line[:0], o.reason...), "; "...)
	if o.incomplete {
		s.line = append(s.line, nearestIn...)
	}
	s.appendPassage(c, contexts, q)
	return string(s.line)
}

const nearestIn = "nearest passage in "

// supportReason returns the reason for a supported claim: the supporting passage and
// how many words of c it covers. sameNegations is set if c and quotes[0] contain the
// same number of negations.
func (s *scratch) supportReason(c *claim, contexts []string, quotes []quote, sameNegations, joined bool) string {
	found, all := 0, int(c.terms[1]-c.terms[0])
	for i := c.terms[0]; i < c.terms[1]; i++ {
		if s.terms[i].best < levels {
			found++
		}
	}
	s.line = s.line[:0]
	if len(quotes) > 0 {
		q := quotes[0]
		if sameNegations && found == all && float64(q.covered) >= minCoverageForStated*float64(c.total*exactCredit) {
			s.line = append(s.line, "stated in "...)
		} else {
			s.line = append(s.line, "close match in "...)
		}
		s.appendPassage(c, contexts, q)
		if found == all || q.chunk != c.best.chunk && !joined { // the counts refer to a different chunk
			return string(s.line)
		}
		s.line = append(s.line, "; "...)
	}
	if joined {
		s.line = append(s.line, "the contexts match "...)
	} else {
		s.line = append(strconv.AppendInt(append(s.line, "chunk "...), int64(c.best.chunk), 10), " matches "...)
	}
	s.line = append(strconv.AppendInt(s.line, int64(found), 10), " of the claim's "...)
	s.line = append(strconv.AppendInt(s.line, int64(all), 10), " content words"...)
	return string(s.line)
}

// missingReason returns the reason for an unsupported claim. It names the first missing number or
// date and the most similar one in the contexts, or else the missing words.
func (s *scratch) missingReason(c *claim, contexts []string, q quote) string {
	s.line = s.line[:0]
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		n := s.nearestValue(c, v, contexts)
		s.line = append(s.line, notInContexts(c.text[v.Start:v.End], n.text(contexts))...)
		s.line = append(s.line, "; "+nearestIn...)
		s.appendPassage(c, contexts, q)
		return string(s.line)
	}
	const prefix = "not stated; "
	s.line = append(s.line, prefix+nearestIn...)
	s.appendPassage(c, contexts, q)
	if s.appendAbsentWords(c, contexts) {
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

// isAbsent reports whether no context contains t in any form. It returns false for list
// markers and citations.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}

const (
	maxListed   = 4  // maximum words listed in a reason
	maxSearched = 16 // maximum words of a claim to search for
	maxWordLen  = 40 // maximum length of a listed word in code points
)

// appendAbsentWords appends the first words of c that no context contains to s.line,
// names before other words. It reports whether it found any.
func (s *scratch) appendAbsentWords(c *claim, contexts []string) bool {
	remaining, n, last := maxSearched, 0, int32(0)
	for _, names := range [...]bool{true, false} {
		for i := c.terms[0]; i < c.terms[1] && remaining > 0 && n < maxListed; i++ {
			t := &s.terms[i]
			if t.best < levels || t.found || t.name != names {
				continue
			}
			remaining--
			if !s.isAbsent(c, t, contexts) {
				continue
			}
			start := max(t.start, min(last, t.end)) // the tokens of scripts without spaces overlap
			switch {
			case n == 0:
				s.line = append(s.line, "; not in the contexts: "...)
			case start == t.start:
				s.line = append(s.line, ", "...)
			}
			s.line = append(s.line, clip(c.text[start:t.end])...)
			last = t.end
			n++
		}
		last = 0
	}
	return n > 0
}

// clip truncates a word to maxWordLen code points.
func clip(w string) string {
	if len(w) <= maxWordLen || utf8.RuneCountInString(w) <= maxWordLen {
		return w
	}
	return string([]rune(w)[:maxWordLen]) + "…"
}

// valueReason returns the reason for a claim with a wrong number or date t. other is
// the corresponding value in the contexts.
func (s *scratch) valueReason(c *claim, t *term, other string, contexts []string) string {
	claimed := c.text[t.start:t.end]
	if s.isAbsent(c, t, contexts) {
		return notInContexts(claimed, other)
	}
	return "the contexts say " + quoted(other) + ", not " + quoted(claimed)
}

// notInContexts returns the reason for a value that is missing from the contexts.
func notInContexts(value, nearest string) string {
	if nearest == "" || nearest == value {
		return quoted(value) + " is not in the contexts"
	}
	return quoted(value) + " is not in the contexts (nearest: " + quoted(nearest) + ")"
}

// quoted returns an excerpt of a text in quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// findingReason returns the reason for a claim that differs from a statement.
func findingReason(f entail.Finding) string {
	switch {
	case f.Kind == entail.Dropped:
		return "the contexts limit this: " + quoted(f.Stated)
	case f.Stated == "":
		return "the contexts do not say " + quoted(f.Claimed)
	case f.Claimed == "":
		return "the contexts say " + quoted(f.Stated) + ", the claim does not"
	}
	return "the contexts say " + quoted(f.Stated) + ", the claim says " + quoted(f.Claimed)
}
