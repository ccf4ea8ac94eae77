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

// markerAt parses the list marker at the start of text[start:end]: a bullet, a number, a letter or
// a small Roman number. It must be followed by a space and more text, as "5." alone is an answer.
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

func isRoman(s string) bool { return s != "" && strings.Trim(s, "ivxIVXLC") == "" }

// isBullet reports whether r is a non-ASCII bullet.
func isBullet(r rune) bool {
	return strings.ContainsRune("•‣◦⁃∙·●○◆◇▪▫■□►▶➤➢✓✔✗✘–—・", r)
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
	e := start + len(strings.TrimRight(text[start:end], "#"))
	if e == end || e == start || text[e-1] != ' ' {
		return end
	}
	_, e = trim(text, start, e)
	return e
}

// isRule reports whether text[start:end] consists of at least three line-drawing marks.
func isRule(text string, start, end int) bool {
	line := text[start:end]
	return strings.Trim(line, "-*_=~+|: \t") == "" && len(line)-strings.Count(line, " ")-strings.Count(line, "\t") >= 3
}

// IsCode reports whether block is an indented Markdown code block: every line is indented, no line
// ends like a sentence, and at least one looks like source code.
func IsCode(block string) bool {
	found := false
	for l := range strings.Lines(block) {
		l = strings.TrimRight(l, " \t\r\n")
		if l == "" {
			continue
		}
		if !isIndented(l) {
			return false
		}
		found = found || looksLikeCode(l)
		if strings.HasSuffix(l, ".") || strings.HasSuffix(l, "?") {
			return false
		}
	}
	return found
}

// isIndented reports whether the line is indented by a tab or four spaces.
func isIndented(l string) bool {
	return strings.HasPrefix(l, "    ") || strings.HasPrefix(l, "\t")
}

// looksLikeCode reports whether a line contains typical source code syntax.
func looksLikeCode(l string) bool {
	l = strings.TrimSpace(l)
	return strings.HasSuffix(l, ";") || strings.HasSuffix(l, "{") || strings.HasSuffix(l, "}") || strings.HasSuffix(l, ")") && strings.IndexByte(l, ' ') < 0 ||
		strings.HasPrefix(l, "$ ") || strings.Contains(l, " = ") || strings.Contains(l, "()") || strings.Contains(l, " := ") ||
		strings.Contains(l, "=\"") || strings.HasPrefix(l, "import ") || strings.HasPrefix(l, "def ") || strings.HasPrefix(l, "</")
}

// indentedCode returns the end of the indented code block at text[at:], or at
// if there is none. The block ends at a blank line.
func indentedCode(text string, at int) int {
	if !isIndented(text[at:]) {
		return at
	}
	end := at
	for line := range strings.Lines(text[at:]) {
		if !isIndented(line) || strings.TrimSpace(line) == "" && line[len(line)-1] == '\n' {
			break
		}
		end += len(line)
	}
	if !IsCode(text[at:end]) {
		return at
	}
	return end
}

// A codeFence is an open fenced code block.
type codeFence struct {
	open  bool
	prose bool // contains prose, as "```markdown" does
	start int
	char  byte
	size  int
}

func openFence(text string, start, end int) codeFence {
	f := codeFence{open: true, start: start, char: text[start], size: repeats(text, start, end, text[start])}
	switch strings.ToLower(strings.TrimSpace(text[start+f.size : end])) {
	case "markdown", "md", "text", "txt", "plaintext":
		f.prose = true
	case "":
		line, _, _ := strings.Cut(strings.TrimLeft(text[end:], "\r\n"), "\n")
		f.prose = isProse(strings.TrimSpace(line))
	}
	return f
}

// isProse reports whether a line is a sentence of at least four words without signs of code.
func isProse(line string) bool {
	return line != "" && 'A' <= line[0] && line[0] <= 'Z' && strings.IndexByte(".!?", line[len(line)-1]) >= 0 &&
		strings.Count(line, " ") >= 3 && !strings.ContainsAny(line, "{}=;$\\<>|")
}

func (f codeFence) closes(text string, at, end int) bool {
	line := strings.TrimLeft(text[at:end], " \t>")
	n := repeats(line, 0, len(line), f.char)
	return n >= f.size && strings.Trim(line[n:], " \t\r") == ""
}

// isFence reports whether text[start:end] opens a fenced code block: at least
// three marks, and no backtick after opening backticks, which would be inline
// code.
func isFence(text string, start, end int) bool {
	mark := text[start]
	n := repeats(text, start, end, mark)
	return n >= 3 && (mark == '~' || strings.IndexByte(text[start+n:end], '`') < 0)
}

// handleInlineFence emits a fenced block whose line breaks were lost, with
// spaces around its fences: "Run this: ``` make ``` Then wait."
func (sp *splitter) handleInlineFence(s *scanState, i int) int {
	const mark = "```"
	text := sp.text[:s.end]
	j := i + len(mark)
	if i < s.fenceLimit || j >= s.end || text[j] != ' ' || i > s.start && text[i-1] != ' ' {
		return j + repeats(text, j, s.end, '`')
	}
	n := strings.Index(text[j:], mark)
	if n < 0 {
		s.fenceLimit = s.end
		return j
	}
	past := j + n + len(mark)
	if past < s.end && !isSpace(text, past) {
		return past
	}
	if i > s.start {
		sp.emit(s.start, i)
	}
	sp.emit(i, past)
	s.start, s.quotes = skipSpace(text, past, s.end), 0
	if m := markerAt(text, s.start, s.end); m.bullet != 0 {
		s.start += m.size
	}
	return max(s.start, past)
}
