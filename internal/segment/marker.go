package segment

import (
	"strings"
	"unicode/utf8"
)

// A marker is the bullet or number before a list item.
type marker struct {
	size   int  // including the following space, or 0 if there is no marker
	number int  // number of a numbered item
	bullet rune // bullet of a bulleted item
}

// Offsets for letters and Roman numbers, so that "b." does not follow "1.".
const (
	letterItems = 5000
	romanItems  = 9000
)

// markerAt parses the list marker at the start of text[start:end]: a bullet, a
// number, a letter or a small Roman number. It must be followed by a space and
// more text, as "5." alone is an answer.
func markerAt(text string, start, end int) marker {
	if start >= end {
		return marker{}
	}
	m := marker{}
	i := start
	switch b := text[i]; {
	case b == '-' || b == '*' || b == '+':
		i++
		m.bullet = rune(b)
	case b == '[':
		// Task list checkbox: "[ ]" or "[x]".
		if end-i < 4 || text[i+2] != ']' || (text[i+1] != ' ' && text[i+1] != 'x' && text[i+1] != 'X') {
			return marker{}
		}
		i += 3
	case b == '(' || b-'0' < 10 || 'a' <= b && b <= 'z':
		i, m.number = enumeratorAt(text, i, end)
		if i < 0 {
			return marker{}
		}
	case b >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(text[i:end])
		if !isBullet(r) {
			return marker{}
		}
		m.bullet = r
		i += size
		if i < end && !isSpace(text, i) && r != '–' && r != '—' {
			m.size = i - start
			return m
		}
	default:
		return marker{}
	}
	if i >= end || !isSpace(text, i) {
		return marker{}
	}
	i, _ = trim(text, i, end)
	if i >= end {
		return marker{}
	}
	m.size = i - start
	return m
}

// enumeratorAt parses "1.", "1)", "1.)", "(1)", "a.", "a)", "(a)" or "iv." and
// returns the offset after it and its number, which for a letter is its
// position in the alphabet. The offset is -1 if there is none.
func enumeratorAt(text string, i, end int) (after, number int) {
	bracket := text[i] == '('
	if bracket {
		i++
	}
	first := i
	for i < end && i-first < 3 && text[i]-'0' < 10 {
		number = number*10 + int(text[i]-'0')
		i++
	}
	if i == first {
		for i < end && i-first < 5 && 'a' <= text[i] && text[i] <= 'z' {
			i++
		}
		switch {
		case i-first == 1:
			number = letterItems + int(text[first]-'a') + 1
		case i-first > 1 && isRoman(text[first:i]):
			number = romanItems
		default:
			return -1, 0
		}
	}
	switch {
	case i >= end:
		return -1, 0
	case text[i] == ')':
		i++
	case bracket:
		return -1, 0
	case text[i] == '.':
		i++
		if i < end && text[i] == ')' {
			i++
		}
	default:
		return -1, 0
	}
	return i, number
}

// isRoman reports whether s looks like a Roman number.
func isRoman(s string) bool { return s != "" && strings.Trim(s, "ivxIVXLC") == "" }

// isBullet reports whether r is a non-ASCII bullet.
func isBullet(r rune) bool {
	switch r {
	case '•', '‣', '◦', '⁃', '∙', '·', '●', '○', '◆', '◇', '▪', '▫', '■', '□', '►', '▶', '➤', '➢', '✓', '✔', '✗', '✘', '–', '—', '・':
		return true
	}
	return false
}

// headingLevel returns the number of hashes that start the heading
// text[start:end], or 0 if it is not a heading.
func headingLevel(text string, start, end int) int {
	n := repeats(text, start, end, '#')
	if n > 6 || start+n >= end || !isSpace(text, start+n) {
		return 0
	}
	return n
}

// trimClosingHashes returns the end of a heading before its closing hashes.
func trimClosingHashes(text string, start, end int) int {
	e := end
	for e > start && text[e-1] == '#' {
		e--
	}
	if e == end || e == start || text[e-1] != ' ' {
		return end
	}
	_, e = trim(text, start, e)
	return e
}

// isRule reports whether text[start:end] consists of at least three
// line-drawing marks.
func isRule(text string, start, end int) bool {
	n := 0
	for i := start; i < end; i++ {
		switch text[i] {
		case '-', '*', '_', '=', '~', '+', '|', ':':
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}
