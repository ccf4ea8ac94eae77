package lexical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The search in a task covers at most minSearchBytes plus searchesPerByte times the length
// of the contexts.
const (
	searchesPerByte = 64
	minSearchBytes  = 1 << 27
)

// A searcher searches the contexts of a task for words that no token matches. It finds words inside
// other words, with hyphens or other accents, and numbers with other digit separators. So if a
// reason reports a word as missing, a text search by the user does not find it either.
type searcher struct {
	text   []byte // folded contexts, or empty
	word   []byte // buffer
	budget int    // bytes that may still be searched
}

func (s *searcher) reset() { s.text = s.text[:0] }

// absent reports whether none of the contexts contains word. It returns false if the
// budget is used up.
func (s *searcher) absent(contexts []string, word string) bool {
	if i := strings.IndexAny(word, "'’"); i > 0 { // museum's
		word = word[:i]
	}
	s.word = appendFolded(s.word[:0], word)
	if digits := s.word[:0:0]; bytes.ContainsAny(s.word, "0123456789") {
		fields := bytes.FieldsFunc(s.word, func(r rune) bool { return r-'0' > 9 || r < '0' })
		if len(fields) == 1 { // a date is compared as a whole
			s.word = append(digits, fields[0]...)
		}
	}
	return !s.contains(contexts, s.word)
}

// contains reports whether any context contains a folded word, or the budget is used up.
func (s *searcher) contains(contexts []string, word []byte) bool {
	if len(s.text) == 0 {
		for _, c := range contexts {
			s.text = append(appendFolded(s.text, c), '\n')
		}
		s.budget = searchesPerByte*len(s.text) + minSearchBytes
	}
	s.budget -= len(s.text)
	return s.budget < 0 || bytes.Contains(s.text, word)
}

// appendFolded appends text in lower case, without accents, apostrophes and hyphens, and
// without separators between digits, such as ", " in text that was tokenized and joined.
func appendFolded(dst []byte, text string) []byte {
	if !isASCII(text) {
		text = norm.NFKD.String(text)
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c|0x20-'a' < 26:
			dst = append(dst, c|0x20)
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			if !strings.ContainsRune("’\u00ad‐‑", r) && !unicode.Is(unicode.Mn, r) {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			i += size - 1
			continue
		case c == '-' || c == '\'':
			continue
		case (c == ',' || c == '.' || c == ' ') && len(dst) > 0 && dst[len(dst)-1]-'0' <= 9:
			if rest := strings.TrimLeft(text[i:], ",. "); rest != "" && rest[0]-'0' <= 9 && len(text)-i-len(rest) <= 2 {
				continue
			}
		}
		dst = append(dst, text[i])
	}
	return dst
}

// isASCII reports whether text has only ASCII characters.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isLetter reports whether c is an ASCII letter or part of a multi-byte character.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf }
