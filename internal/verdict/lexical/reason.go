package lexical

import (
	"strconv"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// Reasons are put together in scratch.line.

// chunkLine appends the chunk of q and an excerpt of it around the first word that
// it shares with c.
func (s *scratch) chunkLine(c *claim, contexts []string, q quote) {
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

// againstReason says what speaks against c, and quotes it.
func (s *scratch) againstReason(o objection, c *claim, contexts []string, q quote) string {
	s.line = append(append(s.line[:0], o.reason...), "; "...)
	if o.less {
		s.line = append(s.line, nearestIn...)
	}
	s.chunkLine(c, contexts, q)
	return string(s.line)
}

const nearestIn = "nearest passage in "

// supportReason quotes what supports c, and says how much of c it covers. alike
// says that quotes[0] denies nothing more and nothing less than c.
func (s *scratch) supportReason(c *claim, contexts []string, quotes []quote, alike, joined bool) string {
	found, all := 0, int(c.terms[1]-c.terms[0])
	for i := c.terms[0]; i < c.terms[1]; i++ {
		if s.terms[i].best < levels {
			found++
		}
	}
	s.line = s.line[:0]
	if len(quotes) > 0 {
		q := quotes[0]
		if alike && found == all && float64(q.covered) >= nearlyTheSame*float64(c.total*exact) {
			s.line = append(s.line, "stated in "...)
		} else {
			s.line = append(s.line, "close match in "...)
		}
		s.chunkLine(c, contexts, q)
		if found == all || q.chunk != c.best.chunk && !joined { // another chunk than the one of the counts
			return string(s.line)
		}
		s.line = append(s.line, "; "...)
	}
	if joined {
		s.line = append(s.line, "the contexts match "...)
	} else {
		s.line = append(strconv.AppendInt(append(s.line, "chunk "...), int64(c.best.chunk), 10), " matches "...)
	}
	s.line = append(strconv.AppendInt(s.line, int64(found), 10), " of its "...)
	s.line = append(strconv.AppendInt(s.line, int64(all), 10), " content words"...)
	return string(s.line)
}

// missingReason names what the contexts lack: the first number or date, with what
// comes nearest to it, or else names and words. It reports whether there is any.
func (s *scratch) missingReason(l *lexicon.Lexicon, c *claim, contexts []string, q quote) (string, bool) {
	s.line = s.line[:0]
	if t := s.absentValue(c, contexts); t != nil {
		v := &s.claimValues[t.value]
		s.line = append(s.line, notThere(v.Text(c.text), s.nearestValue(s.nearest(l, c, v, contexts), contexts))...)
		s.line = append(s.line, "; "+nearestIn...)
		s.chunkLine(c, contexts, q)
		return string(s.line), true
	}
	const without = "not stated; "
	s.line = append(s.line, without+nearestIn...)
	s.chunkLine(c, contexts, q)
	if s.absentWords(c, contexts) {
		return string(s.line[len(without):]), true
	}
	return string(s.line), false
}

// absentValue returns the first number or date of c that is in none of the contexts,
// nil if there is none.
func (s *scratch) absentValue(c *claim, contexts []string) *term {
	for i := c.terms[0]; i < c.terms[1]; i++ {
		t := &s.terms[i]
		if t.value >= 0 && !s.claimValues[t.value].Soft && s.isAbsent(c, t, contexts) {
			return t
		}
	}
	return nil
}

// isAbsent reports whether t is in none of the contexts, neither as it is written
// nor in another form, and belongs to no list marker or citation.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}

const (
	listed   = 4  // words that a reason names
	searched = 16 // words of a claim that are looked for to name them
	longWord = 40 // code points of a word that are shown
)

// absentWords appends the first names and other words of c that are in none of the
// contexts, and reports whether there are any.
func (s *scratch) absentWords(c *claim, contexts []string) bool {
	tries, n, last := searched, 0, int32(0)
	for _, names := range [...]bool{true, false} {
		for i := c.terms[0]; i < c.terms[1] && tries > 0 && n < listed; i++ {
			t := &s.terms[i]
			if t.best < levels || t.found || t.name != names {
				continue
			}
			tries--
			if !s.isAbsent(c, t, contexts) {
				continue
			}
			start := max(t.start, min(last, t.end)) // pairs of ideograms overlap
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

// clip cuts a word that is no word of a language.
func clip(w string) string {
	if len(w) <= longWord || utf8.RuneCountInString(w) <= longWord {
		return w
	}
	return string([]rune(w)[:longWord]) + "…"
}

// valueReason says what number or date the contexts have in the place of v, the
// value of t.
func (s *scratch) valueReason(c *claim, t *term, other string, contexts []string) string {
	mine := s.claimValues[t.value].Text(c.text)
	if s.isAbsent(c, t, contexts) {
		return notThere(mine, other)
	}
	return "the contexts say " + quoted(other) + " there, not " + quoted(mine)
}

// nearestValue is the text of a value that comes near to another, "" if it does not.
func (s *scratch) nearestValue(n candidate, contexts []string) string {
	if n.value == nil || n.likeness < likeEnough/2 {
		return ""
	}
	return n.value.Text(contexts[n.chunk])
}

func notThere(value, nearest string) string {
	if nearest == "" || nearest == value {
		return quoted(value) + " is not in the contexts"
	}
	return quoted(value) + " is not in the contexts (nearest: " + quoted(nearest) + ")"
}

// quoted is a piece of a text between quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// sameSense reports whether x and y deny the same number of things, and it is
// clear what.
func (x *side) sameSense(y *side) bool {
	return !x.unclear && !y.unclear && x.negations == y.negations
}
