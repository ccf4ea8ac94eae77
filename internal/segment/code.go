package segment

import "strings"

// IsCode reports whether block is an indented Markdown code block: every line
// is indented, no line ends like a sentence, and at least one looks like source
// code.
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

// openFence parses the opening fence in the line text[start:end].
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
