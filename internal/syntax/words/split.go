// Package words splits English sentences into words.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Span is the place of a word in a sentence, in bytes.
type Span struct{ Start, End int }

// Split splits a sentence as the English Web Treebank does: punctuation, the parts of
// contractions and those of most words with hyphens are words of their own.
func Split(sentence string) []Span {
	s := splitter{text: sentence, spans: make([]Span, 0, len(sentence)/5+1)}
	for i := 0; i < len(sentence); {
		r, size := utf8.DecodeRuneInString(sentence[i:])
		if isSpace(r) {
			i += size
			continue
		}
		end := i
		for end < len(sentence) {
			r, size := utf8.DecodeRuneInString(sentence[end:])
			if isSpace(r) {
				break
			}
			end += size
		}
		s.chunk(i, end)
		i = end
	}
	return s.spans
}

// isSpace also reports invisible characters, which would be words that nobody sees.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' || r == '\u2060' || unicode.Is(unicode.Cc, r)
}

// marks are one word if they follow each other.
const marks = "!?"

type splitter struct {
	text  string
	spans []Span
}

func (s *splitter) add(start, end int) {
	if start < end {
		s.spans = append(s.spans, Span{start, end})
	}
}

// chunk splits what is between two spaces: first the punctuation around it.
func (s *splitter) chunk(start, end int) {
	for start < end {
		n := s.opening(start, end)
		if n == 0 {
			break
		}
		s.add(start, start+n)
		start += n
	}
	var closing []Span
	last := strings.TrimRight(s.text[end:], "\"'”’)] \n\t") == ""
	for start < end {
		n := s.closing(start, end, last)
		if n == 0 {
			break
		}
		closing = append(closing, Span{end - n, end})
		end -= n
	}
	s.clitics(start, end)
	for i := len(closing) - 1; i >= 0; i-- {
		s.spans = append(s.spans, closing[i])
	}
}

// opening returns the length of the punctuation or currency sign at start.
func (s *splitter) opening(start, end int) int {
	r, size := utf8.DecodeRuneInString(s.text[start:end])
	next, _ := utf8.DecodeRuneInString(s.text[start+size : end])
	switch {
	case strings.ContainsRune("'’", r) && (isClitic(s.text[start:end]) || unicode.IsDigit(next)):
		return 0
	case strings.ContainsRune(".-*=_~#<>", r):
		n := run(s.text[start:end])
		if n == 1 && (r == '.' && unicode.IsDigit(next) || r == '#' || r == '_') {
			return 0
		}
		return n
	case strings.ContainsRune(marks, r):
		return len(s.text[start:end]) - len(strings.TrimLeft(s.text[start:end], marks))
	case !isWord(r):
		return size
	}
	return 0
}

// closing returns the length of the punctuation at the end of text[start:end]. A period
// belongs to an abbreviation unless the sentence ends with it; last reports that.
func (s *splitter) closing(start, end int, last bool) int {
	text := s.text[start:end]
	r, size := utf8.DecodeLastRuneInString(text)
	if r == '.' {
		if n := len(text) - len(strings.TrimRight(text, ".")); n > 1 {
			return n
		}
		if word := text[:len(text)-1]; isAbbreviation(word, last) {
			return 0
		}
		return 1
	}
	if strings.ContainsRune(marks, r) {
		return len(text) - len(strings.TrimRight(text, marks))
	}
	if strings.ContainsRune("-*=_~<>", r) {
		return len(text) - len(strings.TrimRight(text, text[len(text)-1:]))
	}
	if !isWord(r) && r != '+' && r != '#' && r != '/' {
		return size
	}
	return 0
}

// clitics splits contractions, and the rest of the word at inner punctuation.
func (s *splitter) clitics(start, end int) {
	text := s.text[start:end]
	if isAddress(text) {
		s.add(start, end)
		return
	}
	at := 0
	for i := len(text) - 1; i > 0 && i >= len(text)-6; i-- {
		if isClitic(text[i:]) {
			at = i
		}
	}
	if at == 0 {
		at = contraction(text)
	}
	if at > 0 {
		s.clitics(start, start+at) // "wouldn't've"
		s.add(start+at, end)
		return
	}
	s.inner(start, end)
}

// inner splits a word at dashes, slashes and other punctuation between letters, and
// numbers from their units.
func (s *splitter) inner(start, end int) {
	from := start
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(s.text[i:end])
		if isWord(r) {
			i += size
			continue
		}
		n := size
		switch {
		case strings.ContainsRune(".-*=_~", r) && run(s.text[i:end]) > 1:
			n = run(s.text[i:end])
		case !s.splits(r, from, i, i+size, end):
			i += size
			continue
		}
		s.quantity(from, i)
		s.add(i, i+n)
		i += n
		from = i
	}
	s.quantity(from, end)
}

// splits reports whether the punctuation r at text[i:next] separates two words.
func (s *splitter) splits(r rune, from, i, next, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(s.text[from:i])
	after, _ := utf8.DecodeRuneInString(s.text[next:end])
	digits := unicode.IsDigit(before) && unicode.IsDigit(after)
	switch r {
	case '.', '\'', '’', '&', '@', '_', '+', '*', '#':
		return false
	case ',', ':':
		return !digits
	case '/':
		return !digits && i-from > 1 && end-next > 1
	case '-':
		if digits {
			return !isNumber(s.text[from:end])
		}
		return !isPrefix(strings.ToLower(s.text[from:i]))
	}
	return true
}

// quantity splits "49km" and "5pm" into number and unit.
func (s *splitter) quantity(start, end int) {
	text := s.text[start:end]
	n := len(text) - len(strings.TrimLeft(text, "0123456789.,:"))
	if n > 0 && isUnit(strings.ToLower(text[n:])) {
		s.add(start, start+n)
		start += n
	}
	s.add(start, end)
}

// run returns the length of the run of the first byte.
func run(s string) int {
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N) || r == utf8.RuneError
}

// isNumber reports whether text has digits in three groups or more, as phone numbers and
// dates do, not ranges.
func isNumber(text string) bool { return strings.Count(text, "-") > 1 }
