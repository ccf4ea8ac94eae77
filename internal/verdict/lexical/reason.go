package lexical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/entail"
)

const nearestIn = "nearest passage in "

// appendPassage appends the chunk number of q to s.line, and an excerpt of q around byte
// at of q.
func (s *scratch) appendPassage(contexts []string, q quote, at int) {
	s.line = strconv.AppendInt(append(s.line, "chunk "...), int64(q.chunk), 10)
	s.line = verdict.AppendExcerpt(append(s.line, ": "...), q.text(contexts), at)
}

// text returns the text of q.
func (q quote) text(contexts []string) string { return contexts[q.chunk][q.start:q.end] }

// minWhole is the share of a sentence that a phrase must have to be quoted instead of it.
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
		at = j.explain(s, c, contexts, q)
	case float64(len(o.stated)) >= minWhole*float64(len(strings.TrimSpace(text))):
		return string(strconv.AppendInt(append(s.line, "chunk "...), int64(q.chunk), 10))
	}
	s.appendPassage(contexts, q, at)
	return string(s.line)
}

// support returns the passages that support c, the basis and the reason: the passages and
// the words of c that they do not contain. q is the best passage.
func (j *Judge) support(s *scratch, c *claim, contexts []string, q quote) ([]quote, basis, string) {
	if strings.Contains(q.text(contexts), c.text) {
		s.line = append(s.line[:0], statedIn...)
		s.appendPassage(contexts, q, strings.Index(q.text(contexts), c.text))
		return []quote{q}, basisStated, string(s.line)
	}
	s.parseClaim(j, c)
	at := j.explain(s, c, contexts, q)
	s.creditValues(c, q)
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
			at = j.explainMore(s, c, contexts, more)
			if s.line = append(s.line, " and "...); more.chunk == q.chunk {
				s.line = verdict.AppendExcerpt(s.line, more.text(contexts), at)
			} else {
				s.appendPassage(contexts, more, at)
			}
		}
	}
	if !stated {
		s.appendMissing(c, contexts, true)
	}
	return quotes, b, string(s.line)
}

const statedIn = "stated in "

// creditValues marks the values of c that q states in other words as present.
func (s *scratch) creditValues(c *claim, q quote) {
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
	s.taken = slices.Grow(s.taken[:0], len(s.presence))[:len(s.presence)]
	for i, p := range s.presence {
		s.taken[i] = levels
		if p != isMissing {
			s.taken[i] = levelExact
		}
	}
	more := j.bestSentence(s, c, contexts)
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
	at := j.explain(s, c, contexts, q)
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

// isAbsent reports whether no context contains t in any form. It returns false for list
// markers and citations.
func (s *scratch) isAbsent(c *claim, t *term, contexts []string) bool {
	start, end := int(t.start), int(t.end)
	return t.best == levels && !t.found && !verdict.InMarker(c.text, start, end) &&
		s.search.absent(contexts, c.text[start:end])
}

// valueReason returns the reason for a claim with a wrong number or date t. other is
// the corresponding value in the contexts.
func (s *scratch) valueReason(c *claim, t *term, other textValue, contexts []string) string {
	v := &s.claimValues[t.value]
	claimed := textValue{c.text, v.Start, v.End}
	if s.isAbsent(c, t, contexts) {
		return notInContexts(claimed.value(), other.value())
	}
	return otherValue(other, claimed)
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

// quoted returns an excerpt of a text in quotation marks.
func quoted(s string) string { return verdict.Excerpt(s, 0) }

// quotedValue returns a value in quotation marks. An excerpt would lack the number of
// "3. Mai", which looks like a list marker.
func quotedValue(s string) string {
	const maxWhole = 40
	if len(s) > maxWhole {
		return quoted(s)
	}
	return "“" + s + "”"
}

// findingReason returns the reason for a claim that differs from a statement.
func findingReason(k entail.Kind, stated, claimed string) string {
	switch {
	case k == entail.Assertion:
		return "the contexts do not assert this: " + quoted(stated)
	case stated == "":
		return "the contexts do not say " + quoted(claimed)
	case claimed == "":
		return "the contexts say " + quoted(stated) + ", the claim does not"
	}
	return "the contexts say " + quoted(stated) + ", the claim says " + quoted(claimed)
}

// A textValue is a value in a text.
type textValue struct {
	text       string
	start, end int
}

func (p textValue) value() string { return wholeValue(p.text, p.start, p.end) }

// phrase returns the value with the words around it, at most three before and two after,
// from the same sentence.
func (p textValue) phrase() string {
	const before, after = 3, 2
	start, end := p.start, p.end
	for range before {
		head := strings.TrimRight(p.text[:start], " ")
		if n := len(head); n == 0 || strings.IndexByte("!?;|\n\t", head[n-1]) >= 0 || head[n-1] == '.' && n > 1 && isLetter(head[n-2]) {
			break
		}
		start = strings.LastIndexAny(head, " |\n\t") + 1
	}
	for range after {
		rest := strings.TrimLeft(p.text[end:], " ")
		n := strings.IndexAny(rest, " .,;!?|\n\t")
		if n < 0 {
			n = len(rest)
		}
		end = len(p.text) - len(rest) + n
	}
	return wholeValue(p.text, start, end)
}

// wholeValue returns the value at text[start:end] with the signs, digits and letters
// joined to it: "4-3" for the 3 in it, "$10" for the 10.
func wholeValue(text string, start, end int) string {
	const maxJoined = 12
	for n := 0; start > 0 && n < maxJoined && joins(text, start-1, -1); n++ {
		start--
	}
	if start > 0 && text[start-1] == '-' && (start == 1 || text[start-2] == ' ') {
		start--
	}
	for n := 0; end < len(text) && n < maxJoined && joins(text, end, 1); n++ {
		end++
	}
	return text[start:end]
}

// joins reports whether byte i of text belongs to the value next to it: a letter, a digit
// or a sign, or a mark between digits. step is the direction away from the value.
func joins(text string, i, step int) bool {
	c := text[i]
	switch {
	case c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z':
		return true
	case c == '$':
		return step < 0
	case c == '%':
		return step > 0
	case c == '-' || c == ':' || c == '/' || c == '.' || c == ',':
		next := i + step
		return next >= 0 && next < len(text) && text[next]-'0' <= 9 && text[i-step]-'0' <= 9
	}
	return false
}
