package segment

import (
	"unicode"
	"unicode/utf8"
)

// stopSize returns the size in bytes of the non-ASCII stop at text[i], or 0.
// wide is false for ellipses and double marks, which like ASCII stops need a
// following space. It checks the first byte because all non-ASCII text passes
// through it.
func stopSize(text string, i int) (size int, wide bool) {
	switch text[i] {
	case 0xD6, 0xD8, 0xDB, 0xDC, 0xE0, 0xE1, 0xE2, 0xE3, 0xEF:
	default:
		return 0, false
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	switch r {
	case '…', '‼', '‽', '⁇', '⁈', '⁉':
		return size, false
	case '։', '؟', '۔', '\u0700', '\u0701', '\u0702', // Armenian, Arabic, Urdu, Syriac
		'।', '॥', '།', '༎', '።', '፧', '፨', '။', '។', '៕', '᠃', '᠉', // Indic, Tibetan, Ethiopic, Burmese, Khmer, Mongolian
		'。', '！', '．', '？', '｡':
		return size, true
	}
	return 0, false
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

func isASCIILetter(b byte) bool { return b|0x20-'a' < 26 }

func isDigit(b byte) bool { return b-'0' < 10 }

// repeats returns how often b is repeated at the start of text[i:end].
func repeats(text string, i, end int, b byte) int {
	n := i
	for n < end && text[n] == b {
		n++
	}
	return n - i
}
