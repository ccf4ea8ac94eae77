package extract

import (
	"bytes"
	"unicode/utf8"
)

// longest is the length in bytes above which a sentence is taken for a claim
// without a closer look.
const maxSentenceBytes = 480

// words is a sentence made plain: its words in lower case with a space between
// them, without punctuation and apostrophes ("I don't" is "i dont"), and a
// semicolon as a word of its own for semicolons and dashes.
type words []byte

// read is the words of text, in buf where that has room for twice its length,
// and whether text is marked, as isMarked has it of text without white space at
// its ends.
func normalize(buf []byte, text string) (w words, marked bool) {
	if cap(buf) < 2*len(text) {
		buf = make([]byte, 2*len(text))
	}
	buf = buf[:cap(buf)]
	n, gap := 0, false
	for i := 0; i < len(text); i++ {
		b := text[i]
		switch {
		case b|0x20-'a' < 26: // nearly all
			b |= 0x20
		case b-'0' < 10:
		case b == ' ':
			marked = marked || i > 0 && text[i-1] == ' '
			gap = true
			continue
		case b == '\'':
			continue
		case b == ';':
			n, gap = appendPause(buf, n), true
			continue
		case b < utf8.RuneSelf:
			marked = marked || isMarkdownByte(b)
			gap = true
			continue
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			i += size - 1
			switch r {
			case '’', '‘', 'ʼ':
			case '“', '”', '«', '»', '„', '…', '。', '，', '！', '、', '\u00a0', '–':
				gap = true
			case '—':
				n, gap = appendPause(buf, n), true
			default:
				if gap && n > 0 {
					buf[n] = ' '
					n++
				}
				gap = false
				n += copy(buf[n:], text[i+1-size:i+1])
			}
			continue
		}
		if gap && n > 0 {
			buf[n] = ' '
			n++
		}
		gap = false
		buf[n] = b
		n++
	}
	return words(buf[:n]), marked
}

// pause puts a semicolon, as a word of its own, at buf[n:] and returns where it
// ends.
func appendPause(buf []byte, n int) int {
	if n == 0 {
		return 0
	}
	return n + copy(buf[n:], " ;")
}

// next is the first word and the words after it.
func (w words) cutWord() (first []byte, rest words) {
	if n := bytes.IndexByte(w, ' '); n >= 0 {
		return w[:n], w[n+1:]
	}
	return w, nil
}

// after is what follows the phrase that w begins with.
func (w words) cutPrefix(phrase string) (words, bool) {
	n := len(phrase)
	if len(w) < n || string(w[:n]) != phrase || len(w) > n && w[n] != ' ' {
		return w, false
	}
	return w[min(n+1, len(w)):], true
}

// count is the number of words.
func (w words) count() int {
	if len(w) == 0 {
		return 0
	}
	return bytes.Count(w, []byte{' '}) + 1
}

// last is the last word.
func (w words) last() []byte { return w[bytes.LastIndexByte(w, ' ')+1:] }

// any reports whether one of the words is in the set.
func (w words) contains(set func([]byte) bool) bool {
	for len(w) > 0 {
		var first []byte
		if first, w = w.cutWord(); set(first) {
			return true
		}
	}
	return false
}

// digits reports whether there is a digit.
func (w words) hasDigit() bool {
	for _, b := range w {
		if b-'0' < 10 {
			return true
		}
	}
	return false
}

// skip is w without the words of the set that it begins with.
func (w words) skip(set func([]byte) bool) words {
	for len(w) > 0 {
		first, rest := w.cutWord()
		if !set(first) {
			break
		}
		w = rest
	}
	return w
}
