package lexical

import (
	"bytes"
	"strings"
)

// maxVerbatim is the number of bytes around the closest window that are searched for the
// text of a claim.
const maxVerbatim = 1 << 13

// isVerbatim reports whether a candidate or the text around the closest window asserts the
// text of the claim as a whole, ignoring case, punctuation and white space, without a condition
// or an exception after it.
func (j *Judge) isVerbatim(s *scratch, c *claim, contexts []string) bool {
	literal := strings.TrimRight(c.text, ".! ")
	for _, q := range c.candidates {
		at := indexStatement(q.text(contexts), literal)
		if at < 0 {
			continue
		}
		start, end := q.start+at, q.start+at+len(literal)
		s.foldedText = s.foldedText.fold(strings.TrimLeft(contexts[q.chunk][end:min(end+maxLimitStart, q.end)], " ,;"))
		if !startsLimit(s.foldedText.text) && j.asserts(s, contexts, q.chunk, start, end) {
			return true
		}
	}
	s.foldedClaim = s.foldedClaim.fold(c.text)
	for _, q := range c.candidates {
		if j.states(s, contexts, q) {
			return true
		}
	}
	text := contexts[c.best.chunk]
	from, to := int(c.best.from.start), len(text)
	if c.best.from.chunk == c.best.to.chunk {
		to = int(c.best.to.start)
	}
	from, to = runeBounds(text, max(0, from-maxVerbatim), min(len(text), to+maxVerbatim))
	return j.states(s, contexts, quote{chunk: c.best.chunk, start: from, end: to})
}

// maxLimitStart is the number of bytes after a claim that are searched for the start of a limit.
const maxLimitStart = 32

// indexStatement returns the offset of a statement in text, as written and in whole words, or -1.
// It does not find one whose first or last word may belong to a sign next to it, as in "minus 5".
func indexStatement(text, statement string) int {
	isLower := func(c byte) bool { return c-'a' < 26 }
	n := len(statement)
	if n < 2 || !isLower(statement[n-1]) || !isLower(statement[1]) {
		return -1
	}
	i := strings.Index(text, statement)
	if i < 0 || i > 0 && text[i-1] != ' ' || i+n < len(text) && strings.IndexByte(" .,;!?\n", text[i+n]) < 0 {
		return -1
	}
	return i
}

// states reports whether the text of q contains the claim in s.foldedClaim and asserts it.
func (j *Judge) states(s *scratch, contexts []string, q quote) bool {
	s.foldedText = s.foldedText.fold(q.text(contexts))
	claim, text := s.foldedClaim.text, s.foldedText.text
	for at := 0; ; {
		i := bytes.Index(text[at:], claim)
		if i < 0 {
			return false
		}
		end := at + i + len(claim) - 1 // the space after the claim
		start := q.start + int(s.foldedText.at[at+i+1])
		if last := q.start + int(s.foldedText.at[end-1]) + 1; !startsLimit(text[end:]) && j.asserts(s, contexts, q.chunk, start, last) {
			return true
		}
		at = end
	}
}

// asserts reports whether the sentences around bytes start to end of a context state what
// is between them.
func (j *Judge) asserts(s *scratch, contexts []string, chunk, start, end int) bool {
	for _, span := range j.sentences(s, contexts, chunk, start) {
		if span[1] <= start || span[0] >= end || span[1]-span[0] > maxAligned {
			continue
		}
		q := quote{chunk: chunk, start: span[0], end: span[1]}
		x := s.parse(j, contexts, q, q.text(contexts))
		if !x.Asserts(start-span[0], end-span[0]) {
			return false
		}
	}
	return true
}

// startsLimit reports whether words that were folded start a condition or an exception.
func startsLimit(words []byte) bool {
	for _, w := range [...]string{"except", "excluding", "unless", "if", "only if", "only when", "provided", "but not", "but only", "other than", "apart from", "as long as"} {
		if bytes.HasPrefix(words[1:], []byte(w+" ")) {
			return true
		}
	}
	return false
}
