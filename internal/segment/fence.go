package segment

import "strings"

// A codeFence is a fenced block of code that was opened.
type codeFence struct {
	open  bool
	plain bool // it fences prose: "```markdown"
	start int
	mark  byte
	size  int
}

// opened is the fence that the line text[start:end] opens.
func opened(text string, start, end int) codeFence {
	f := codeFence{open: true, start: start, mark: text[start]}
	for start+f.size < end && text[start+f.size] == f.mark {
		f.size++
	}
	switch info := text[start+f.size : end]; {
	case strings.EqualFold(strings.TrimSpace(info), "markdown"),
		strings.EqualFold(strings.TrimSpace(info), "md"),
		strings.EqualFold(strings.TrimSpace(info), "text"),
		strings.EqualFold(strings.TrimSpace(info), "txt"),
		strings.EqualFold(strings.TrimSpace(info), "plaintext"):
		f.plain = true
	}
	return f
}

// closes reports whether the line text[at:end] ends the block.
func (f codeFence) closes(text string, at, end int) bool {
	for at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '>') {
		at++
	}
	n := 0
	for at < end && text[at] == f.mark {
		at++
		n++
	}
	if n < f.size {
		return false
	}
	for at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r') {
		at++
	}
	return at == end
}

// isFence reports whether text[start:end] opens a block of code: at least three
// marks, and no backtick after backticks, which is code within a line.
func isFence(text string, start, end int) bool {
	mark, n := text[start], 0
	for start+n < end && text[start+n] == mark {
		n++
	}
	if n < 3 {
		return false
	}
	return mark == '~' || strings.IndexByte(text[start+n:end], '`') < 0
}

// inlineFence keeps a block of code apart that lost its line breaks: spaces
// stand around its fences. "Run this: ``` make ``` Then wait."
func (c *cutter) inlineFence(s *scan, i int) int {
	const mark = "```"
	text := c.text[:s.end]
	j := i + len(mark)
	if i < s.fence || j >= s.end || text[j] != ' ' || i > s.start && text[i-1] != ' ' {
		for j < s.end && text[j] == '`' {
			j++
		}
		return j
	}
	n := strings.Index(text[j:], mark)
	if n < 0 {
		s.fence = s.end
		return j
	}
	past := j + n + len(mark)
	if past < s.end && !isSpace(text, past) {
		return past
	}
	if i > s.start {
		c.emit(s.start, i)
	}
	c.emit(i, past)
	s.start, s.quotes = skipSpace(text, past, s.end), 0
	if m := markerAt(text, s.start, s.end); m.bullet != 0 {
		s.start += m.size
	}
	return max(s.start, past)
}
