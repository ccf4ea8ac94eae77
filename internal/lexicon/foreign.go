package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foreign appends the tokens of the run of letters at i, which are not all ASCII, and
// returns the end of the run. It ignores accents.
func (l *Lexicon) foreign(dst []Token, text string, i int, initial bool) ([]Token, int) {
	r, size := utf8.DecodeRuneInString(text[i:])
	if IsSpaceless(r) {
		return bigrams(dst, text, i)
	}
	if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
		return dst, i + size
	}
	j := i
	for j < len(text) {
		r, size := utf8.DecodeRuneInString(text[j:])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) || IsSpaceless(r) {
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
	w := Fold(buf[:0], text[i:j])
	if len(w) <= maxWord {
		l.fill(&t, w, Hash(w))
	} else {
		t.Key = Hash(w)
	}
	return append(dst, t), j
}

// withoutUmlauts returns w in lower case with a, o and u for the ae, oe and ue that German
// writes without umlauts: Zurich for Zuerich, but not Baur for Bauer.
func withoutUmlauts(dst []byte, w string) []byte {
	for i := range len(w) {
		c := w[i] | 0x20
		if c == 'e' && i > 0 {
			switch w[i-1] | 0x20 {
			case 'a', 'o':
				continue
			case 'u':
				if i == 1 || !strings.ContainsRune("aeqAEQ", rune(w[i-2])) {
					continue
				}
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// Fold appends s to dst in lower case, without accents and with ss for ß.
func Fold(dst []byte, s string) []byte {
	var it norm.Iter
	it.InitString(norm.NFKD, s)
	for !it.Done() {
		for seg := it.Next(); len(seg) > 0; {
			r, n := utf8.DecodeRune(seg)
			switch {
			case r == 'ß' || r == 'ẞ':
				dst = append(dst, "ss"...)
			case !unicode.Is(unicode.Mn, r):
				dst = utf8.AppendRune(dst, unicode.ToLower(r))
			}
			seg = seg[n:]
		}
	}
	return dst
}

// bigrams appends a token for each pair of adjacent characters in a run of text without spaces
// between words, and returns the end of the run. A run of one character is one token.
func bigrams(dst []Token, text string, i int) ([]Token, int) {
	add := func(start, end int) {
		dst = append(dst, Token{Key: Hash(text[start:end]), Start: int32(start), End: int32(end)}) //nolint:gosec // texts are shorter than 2 GiB
	}
	start, prev := i, i
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !IsSpaceless(r) {
			break
		}
		if i > start {
			add(prev, i+size)
		}
		prev = i
		i += size
	}
	if prev == start {
		add(start, i)
	}
	return dst, i
}

// IsSpaceless reports whether r belongs to a script without spaces between words.
func IsSpaceless(r rune) bool {
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
