package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Class is a bit set of word properties.
type Class uint32

// The word properties.
const (
	Stop     Class = 1 << iota // a function word without content
	Negation                   // not, never, without, words in -n't
	Number                     // written in digits
	Numeral                    // a number word
	Ordinal                    // 14th, fourteenth
	Month
	Capital   // starts with a capital letter
	Initial   // first word of its sentence
	Polarity  // reverses or qualifies the meaning without negation: avoid, unless, if
	Label     // passage, step: the number after it is a label
	Fraction  // half, thirds
	Partial   // some, many, part, sometimes
	Frequency // always, sometimes
)

// A Token is a word of a text.
type Token struct {
	Key        uint64 // key of the stem, equal for all forms of a word
	Start, End int32  // byte offsets in the text
	Class      Class
	Word       uint16 // number of the form, see Intern, or 0 if it is unknown
}

// Is reports whether the token has all properties in c.
func (t *Token) Is(c Class) bool { return t.Class&c == c }

// Text returns the token as written in text.
func (t *Token) Text(text string) string { return text[t.Start:t.End] }

// Lower returns the token in lower case.
func (t *Token) Lower(text string) string { return strings.ToLower(text[t.Start:t.End]) }

// Gap returns the text between two tokens. For overlapping tokens in scripts without
// spaces, it returns a string that matches no separator.
func Gap(text string, a, b *Token) string {
	if a.End > b.Start {
		return "overlap"
	}
	return text[a.End:b.Start]
}

// maxWord is the maximum length of a word in bytes. Longer runs of letters are not
// looked up.
const maxWord = 64

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
			end := apostrophe(text, j)
			if end == j && j < len(text) && text[j] >= utf8.RuneSelf && letterAt(text, j) || j-i > maxWord {
				dst, i = l.foreign(dst, text, i, initial)
				initial = false
				continue
			}
			dst = append(dst, Token{Start: int32(i), End: int32(end)}) //nolint:gosec // texts are shorter than 2 GiB
			l.read(&dst[len(dst)-1], text, j, initial)
			i, initial = end, false
		case isDigit(c):
			dst, i = l.number(dst, text, i, initial)
			initial = false
		case c < utf8.RuneSelf:
			if c == '&' {
				if n := entity(text[i:]); n > 0 {
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

// entity returns the length of the HTML entity at the start of s, such as &rsquo; or
// &#8217;, or 0.
func entity(s string) int {
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

// apostrophe returns the end of the word whose first run of letters ends at j. It
// includes a suffix such as 's or 't.
func apostrophe(text string, j int) int {
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
	digraph, last, h := false, byte(0), uint64(fnvOffset)
	for k := range w {
		c := text[i+k] | 0x20
		digraph = digraph || c == 'e' && (last == 'u' || last == 'o' || last == 'a')
		w[k], last = c, c
		h = (h ^ uint64(c)) * fnvPrime
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
	if digraph && t.Word == 0 && l.IDF(t.Key) > rare {
		w = withoutUmlauts(w[:0], text[i:j])
		l.fill(t, w, Hash(w))
	}
}

// fill sets the key, class and number of t for the lower-case word w with hash h. It may modify w.
func (l *Lexicon) fill(t *Token, w []byte, h uint64) {
	t.Key, t.Word = h, l.forms.Get(h)
	if t.Word > 0 {
		info := &l.words[t.Word]
		t.Class |= info.class
		if info.key != 0 {
			t.Key = info.key
			return
		}
	}
	n := stem(w)
	if n.y {
		w[n.len-1] = 'y'
	}
	if n.y || n.len != len(w) {
		t.Key = Hash(w[:n.len])
	}
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool       { return c-'0' <= 9 }
