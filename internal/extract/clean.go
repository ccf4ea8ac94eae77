package extract

import (
	"strings"
	"unicode/utf8"
)

// stripMarkdown removes emphasis marks, link URLs, footnote marks and block
// quote marks from s and collapses white space. It returns s itself if there is
// no Markdown.
func stripMarkdown(s string) string {
	s = strings.TrimSpace(s)
	if !hasMarkdown(s) {
		return s
	}
	c := markdownStripper{src: s, dst: make([]byte, 0, len(s)), closers: [2]int{-1, -1}}
	c.walk()
	return strings.TrimSpace(string(c.dst))
}

// hasMarkdown reports whether s may contain Markdown or white space other than
// single spaces.
func hasMarkdown(s string) bool {
	for i := range len(s) {
		b := s[i]
		if b-'a' < 26 {
			continue
		}
		if isMarkdownByte(b) || b == ' ' && i > 0 && s[i-1] == ' ' {
			return true
		}
	}
	return false
}

// isMarkdownByte reports whether b may start text that [stripMarkdown] changes.
func isMarkdownByte(b byte) bool {
	switch b {
	case '*', '_', '`', '[', '~', '<', '\\', '\n', '\t':
		return true
	}
	return false
}

// A markdownStripper strips Markdown from src.
type markdownStripper struct {
	src          string
	dst          []byte
	closers      [2]int // offsets of the marks that close the current * and _ emphasis
	unclosed     [2]int // * and _ emphasis opened before these offsets is never closed
	unclosedCode int    // a code span opened before this offset is never closed
}

func (c *markdownStripper) walk() {
	for i := 0; i < len(c.src); {
		switch b := c.src[i]; b {
		case ' ', '\t', '\r', '\n':
			i = c.skipSpace(i)
		case '*', '_':
			i = c.emphasis(i)
		case '~':
			if strings.HasPrefix(c.src[i:], "~~") {
				i += 2
				continue
			}
			i = c.copy(i, 1)
		case '`':
			i = c.codeSpan(i)
		case '[':
			i = c.bracket(i)
		case '!':
			if strings.HasPrefix(c.src[i:], "![") && linkEnd(c.src, i+1) > 0 {
				i++
				continue
			}
			i = c.copy(i, 1)
		case '<':
			if n := inlineTagLen(c.src[i:]); n > 0 {
				c.writeSpace()
				i += n
				continue
			}
			i = c.copy(i, 1)
		case '\\':
			if i+1 < len(c.src) && isPunctuation(c.src[i+1]) {
				i = c.copy(i+1, 1)
				continue
			}
			i = c.copy(i, 1)
		default:
			n := i + 1
			for n < len(c.src) && !isSpecialByte(c.src[n]) {
				n++
			}
			i = c.copy(i, n-i)
		}
	}
}

// isSpecialByte reports whether [markdownStripper.walk] has a case for b.
func isSpecialByte(b byte) bool {
	switch b {
	case ' ', '\t', '\r', '\n', '*', '_', '~', '`', '[', '!', '<', '\\':
		return true
	}
	return false
}

// copy copies n bytes of src at i to dst and returns the offset after them.
func (c *markdownStripper) copy(i, n int) int {
	c.dst = append(c.dst, c.src[i:i+n]...)
	return i + n
}

// writeSpace appends a space unless dst is empty or already ends in one.
func (c *markdownStripper) writeSpace() {
	if n := len(c.dst); n > 0 && c.dst[n-1] != ' ' {
		c.dst = append(c.dst, ' ')
	}
}

// skipSpace replaces white space at i by one space. At the start of a line it
// also drops block quote marks.
func (c *markdownStripper) skipSpace(i int) int {
	atLineStart := false
	for i < len(c.src) {
		b := c.src[i]
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' && (b != '>' || !atLineStart) {
			break
		}
		atLineStart = atLineStart || b == '\n'
		i++
	}
	c.writeSpace()
	return i
}

// emphasis drops marks that open or close emphasis. It keeps literal marks, as
// in "5 * 3", "snake_case" and "p*".
func (c *markdownStripper) emphasis(i int) int {
	b := c.src[i]
	n := i
	for n < len(c.src) && c.src[n] == b {
		n++
	}
	before, after := i == 0 || endsOutsideWord(c.src[:i]), n == len(c.src) || !isWordByte(c.src[n])
	opens := n < len(c.src) && c.src[n] != ' ' && c.src[n] != '\n' && (before || b == '*')
	closes := i > 0 && c.src[i-1] != ' ' && c.src[i-1] != '\n' && (after || b == '*')
	switch {
	case n-i > 3:
		return c.copy(i, n-i)
	case !opens && !closes:
		return c.copy(i, n-i)
	case n-i > 1:
		if i > 0 && isWordByte(c.src[i-1]) && n < len(c.src) && isWordByte(c.src[n]) && c.occursOnce(c.src[i:n]) {
			return c.copy(i, n-i) // "2**8"
		}
		return n
	}
	mark := 0
	if b == '_' {
		mark = 1
	}
	if closes && c.closers[mark] == i {
		return n
	}
	if opens && before && i >= c.unclosed[mark] && i > c.closers[mark] {
		if e := closingEmphasis(c.src, n, b); e > 0 {
			c.closers[mark] = e
			return n
		}
		c.unclosed[mark] = len(c.src)
	}
	return c.copy(i, 1)
}

// occursOnce reports whether mark occurs only once in src, which it must
// contain.
func (c *markdownStripper) occursOnce(mark string) bool {
	first := strings.Index(c.src, mark)
	return first == strings.LastIndex(c.src, mark)
}

// closingEmphasis returns the offset of the mark that closes the emphasis
// starting at from, or 0.
func closingEmphasis(s string, from int, mark byte) int {
	for i := from + 1; i < len(s); i++ {
		if s[i] != mark || s[i-1] == ' ' || s[i-1] == mark || i+1 < len(s) && (s[i+1] == mark || isWordByte(s[i+1])) {
			continue
		}
		return i
	}
	return 0
}

// codeSpan drops the backticks around code. It keeps unbalanced backticks.
func (c *markdownStripper) codeSpan(i int) int {
	n := i
	for n < len(c.src) && c.src[n] == '`' {
		n++
	}
	// A backtick before a space may be used as a quotation mark.
	if i < c.unclosedCode || n == len(c.src) || n-i == 1 && c.src[n] == ' ' {
		return c.copy(i, n-i)
	}
	end := strings.Index(c.src[n:], c.src[i:n])
	if end < 0 {
		c.unclosedCode = len(c.src)
		return c.copy(i, n-i)
	}
	c.dst = append(c.dst, c.src[n:n+end]...)
	return n + end + (n - i)
}

// bracket writes the text of a link without its URL and drops footnote marks.
func (c *markdownStripper) bracket(i int) int {
	if strings.HasPrefix(c.src[i:], "[^") {
		if n := strings.IndexByte(c.src[i:min(len(c.src), i+40)], ']'); n > 0 {
			i += n + 1
			if i < len(c.src) && c.src[i] == ':' {
				i++
			}
			return i
		}
	}
	if e := linkEnd(c.src, i); e > 0 {
		text := c.src[i+1 : i+strings.Index(c.src[i:], "](")]
		c.dst = append(c.dst, stripMarkdown(text)...)
		return e
	}
	return c.copy(i, 1)
}

// linkEnd returns the end of the link whose text starts with the bracket at i,
// or 0 if there is no link.
func linkEnd(s string, i int) int {
	const maxLen = 1000
	window := s[i:min(len(s), i+maxLen)]
	n := strings.Index(window, "](")
	if n < 0 || strings.IndexByte(window[1:n], '[') >= 0 || strings.IndexByte(window[1:n], ']') >= 0 {
		return 0
	}
	depth := 0
	for k := n + 1; k < len(window); k++ {
		switch window[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				if _, title, ok := strings.Cut(window[n+2:k], " "); ok && isClause(title) {
					return 0 // the title says something
				}
				return i + k + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}

// inlineTagLen returns the length of the inline HTML tag at the start of s, or
// 0.
func inlineTagLen(s string) int {
	n := strings.IndexByte(s[:min(len(s), 16)], '>')
	if n < 2 {
		return 0
	}
	switch strings.Trim(s[1:n], "/ ") {
	case "b", "i", "u", "em", "strong", "br", "sup", "sub", "code", "mark", "p", "span", "small":
		return n + 1
	}
	return 0
}

func isPunctuation(b byte) bool {
	return b > ' ' && b < utf8.RuneSelf && !isWordByte(b) || b == '_'
}

func isWordByte(b byte) bool {
	return b|0x20-'a' < 26 || b-'0' < 10 || b >= utf8.RuneSelf || b == '_'
}

// endsOutsideWord reports whether s, which is not empty, ends at a word
// boundary.
func endsOutsideWord(s string) bool {
	b := s[len(s)-1]
	return !isWordByte(b) || b == '_'
}
