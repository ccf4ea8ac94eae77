package lexical

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// maxVerbatim is the number of bytes around the closest window that are searched for the
// text of a claim.
const maxVerbatim = 1 << 13

// isVerbatim reports whether a candidate or the text around the closest window contains the
// text of the claim as a whole, ignoring case, punctuation and white space, and does not go
// on with a condition or an exception.
func (s *scratch) isVerbatim(c *claim, contexts []string) bool {
	s.folded = appendFolded(s.folded[:0], c.text)
	n := len(s.folded)
	contains := func(text string) bool {
		s.folded = appendFolded(s.folded[:n], text)
		claim, rest := s.folded[:n], s.folded[n:]
		for {
			i := bytes.Index(rest, claim)
			if i < 0 {
				return false
			}
			rest = rest[i+n-1:] // from the space after the claim
			if !startsLimit(rest) {
				return true
			}
		}
	}
	for _, q := range c.candidates {
		if q.end-q.start <= maxAligned && contains(contexts[q.chunk][q.start:q.end]) {
			return true
		}
	}
	text := contexts[c.best.chunk]
	from, to := int(c.best.from.start), len(text)
	if c.best.from.chunk == c.best.to.chunk {
		to = int(c.best.to.start)
	}
	return contains(text[max(0, from-maxVerbatim):min(len(text), to+maxVerbatim)])
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

// appendFolded appends the words of text to dst in lower case, with a space before and
// after each.
func appendFolded(dst []byte, text string) []byte {
	start := len(dst)
	dst = append(dst, ' ')
	for _, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		case len(dst) > start+1 && dst[len(dst)-1] != ' ':
			dst = append(dst, ' ')
		}
	}
	if dst[len(dst)-1] != ' ' {
		dst = append(dst, ' ')
	}
	return dst
}
