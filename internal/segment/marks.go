package segment

import (
	"unicode"
	"unicode/utf8"
)

// stopSize returns the size in bytes of the non-ASCII stop at text[i], or 0.
// wide is false for ellipses and double marks, which like ASCII stops need a
// following space. It compares bytes because all non-ASCII text passes through
// it.
func stopSize(text string, i int) (size int, wide bool) {
	rest := len(text) - i
	switch text[i] {
	case 0xD6: // Armenian full stop
		if rest > 1 && text[i+1] == 0x89 {
			return 2, true
		}
	case 0xD8: // Arabic question mark
		if rest > 1 && text[i+1] == 0x9F {
			return 2, true
		}
	case 0xDB: // Urdu full stop
		if rest > 1 && text[i+1] == 0x94 {
			return 2, true
		}
	case 0xDC: // Syriac
		if rest > 1 && (text[i+1] == 0x80 || text[i+1] == 0x81 || text[i+1] == 0x82) {
			return 2, true
		}
	case 0xE0, 0xE1, 0xE2, 0xE3, 0xEF:
		if rest > 2 {
			return stopSize3(text[i], text[i+1], text[i+2])
		}
	}
	return 0, false
}

func stopSize3(a, b, c byte) (size int, wide bool) {
	switch a {
	case 0xE0: // danda, double danda; Tibetan shad
		if b == 0xA5 && (c == 0xA4 || c == 0xA5) || b == 0xBC && (c == 0x8D || c == 0x8E) {
			return 3, true
		}
	case 0xE1:
		switch {
		case b == 0x8D && (c == 0xA2 || c == 0xA7 || c == 0xA8), // Ethiopic
			b == 0x81 && c == 0x8B,                // Burmese section sign
			b == 0x9F && (c == 0x94 || c == 0x95), // Khmer
			b == 0xA0 && (c == 0x83 || c == 0x89): // Mongolian
			return 3, true
		}
	case 0xE2:
		switch {
		case b == 0x80 && (c == 0xA6 || c == 0xBC || c == 0xBD), // … ‼ ‽
			b == 0x81 && (c == 0x87 || c == 0x88 || c == 0x89): // ⁇ ⁈ ⁉
			return 3, false
		}
	case 0xE3: // 。
		if b == 0x80 && c == 0x82 {
			return 3, true
		}
	case 0xEF: // ！ ． ？ ｡
		if b == 0xBC && (c == 0x81 || c == 0x8E || c == 0x9F) || b == 0xBD && c == 0xA1 {
			return 3, true
		}
	}
	return 0, false
}

// isStop reports whether r may end a sentence.
func isStop(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '.' || r == '!' || r == '?'
	}
	var buf [utf8.UTFMax]byte
	n := utf8.EncodeRune(buf[:], r)
	size, _ := stopSize(string(buf[:n]), 0)
	return size > 0
}

// isCloser reports whether r closes a quotation, bracket or emphasis, so that
// it belongs to the sentence before it.
func isCloser(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}', '*', '_', '`', '~',
		'”', '’', '“', '»', '›', '」', '』', '）', '】', '》', '〉', '］', '〕':
		return true
	}
	return false
}

// isOpener reports whether r may precede the first letter of a sentence.
func isOpener(r rune) bool {
	switch r {
	case '"', '\'', '(', '[', '{', '*', '_', '`', '~', '<',
		'“', '‘', '”', '„', '‚', '«', '‹', '»', '¿', '¡', '「', '『', '（', '【', '《', '〈':
		return true
	}
	return false
}

// isSpace reports whether there is white space at text[i].
func isSpace(text string, i int) bool {
	b := text[i]
	if b < utf8.RuneSelf {
		return b == ' ' || '\t' <= b && b <= '\r'
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsSpace(r)
}

// skipSpace returns the offset of the first byte in text[i:end] that is not
// white space, or end.
func skipSpace(text string, i, end int) int {
	for i < end {
		b := text[i]
		if b == ' ' || '\t' <= b && b <= '\r' {
			i++
			continue
		}
		if b < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:end])
		if !unicode.IsSpace(r) {
			break
		}
		i += size
	}
	return i
}

// trim returns the bounds of text[start:end] without surrounding white space.
func trim(text string, start, end int) (from, to int) {
	start = skipSpace(text, start, end)
	for end > start {
		b := text[end-1]
		if b == ' ' || '\t' <= b && b <= '\r' {
			end--
			continue
		}
		if b < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeLastRuneInString(text[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= size
	}
	return start, end
}

func isASCIILetter(b byte) bool {
	return b|0x20-'a' < 26
}

func isDigit(b byte) bool { return b-'0' < 10 }
