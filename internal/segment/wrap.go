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
	if prev.firm || prev.end-prev.start < dangling {
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
		return prev.end-prev.start >= long
	}
	if last == ',' {
		return prev.end-prev.start >= long
	}
	from := end
	for from > prev.start && end-from < 16 && isASCIILetter(c.text[from-1]) {
		from--
	}
	return leadsOn(c.text[from:end])
}

// leadsOn knows words that a sentence does not end with, so that a line that
// ends with one goes on.
func leadsOn(word string) bool {
	switch word {
	case "a", "an", "the", "of", "and", "or", "for", "with", "by", "from", "as", "that", "which",
		"in", "on", "at", "to", "into", "than", "is", "was", "are", "were", "be", "has", "have", "had",
		"his", "her", "its", "their", "our", "my", "your", "between", "against", "during", "through", "including":
		return true
	}
	return false
}
