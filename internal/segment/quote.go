package segment

import (
	"strings"
	"unicode/utf8"
)

// quotation keeps what stands between the quotation mark at i and its end in
// one sentence, where the end is near. The last stop before the end stays free
// to end the sentence.
func (c *cutter) quotation(s *scan, i int, opener rune, size int) {
	const near = 1200
	if i < s.shield || i+size >= s.end || isSpace(c.text, i+size) {
		return
	}
	if i > s.start && opener < utf8.RuneSelf {
		if b := c.text[i-1]; b != ' ' && b != '\n' && b != '(' && b != '"' {
			return // an inch or an apostrophe
		}
	}
	from := i + size
	kind := quoteKind(opener)
	if from < s.deaf[kind] {
		return // searched before, and nothing found
	}
	to := min(from+near, s.end)
	n := closingQuote(c.text[from:to], opener)
	if n < 0 {
		s.deaf[kind] = to
		return
	}
	e := from + n
	for e > from && (c.text[e-1] == '.' || c.text[e-1] == '!' || c.text[e-1] == '?') {
		e--
	}
	if strings.HasSuffix(c.text[from:e], "…") {
		e -= len("…")
	}
	s.shield = max(s.shield, e)
}

// quoteKind numbers the marks that open quotations.
func quoteKind(opener rune) int {
	switch opener {
	case '"':
		return 0
	case '«':
		return 1
	case '“':
		return 2
	case '„':
		return 3
	}
	return 4
}

// closingQuote is the offset of the mark that closes what the opener opened, -1
// where there is none.
func closingQuote(s string, opener rune) int {
	switch opener {
	case '"':
		return strings.IndexByte(s, '"')
	case '«':
		return strings.Index(s, "»")
	case '“':
		return strings.Index(s, "”")
	case '„':
		return strings.IndexAny(s, "“”")
	case '‘', '‚':
		return closingApostrophe(s, "’")
	}
	return closingApostrophe(s, "'")
}

// closingApostrophe finds the mark where it is no apostrophe: after a stop or a
// comma and before white space or another mark, or before white space and a
// bracket.
func closingApostrophe(s, mark string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return -1
		}
		at += n
		after := at + len(mark)
		if at > 0 && (after >= len(s) || s[after]-'a' >= 26 && s[after]-'A' >= 26) {
			if b := s[at-1]; b == '.' || b == '!' || b == '?' || b == ',' || strings.HasPrefix(s[after:], " (") {
				return at
			}
		}
		at = after
	}
}

// clause decides an Arabic comma: it ends a clause, unless a single word
// stands between it and the next comma.
func (c *cutter) clause(s *scan, i int) int {
	past := i + len("،")
	next := skipSpace(c.text, past, s.end)
	if next == past || next >= s.end {
		return past
	}
	j := next
	for j < s.end && !isSpace(c.text, j) {
		j++
	}
	if strings.HasSuffix(c.text[next:j], "،") {
		return past
	}
	c.cut(s, past, next)
	return max(s.start, past)
}
