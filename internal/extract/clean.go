package extract

import (
	"strings"
	"unicode/utf8"
)

// clean is what a piece of Markdown says: without emphasis, the addresses of
// links, the marks of footnotes and quotes, and with a space for white space of
// any length. Text without such marks is returned as it is.
func clean(s string) string {
	s = strings.TrimSpace(s)
	if !isMarked(s) {
		return s
	}
	c := cleaner{in: s, out: make([]byte, 0, len(s)), ends: [2]int{-1, -1}}
	c.walk()
	return strings.TrimSpace(string(c.out))
}

// isMarked reports whether s may hold marks of Markdown, or white space other
// than a space between words.
func isMarked(s string) bool {
	for i := range len(s) {
		b := s[i]
		if b-'a' < 26 {
			continue // most of a text
		}
		if isMark(b) || b == ' ' && i > 0 && s[i-1] == ' ' {
			return true
		}
	}
	return false
}

// isMark reports whether clean may change what stands at b, and around it.
func isMark(b byte) bool {
	switch b {
	case '*', '_', '`', '[', '~', '<', '\\', '\n', '\t':
		return true
	}
	return false
}

// A cleaner walks over one piece of Markdown.
type cleaner struct {
	in   string
	out  []byte
	ends [2]int // where the emphasis that was opened closes, by its mark: * and _
	none [2]int // no emphasis that is opened before this offset closes
	code int    // no code that is opened before this offset closes
}

func (c *cleaner) walk() {
	for i := 0; i < len(c.in); {
		switch b := c.in[i]; b {
		case ' ', '\t', '\r', '\n':
			i = c.space(i)
		case '*', '_':
			i = c.emphasis(i)
		case '~':
			if strings.HasPrefix(c.in[i:], "~~") {
				i += 2
				continue
			}
			i = c.copy(i, 1)
		case '`':
			i = c.codeSpan(i)
		case '[':
			i = c.bracket(i)
		case '!':
			if strings.HasPrefix(c.in[i:], "![") && linkEnd(c.in, i+1) > 0 {
				i++
				continue
			}
			i = c.copy(i, 1)
		case '<':
			if n := tag(c.in[i:]); n > 0 {
				c.gap()
				i += n
				continue
			}
			i = c.copy(i, 1)
		case '\\':
			if i+1 < len(c.in) && isPunctuation(c.in[i+1]) {
				i = c.copy(i+1, 1)
				continue
			}
			i = c.copy(i, 1)
		default:
			n := i + 1
			for n < len(c.in) && !isSpecial(c.in[n]) {
				n++
			}
			i = c.copy(i, n-i)
		}
	}
}

// isSpecial reports whether walk looks at the byte.
func isSpecial(b byte) bool {
	switch b {
	case ' ', '\t', '\r', '\n', '*', '_', '~', '`', '[', '!', '<', '\\':
		return true
	}
	return false
}

func (c *cleaner) copy(i, n int) int {
	c.out = append(c.out, c.in[i:i+n]...)
	return i + n
}

// gap puts one space between what is written and what comes.
func (c *cleaner) gap() {
	if n := len(c.out); n > 0 && c.out[n-1] != ' ' {
		c.out = append(c.out, ' ')
	}
}

// space skips white space and the marks of a block quote on a new line.
func (c *cleaner) space(i int) int {
	line := false
	for i < len(c.in) {
		b := c.in[i]
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' && (b != '>' || !line) {
			break
		}
		line = line || b == '\n'
		i++
	}
	c.gap()
	return i
}

// emphasis drops the marks that open or close an emphasis and keeps those that
// mean themselves: "5 * 3", "snake_case", "p*".
func (c *cleaner) emphasis(i int) int {
	b := c.in[i]
	n := i
	for n < len(c.in) && c.in[n] == b {
		n++
	}
	before, after := i == 0 || isEdge(c.in[:i]), n == len(c.in) || !isWordByte(c.in[n])
	opens := n < len(c.in) && c.in[n] != ' ' && c.in[n] != '\n' && (before || b == '*')
	closes := i > 0 && c.in[i-1] != ' ' && c.in[i-1] != '\n' && (after || b == '*')
	switch {
	case n-i > 3:
		return c.copy(i, n-i)
	case !opens && !closes:
		return c.copy(i, n-i)
	case n-i > 1:
		if i > 0 && isWordByte(c.in[i-1]) && n < len(c.in) && isWordByte(c.in[n]) && c.alone(c.in[i:n]) {
			return c.copy(i, n-i) // "2**8"
		}
		return n
	}
	k := 0
	if b == '_' {
		k = 1
	}
	if closes && c.ends[k] == i {
		return n
	}
	if opens && before && i >= c.none[k] && i > c.ends[k] {
		if e := closingMark(c.in, n, b); e > 0 {
			c.ends[k] = e
			return n
		}
		c.none[k] = len(c.in)
	}
	return c.copy(i, 1)
}

// alone reports whether the text holds the mark only once.
func (c *cleaner) alone(mark string) bool {
	first := strings.Index(c.in, mark)
	return first == strings.LastIndex(c.in, mark)
}

// closingMark is where the emphasis that was opened before from closes, 0 for
// nowhere.
func closingMark(s string, from int, mark byte) int {
	for i := from + 1; i < len(s); i++ {
		if s[i] != mark || s[i-1] == ' ' || s[i-1] == mark || i+1 < len(s) && (s[i+1] == mark || isWordByte(s[i+1])) {
			continue
		}
		return i
	}
	return 0
}

// codeSpan drops the backticks around code and keeps what they hold. One that
// closes nothing is kept.
func (c *cleaner) codeSpan(i int) int {
	n := i
	for n < len(c.in) && c.in[n] == '`' {
		n++
	}
	// Some write an opening quotation mark so, with a space after it.
	if i < c.code || n == len(c.in) || n-i == 1 && c.in[n] == ' ' {
		return c.copy(i, n-i)
	}
	end := strings.Index(c.in[n:], c.in[i:n])
	if end < 0 {
		c.code = len(c.in)
		return c.copy(i, n-i)
	}
	c.out = append(c.out, c.in[n:n+end]...)
	return n + end + (n - i)
}

// bracket writes the text of a link without its address and drops the mark of a
// footnote.
func (c *cleaner) bracket(i int) int {
	if strings.HasPrefix(c.in[i:], "[^") {
		if n := strings.IndexByte(c.in[i:min(len(c.in), i+40)], ']'); n > 0 {
			i += n + 1
			if i < len(c.in) && c.in[i] == ':' {
				i++
			}
			return i
		}
	}
	if e := linkEnd(c.in, i); e > 0 {
		text := c.in[i+1 : i+strings.Index(c.in[i:], "](")]
		c.out = append(c.out, clean(text)...)
		return e
	}
	return c.copy(i, 1)
}

// linkEnd is the offset after the link whose text begins with the bracket at i,
// 0 where there is none.
func linkEnd(s string, i int) int {
	const longest = 1000
	near := s[i:min(len(s), i+longest)]
	n := strings.Index(near, "](")
	if n < 0 || strings.IndexByte(near[1:n], '[') >= 0 || strings.IndexByte(near[1:n], ']') >= 0 {
		return 0
	}
	depth := 0
	for k := n + 1; k < len(near); k++ {
		switch near[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + k + 1
			}
		case '\n':
			return 0
		}
	}
	return 0
}

// tag is the length of the tag of HTML that s begins with, of those that mark up
// words; 0 for none.
func tag(s string) int {
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

// isEdge reports whether a word may begin after s.
func isEdge(s string) bool {
	b := s[len(s)-1]
	return !isWordByte(b) || b == '_'
}
