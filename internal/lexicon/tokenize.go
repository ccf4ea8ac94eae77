package lexicon

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens appends the words of text to dst. In scripts without spaces between words, each
// pair of adjacent characters is a token.
func (l *Lexicon) Tokens(dst []Token, text string) []Token {
	initial := true
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c < utf8.RuneSelf && isASCIILetter(c):
			j := i + 1
			for j < len(text) && isASCIILetter(text[j]) {
				j++
			}
			end := j
			if j < len(text) && text[j] != ' ' {
				end = wordEnd(text, j)
			}
			if end == j && j < len(text) && text[j] >= utf8.RuneSelf && letterAt(text, j) || j-i > maxWord {
				dst, i = l.foreign(dst, text, i, initial)
				initial = false
				continue
			}
			dst = append(dst, Token{Start: int32(i), End: int32(end)}) //nolint:gosec // texts are shorter than 2 GiB
			l.read(&dst[len(dst)-1], text, j, initial)
			i, initial = end, false
		case c == ' ':
			i++
		case isDigit(c):
			dst, i = l.number(dst, text, i, initial)
			initial = false
		case c < utf8.RuneSelf:
			if c == '&' {
				if n := entityLen(text[i:]); n > 0 {
					i += n
					continue
				}
			}
			if c == '.' || c == '!' || c == '?' || c == '\n' || c == ':' {
				initial = true
			}
			i++
		default:
			n := len(dst)
			dst, i = l.foreign(dst, text, i, initial)
			if len(dst) > n {
				initial = false
			}
		}
	}
	return dst
}

// entityLen returns the length of the HTML entity at the start of s, such as &rsquo; or
// &#8217;, or 0.
func entityLen(s string) int {
	const maxLen = 10
	for i := 1; i < len(s) && i < maxLen; i++ {
		switch c := s[i]; {
		case c == ';' && i > 1:
			return i + 1
		case c == '#' && i == 1, isASCIILetter(c), isDigit(c):
		default:
			return 0
		}
	}
	return 0
}

// letterAt reports whether the character at byte i is a letter or a combining mark of a
// script with spaces.
func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !IsSpaceless(r)
}

// wordEnd returns the end of the word whose first run of letters ends at j. It
// includes a suffix such as 's or 't.
func wordEnd(text string, j int) int {
	k := j
	switch {
	case k < len(text) && text[k] == '\'':
		k++
	case strings.HasPrefix(text[k:], "’"):
		k += len("’")
	default:
		return j
	}
	e := k
	for e < len(text) && isASCIILetter(text[e]) {
		e++
	}
	if e == k || e-k > 2 {
		return j
	}
	return e
}

// read sets the properties of t at its position in text. Its ASCII letters end at j; the
// rest is the suffix after an apostrophe.
func (l *Lexicon) read(t *Token, text string, j int, initial bool) {
	i, end := int(t.Start), int(t.End)
	var buf [maxWord]byte
	w := buf[:j-i]
	h := uint64(fnvOffset)
	for k := range w {
		w[k] = text[i+k] | 0x20
		h = (h ^ uint64(w[k])) * fnvPrime
	}
	if c := text[i]; c >= 'A' && c <= 'Z' {
		t.Class |= Capital
	}
	if initial {
		t.Class |= Initial
	}
	l.fill(t, w, h|1<<63)
	if end > j && text[j-1]|0x20 == 'n' && text[end-1]|0x20 == 't' {
		t.Class |= Negation | Stop
		t.Word = 0 // can't is not can
	}
	const rare = 9 // IDF of words that may be German ones without umlauts: Mueller, Zuerich
	if t.Word == 0 && hasDigraph(w) && l.IDF(t.Key) > rare {
		w = withoutUmlauts(w[:0], text[i:j])
		l.fill(t, w, Hash(w))
	}
}

// hasDigraph reports whether w contains ae, oe or ue.
func hasDigraph(w []byte) bool {
	for i := 1; i < len(w); i++ {
		if w[i] == 'e' && (w[i-1] == 'a' || w[i-1] == 'o' || w[i-1] == 'u') {
			return true
		}
	}
	return false
}

// number appends the token of the number that starts at i, and returns the end of the
// token. The key does not depend on separators: 3,000 and 3000.0 have the same key. The
// token includes an ordinal suffix (14th) but no other letters (5km).
func (l *Lexicon) number(dst []Token, text string, i int, initial bool) ([]Token, int) {
	j := i
	var canon [40]byte
	n, decimal := 0, false
digits:
	for ; j < len(text); j++ {
		switch c := text[j]; {
		case isDigit(c):
			if n < len(canon) {
				canon[n] = c
				n++
			}
		case decimal || j+1 >= len(text) || !isDigit(text[j+1]):
			break digits
		case c == ',' && IsGroup(text[j+1:]):
		case c == '.' && n < len(canon) && !IsDotted(text, i, text[j+1:]):
			canon[n] = '.'
			n++
			decimal = true
		default:
			break digits
		}
	}
	w := canon[:n]
	if decimal {
		w = bytes.TrimSuffix(bytes.TrimRight(w, "0"), []byte("."))
	}
	for len(w) > 1 && w[0] == '0' && w[1] != '.' {
		w = w[1:]
	}
	t := Token{Key: Hash(w), Start: int32(i), Class: Number} //nolint:gosec // texts are shorter than 2 GiB
	if initial {
		t.Class |= Initial
	}
	if isOrdinalEnding(text, j) {
		t.Class |= Ordinal
		j += 2
	}
	t.End = int32(j) //nolint:gosec // texts are shorter than 2 GiB
	return append(dst, t), j
}

// IsDotted reports whether the number at i, followed by a full stop and rest, is part of a dotted
// sequence, such as 31.12.1999 or 1.2.3, and so has no decimals.
func IsDotted(text string, i int, rest string) bool {
	if i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
		return true
	}
	n := 0
	for n < len(rest) && isDigit(rest[n]) {
		n++
	}
	return n+1 < len(rest) && rest[n] == '.' && isDigit(rest[n+1])
}

// IsGroup reports whether s starts with exactly three digits.
func IsGroup(s string) bool {
	return len(s) >= 3 && isDigit(s[0]) && isDigit(s[1]) && isDigit(s[2]) && (len(s) == 3 || !isDigit(s[3]))
}

// isOrdinalEnding reports whether text[j:] starts with an English ordinal suffix.
func isOrdinalEnding(text string, j int) bool {
	if j+2 > len(text) || j+2 < len(text) && (isASCIILetter(text[j+2]) || isDigit(text[j+2])) {
		return false
	}
	switch string([]byte{text[j] | 0x20, text[j+1] | 0x20}) {
	case "st", "nd", "rd", "th":
		return true
	}
	return false
}

// Key returns the key of the stem of a word. It ignores case and accents.
func (l *Lexicon) Key(word string) uint64 {
	w := []byte(word)
	for i, c := range w {
		if c >= utf8.RuneSelf {
			if t := l.Tokens(nil, word); len(t) == 1 {
				return t[0].Key
			}
		}
		if c-'A' < 26 {
			w[i] |= 0x20
		}
	}
	var t Token
	l.fill(&t, w, Hash(w))
	return t.Key
}
