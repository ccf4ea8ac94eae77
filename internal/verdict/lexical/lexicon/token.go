package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Class is a set of things that are known of a word.
type Class uint16

// What is known of a word.
const (
	Stop     Class = 1 << iota // carries no content of its own
	Negation                   // not, never, without, words in -n't
	Number                     // written in digits
	Numeral                    // a number word; Token.Value is its value
	Scale                      // hundred, thousand, k, bn; Token.Value is the factor
	Ordinal                    // 14th, fourteenth
	Month                      // Token.Value is 1 to 12
	Unit                       // Token.Value is an index into Lexicon.Units
	Hedge                      // about, nearly: the number after it is rounded
	AtLeast                    // over, more than: the number after it is a lower bound
	Capital                    // begins with a capital letter
	Initial                    // stands first in its sentence
	Polarity                   // turns the sense without being a negation: avoid, unless, if
	Label                      // passage, step: a number after it is a name and no quantity
	Ideogram                   // a pair of runes of a script without spaces
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
			dst = append(dst, l.word(text, i, j, end, initial))
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

// word makes the token of the ASCII letters text[i:j]; text[j:end] is what an
// apostrophe adds.
func (l *Lexicon) word(text string, i, j, end int, initial bool) Token {
	var buf [maxWord]byte
	w := buf[:j-i]
	for k := range w {
		w[k] = text[i+k] | 0x20
	}
	t := Token{Start: int32(i), End: int32(end)} //nolint:gosec // texts are shorter than 2 GiB
	if c := text[i]; c >= 'A' && c <= 'Z' {
		t.Class |= Capital
	}
	if initial {
		t.Class |= Initial
	}
	if end > j && len(w) > 1 && w[len(w)-1] == 'n' && text[end-1]|0x20 == 't' {
		t.Class |= Negation | Stop
	}
	l.fill(&t, w)
	return t
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

// number makes the token of the digits at i, with the separators inside them:
// 3,000 and 3000.0 have one key. Letters that follow at once (5km, 14th) are a
// token of their own, unless they are the ending of an ordinal.
func (l *Lexicon) number(dst []Token, text string, i int, initial bool) ([]Token, int) {
	j := i
	var v float64
	var canon [40]byte
	n, point := 0, -1
	frac := 1.0
	for j < len(text) {
		c := text[j]
		if isDigit(c) {
			if n < len(canon) {
				canon[n] = c
				n++
			}
			if point >= 0 {
				frac /= 10
				v += float64(c-'0') * frac
			} else {
				v = v*10 + float64(c-'0')
			}
			j++
			continue
		}
		if j+1 >= len(text) || !isDigit(text[j+1]) {
			break
		}
		if c == ',' && point < 0 && groupOfThree(text, j+1) {
			j++
			continue
		}
		if c == '.' && point < 0 && n < len(canon) && !dotted(text, i, j+1) {
			canon[n] = '.'
			point = n
			n++
			j++
			continue
		}
		break
	}
	w := canon[:n]
	if point >= 0 {
		for len(w) > 0 && w[len(w)-1] == '0' {
			w = w[:len(w)-1]
		}
		if len(w) > 0 && w[len(w)-1] == '.' {
			w = w[:len(w)-1]
		}
		v = parse(w, v)
	}
	for len(w) > 1 && w[0] == '0' && w[1] != '.' {
		w = w[1:]
	}
	t := Token{Key: Hash(w), Value: v, Start: int32(i), Class: Number} //nolint:gosec // texts are shorter than 2 GiB
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

// dotted reports whether the number at i, with a stop before byte j, is a part
// of something like 31.12.1999 or 1.2.3, and so has no decimals.
func dotted(text string, i, j int) bool {
	if i > 1 && text[i-1] == '.' && isDigit(text[i-2]) {
		return true
	}
	for j < len(text) && isDigit(text[j]) {
		j++
	}
	return j+1 < len(text) && text[j] == '.' && isDigit(text[j+1])
}

// parse returns the value of the decimal w exactly, or v where it is too long.
func parse(w []byte, v float64) float64 {
	if len(w) > 17 {
		return v
	}
	m, scale := 0.0, 1.0
	seen := false
	for _, c := range w {
		if c == '.' {
			seen = true
			continue
		}
		m = m*10 + float64(c-'0')
		if seen {
			scale *= 10
		}
	}
	return m / scale
}

func groupOfThree(text string, k int) bool {
	for d := range 3 {
		if k+d >= len(text) || !isDigit(text[k+d]) {
			return false
		}
	}
	return k+3 >= len(text) || !isDigit(text[k+3])
}

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

// foreign makes the tokens of a run of letters that are not all ASCII, from i.
// Accents do not tell words apart.
func (l *Lexicon) foreign(dst []Token, text string, i int, initial bool) ([]Token, int) {
	r, size := utf8.DecodeRuneInString(text[i:])
	if spaceless(r) {
		return l.ideograms(dst, text, i)
	}
	if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
		return dst, i + size
	}
	j := i
	for j < len(text) {
		r, size := utf8.DecodeRuneInString(text[j:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) || spaceless(r) {
			break
		}
		j += size
	}
	t := Token{Start: int32(i), End: int32(j)} //nolint:gosec // texts are shorter than 2 GiB
	if unicode.IsUpper(r) {
		t.Class |= Capital
	}
	if initial {
		t.Class |= Initial
	}
	var buf [maxWord]byte
	w := fold(buf[:0], text[i:j])
	if len(w) <= maxWord {
		l.fill(&t, w)
		t.Stem = 0
	} else {
		t.Key = Hash(w)
	}
	return append(dst, t), j
}

// fold appends s in lower case and without accents.
func fold(dst []byte, s string) []byte {
	var it norm.Iter
	it.InitString(norm.NFKD, s)
	for !it.Done() {
		for seg := it.Next(); len(seg) > 0; {
			r, n := utf8.DecodeRune(seg)
			if !unicode.Is(unicode.Mn, r) {
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			seg = seg[n:]
		}
	}
	return dst
}

// ideograms makes a token of each pair of neighbours in a run of runes of a
// script without spaces, and of a rune that stands alone.
func (l *Lexicon) ideograms(dst []Token, text string, i int) ([]Token, int) {
	start, count := i, 0
	prev := i
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !spaceless(r) {
			break
		}
		if count > 0 {
			dst = append(dst, Token{
				Key: HashString(text[prev : i+size]), Class: Ideogram,
				Start: int32(prev), End: int32(i + size), //nolint:gosec // texts are shorter than 2 GiB
			})
		}
		prev = i
		i += size
		count++
	}
	if count == 1 {
		dst = append(dst, Token{
			Key: HashString(text[start:i]), Class: Ideogram,
			Start: int32(start), End: int32(i), //nolint:gosec // texts are shorter than 2 GiB
		})
	}
	return dst, i
}

// spaceless reports whether r is of a script that is written without spaces
// between its words.
func spaceless(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r < 0x1000: // Thai, Lao; Tibetan has its own marks
		return r < 0x0F00
	case r < 0x10A0: // Myanmar
		return true
	case r >= 0x1780 && r < 0x1800: // Khmer
		return true
	case r >= 0x3040 && r < 0x3100: // Hiragana, Katakana
		return true
	case r >= 0x3400 && r < 0xA000 || r >= 0xF900 && r < 0xFB00 || r >= 0x20000 && r < 0x32000: // Han
		return true
	}
	return false
}

func isASCIILetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool       { return c-'0' <= 9 }
