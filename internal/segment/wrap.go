package segment

import (
	"unicode"
	"unicode/utf8"
)

// wrapped reports whether the line next goes on with the sentence of the line
// before it. A newline ends a sentence unless the text was wrapped at a width:
// the line is long, says nothing final, and the next begins in lower case, or
// the line ends in a word that no sentence ends with.
func (c *cutter) wrapped(prev, next line) bool {
	const long, dangling = 40, 25
	if prev.firm {
		return false
	}
	if r, size := utf8.DecodeLastRuneInString(c.text[prev.start:prev.end]); r >= 0x3001 && r < 0x3100 {
		return c.leadsOn(c.text[prev.end-size : prev.end])
	}
	if b := c.text[next.start]; b == '.' && (next.end == next.start+1 || isSpace(c.text, next.start+1)) {
		return true // the stop of the line before
	}
	if prev.spaced && prev.end-prev.start >= 12 && c.text[next.start]-'a' < 26 && c.text[prev.end-1]-'a' < 26 {
		return true // one space at the end of a line was left by a wrap
	}
	if prev.end-prev.start < dangling && (!prev.quoted || !next.quoted) {
		return false
	}
	end := prev.end
	last, size := utf8.DecodeLastRuneInString(c.text[prev.start:end])
	for end-size > prev.start && isCloser(last) {
		end -= size
		last, size = utf8.DecodeLastRuneInString(c.text[prev.start:end])
	}
	switch {
	case last == '.':
		t := c.wordBefore(prev.start, end-1)
		return t.class == title || t.class == never
	case last == ':' || isStop(last):
		return false
	}
	if r, _ := utf8.DecodeRuneInString(c.text[next.start:next.end]); unicode.IsLower(r) {
		return prev.end-prev.start >= long || prev.quoted && next.quoted
	}
	if last == ',' || c.text[next.start] == '(' {
		return prev.end-prev.start >= long
	}
	return c.leadsOn(lastWord(c.text[prev.start:end]))
}

// leadsOn knows words that a sentence does not end with, so that a line that
// ends with one goes on.
func (c *cutter) leadsOn(word string) bool { return c.lang.is(word, opens) }

// lastWord is the run of letters that s ends with.
func lastWord(s string) string {
	from := len(s)
	for from > 0 && len(s)-from < 16 {
		if b := s[from-1]; b < utf8.RuneSelf && !isASCIILetter(b) {
			break
		}
		from--
	}
	return s[from:]
}
