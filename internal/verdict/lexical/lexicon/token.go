package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Class is a set of things that are known of a word.
type Class uint32

// What is known of a word.
const (
	Stop      Class = 1 << iota // carries no content of its own
	Negation                    // not, never, without, words in -n't
	Number                      // written in digits
	Numeral                     // a number word; Token.Value is its value
	Scale                       // hundred, thousand, k, bn; Token.Value is the factor
	Ordinal                     // 14th, fourteenth
	Month                       // Token.Value is 1 to 12
	Unit                        // Token.Value is an index into Lexicon.Units
	Hedge                       // about, nearly: the number after it is rounded
	AtLeast                     // over, more than: the number after it is a lower bound
	Capital                     // begins with a capital letter
	Initial                     // stands first in its sentence
	Polarity                    // turns the sense without being a negation: avoid, unless, if
	Label                       // passage, step: a number after it is a name and no quantity
	Fraction                    // half, thirds: Token.Value is the denominator
	Universal                   // all, whole, always
	Partial                     // some, many, part, sometimes
	Frequency                   // beside Universal or Partial: says how often
	Ideogram                    // a pair of runes of a script without spaces
)

// A Token is a word of a text.
type Token struct {
	Key        uint64 // of the stem: equal for words that count as the same
	Value      float64
	Start, End int32 // bytes in the text
	Stem       uint8 // length of the stem in bytes where it is a prefix of the lower-cased ASCII word, else 0
	Class      Class
}

// Is reports whether the token has all of the classes in c.
func (t *Token) Is(c Class) bool { return t.Class&c == c }

// Text returns the token as written in text.
func (t *Token) Text(text string) string { return text[t.Start:t.End] }

// Lower returns the token in lower case.
func (t *Token) Lower(text string) string { return strings.ToLower(text[t.Start:t.End]) }

// Gap returns the text between two tokens. For overlapping tokens, which scripts
// without spaces have, it returns a string that matches no separator.
func Gap(text string, a, b *Token) string {
	if a.End > b.Start {
		return "overlap"
	}
	return text[a.End:b.Start]
}

const maxWord = 64 // bytes of a word that are looked at; longer ones are no words of a language

// Tokens appends the words of text to dst. Scripts that are written without
// spaces give one token for each pair of neighbouring runes.
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
			l.word(&dst[len(dst)-1], text, j, initial)
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

// entity returns the length of an HTML entity that s begins with, such as
// &rsquo; or &#8217;, or 0.
func entity(s string) int {
	const longest = 10
	for i := 1; i < len(s) && i < longest; i++ {
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

// letterAt reports whether a letter or a mark on one stands at byte i.
func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !spaceless(r)
}

// apostrophe returns the end of a word whose letters end at j, with the 's or
// n't that is written after it.
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

// word sets what t, whose place is set, is. Its letters are those of ASCII up to
// text[j]; what is behind that is what an apostrophe adds.
func (l *Lexicon) word(t *Token, text string, j int, initial bool) {
	i, end := int(t.Start), int(t.End)
	var buf [maxWord]byte
	w := buf[:j-i]
	for k := range w {
		w[k] = text[i+k] | 0x20
	}
	if c := text[i]; c >= 'A' && c <= 'Z' {
		t.Class |= Capital
	}
	if initial {
		t.Class |= Initial
	}
	if end > j && len(w) > 1 && w[len(w)-1] == 'n' && text[end-1]|0x20 == 't' {
		t.Class |= Negation | Stop
	}
	l.fill(t, w)
}

// fill sets the key, the classes and the value of the lower-case word w.
func (l *Lexicon) fill(t *Token, w []byte) {
	h := Hash(w)
	if e, ok := l.words.Get(h); ok {
		t.Class |= e.class
		t.Value = e.value
		if e.key != 0 {
			t.Key = e.key
			return
		}
	}
	n := stem(w)
	t.Key = h
	if n.len != len(w) || n.y {
		if n.y {
			w[n.len-1] = 'y'
		} else {
			t.Stem = uint8(n.len) //nolint:gosec // at most maxWord
		}
		t.Key = Hash(w[:n.len])
		return
	}
	t.Stem = uint8(n.len) //nolint:gosec // at most maxWord
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool       { return c-'0' <= 9 }
