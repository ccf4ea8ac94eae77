package segment

import (
	"strings"
	"unicode/utf8"
)

// protectQuotation prevents sentence ends inside the quotation that opens at i,
// if it closes soon enough. Its last stop may still end the sentence.
func (sp *splitter) protectQuotation(s *scanState, i int, opener rune, size int) {
	const near = 1200
	if i < s.protectedEnd || i+size >= s.end || isSpace(sp.text, i+size) {
		return
	}
	if i > s.start && opener < utf8.RuneSelf {
		if b := sp.text[i-1]; b != ' ' && b != '\n' && b != '(' && b != '"' {
			return // an inch or an apostrophe
		}
	}
	from := i + size
	kind, closers := quoteKind(opener)
	if from < s.quoteLimits[kind] {
		return // already searched without success
	}
	to := min(from+near, s.end)
	n := closingQuote(sp.text[from:to], opener, closers)
	if n < 0 {
		s.quoteLimits[kind] = to
		return
	}
	e := from + n
	for e > from && (sp.text[e-1] == '.' || sp.text[e-1] == '!' || sp.text[e-1] == '?') {
		e--
	}
	if strings.HasSuffix(sp.text[from:e], "…") {
		e -= len("…")
	}
	s.protectedEnd = max(s.protectedEnd, e)
}

// quoteKind returns the index in scanState.quoteLimits for an opening quotation
// mark, and the marks that close it, which are "" for single quotation marks.
func quoteKind(opener rune) (kind int, closers string) {
	switch opener {
	case '"':
		return 0, `"`
	case '«':
		return 1, "»"
	case '“':
		return 2, "”"
	case '„':
		return 3, "“”"
	}
	return 4, ""
}

// closingQuote returns the offset of the mark that closes a quotation, or -1.
func closingQuote(s string, opener rune, closers string) int {
	switch {
	case closers != "":
		return strings.IndexAny(s, closers)
	case opener == '\'':
		return closingSingleQuote(s, "'")
	}
	return closingSingleQuote(s, "’")
}

// closingSingleQuote finds a closing single quote that is not an apostrophe:
// after a stop or comma, or before a space and a parenthesis.
func closingSingleQuote(s, mark string) int {
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

// handleArabicComma splits after an Arabic comma, unless only one word precedes
// the next comma.
func (sp *splitter) handleArabicComma(s *scanState, i int) int {
	past := i + len("،")
	next := skipSpace(sp.text, past, s.end)
	if next == past || next >= s.end {
		return past
	}
	j := next
	for j < s.end && !isSpace(sp.text, j) {
		j++
	}
	if strings.HasSuffix(sp.text[next:j], "،") {
		return past
	}
	return sp.endSentence(s, past, next)
}
