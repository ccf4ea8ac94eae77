package segment

import "unicode/utf8"

// A marker is what stands before an item of a list.
type marker struct {
	size   int  // with the space that follows; 0 where there is none
	number int  // of a numbered item
	bullet rune // of a bulleted one
}

// Letters and Roman numbers count from here, so that "b." does not follow "1.".
const (
	letterItems = 5000
	romanItems  = 9000
)

// markerAt finds the list marker that text[start:end] begins with: a bullet, a
// number, a letter, a small Roman number. It must be followed by a space and
// something more: "5." alone is an answer and no marker.
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
		// The box of a task: "[ ]" or "[x]".
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

// enumeratorAt reads "1.", "1)", "1.)", "(1)", "a.", "a)", "(a)" or "iv." and
// returns the offset after it and its number (a letter's place in the
// alphabet); -1 where there is none.
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

func isRoman(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case 'i', 'v', 'x', 'I', 'V', 'X', 'L', 'C':
		default:
			return false
		}
	}
	return s != ""
}

// isBullet knows the signs beyond ASCII that stand before items.
func isBullet(r rune) bool {
	switch r {
	case '•', '‣', '◦', '⁃', '∙', '·', '●', '○', '◆', '◇', '▪', '▫', '■', '□', '►', '▶', '➤', '➢', '✓', '✔', '✗', '✘', '–', '—', '・':
		return true
	}
	return false
}

// headingMarks is the number of hashes that begin a heading, 0 where
// text[start:end] is none.
func headingMarks(text string, start, end int) int {
	n := 0
	for start+n < end && text[start+n] == '#' {
		n++
	}
	if n > 6 || start+n >= end || !isSpace(text, start+n) {
		return 0
	}
	return n
}

// withoutHashes is the end of a heading before the hashes that close it.
func withoutHashes(text string, start, end int) int {
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

// isRule reports whether text[start:end] is made of signs that draw a line, at
// least three of them.
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
