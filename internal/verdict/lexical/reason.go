package lexical

import (
	"strconv"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// appendPassage appends the chunk of q to s.line, with an excerpt around the first word
// that it shares with c.
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

// objectionReason returns an objection to c, with the passage q.
func (s *scratch) objectionReason(o objection, c *claim, contexts []string, q quote) string {
	s.line = append(append(s.line[:0], o.reason...), "; "...)
	if o.incomplete {
		s.line = append(s.line, nearestIn...)
	}
	s.appendPassage(c, contexts, q)
	return string(s.line)
}

const nearestIn = "nearest passage in "

// supportReason returns the passage that supports c and how much of c it covers.
// sameNegations says that quotes[0] and c negate the same number of things.
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
		if sameNegations && found == all && float64(q.covered) >= nearlyAll*float64(c.total*exact) {
			s.line = append(s.line, "stated in "...)
		} else {
			s.line = append(s.line, "close match in "...)
		}
		s.appendPassage(c, contexts, q)
		if found == all || q.chunk != c.best.chunk && !joined { // the counts are of another chunk
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

// missingReason names what the contexts lack: the first missing number or date, with
// the most similar one, or else names and words. It reports whether anything is
// missing.
func (s *scratch) missingReason(l *lexicon.Lexicon, c *claim, contexts []string, q quote) (string, bool) {
	s.line = s.line[:0]
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		n := s.nearest(l, c, v, contexts)
		s.line = append(s.line, notInContexts(v.Text(c.text), n.text(contexts))...)
		s.line = append(s.line, "; "+nearestIn...)
		s.appendPassage(c, contexts, q)
		return string(s.line), true
	}
	const prefix = "not stated; "
	s.line = append(s.line, prefix+nearestIn...)
	s.appendPassage(c, contexts, q)
	if s.appendAbsentWords(c, contexts) {
		return string(s.line[len(prefix):]), true
	}
	return string(s.line), false
}

// absentValue returns the first number or date of c that no context has, or nil.
func (s *scratch) absentValue(c *claim, contexts []string) *term {
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].Soft && s.isAbsent(c, t, contexts) {
			return t
		}
	}
	return nil
}

// isAbsent reports whether no context has t, as written or in another form, and t is
// not in a list marker or a citation.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}

const (
	maxListed   = 4  // words that a reason names
	maxSearched = 16 // words of a claim that are searched for
	maxWordLen  = 40 // code points of a word that are shown
)

// appendAbsentWords appends the first names, and then other words, of c that no context
// has. It reports whether there are any.
func (s *scratch) appendAbsentWords(c *claim, contexts []string) bool {
	left, n, last := maxSearched, 0, int32(0)
	for _, names := range [...]bool{true, false} {
		for i := c.terms[0]; i < c.terms[1] && left > 0 && n < maxListed; i++ {
			t := &s.terms[i]
			if t.best < levels || t.found || t.name != names {
				continue
			}
			left--
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

// clip shortens a word that is too long to be a real one.
func clip(w string) string {
	if len(w) <= maxWordLen || utf8.RuneCountInString(w) <= maxWordLen {
		return w
	}
	return string([]rune(w)[:maxWordLen]) + "…"
}

// valueReason says which number or date the contexts have instead of the value of t.
func (s *scratch) valueReason(c *claim, t *term, other string, contexts []string) string {
	claimed := s.claimValues[t.value].Text(c.text)
	if s.isAbsent(c, t, contexts) {
		return notInContexts(claimed, other)
	}
	return "the contexts say " + quoted(other) + ", not " + quoted(claimed)
}

func notInContexts(value, nearest string) string {
	if nearest == "" || nearest == value {
		return quoted(value) + " is not in the contexts"
	}
	return quoted(value) + " is not in the contexts (nearest: " + quoted(nearest) + ")"
}

// quoted returns an excerpt of a text in quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }
