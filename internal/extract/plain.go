package extract

import "strings"

// PlainText is the visible text of a context. It contains no HTML tags, comments and scripts,
// emphasis, deleted text or invisible characters, and is folded as by [Fold]. Cells of HTML tables
// are separated by bars and list items start with a bullet, as in Markdown.
type PlainText struct{ view }

// NewPlainText extracts the visible text of a context.
func NewPlainText(raw string) PlainText {
	p := contextStripper{viewBuilder: viewBuilder{raw: raw}}
	for i := 0; i < len(raw); {
		if specialBytes[raw[i]] == '.' {
			i++
			continue
		}
		i += max(1, p.replaceAt(i))
	}
	return PlainText{p.view()}
}

// Text returns the visible text.
func (p PlainText) Text() string { return p.text }

// Changed reports whether Text differs from the context.
func (p PlainText) Changed() bool { return p.cuts != nil }

// Span returns the byte range of the context that corresponds to Text[start:end].
func (p PlainText) Span(start, end int) (from, to int) {
	from = p.rawStart(start)
	return from, max(from, p.rawEnd(end))
}

// A contextStripper cuts what readers of a context do not see.
type contextStripper struct {
	viewBuilder
	closers [2]int // offsets of the marks that close the current * and _ emphasis
	hidden  [3]int // offsets up to which no end of a hidden element was found
}

// hiddenElement returns the length of the HTML comment, script or style sheet at i, or 0.
func (p *contextStripper) hiddenElement(i int) int {
	for k, e := range [...]struct{ start, end string }{{"<!--", "-->"}, {"<script", "</script>"}, {"<style", "</style>"}} {
		if i < p.hidden[k] || i+len(e.start) > len(p.raw) || !strings.EqualFold(p.raw[i:i+len(e.start)], e.start) {
			continue
		}
		if n := strings.Index(p.raw[i:], e.end); n >= 0 {
			return n + len(e.end)
		}
		p.hidden[k] = len(p.raw)
	}
	return 0
}

// replaceAt replaces markup at i and returns the number of bytes processed, or
// 0 if there is no markup.
func (p *contextStripper) replaceAt(i int) int {
	switch p.raw[i] {
	case '<':
		if n := p.tag(i); n > 0 {
			return n
		}
	case '&':
		if char, n := htmlEntity(p.raw, i); n > 0 {
			return p.replace(i, i+n, Fold(char))
		}
	case '*', '_', '~':
		return p.emphasis(i)
	case '[':
		end := linkEnd(p.raw, i)
		if end == 0 {
			return 0
		}
		text := i + strings.Index(p.raw[i:end], "](")
		start := i
		if i > p.done && p.raw[i-1] == '!' { // an image
			start--
		}
		p.replace(start, i+1, "")
		p.replace(text, text+len("]("), " (")
		return text + len("](") - i
	case '\r':
		if i+1 < len(p.raw) && p.raw[i+1] == '\n' {
			return p.replace(i, i+1, "")
		}
		return 0
	}
	char, n, ok := foldAt(p.raw, i)
	if ok {
		return p.replace(i, i+n, char)
	}
	return n
}

func (p *contextStripper) tag(i int) int {
	if n := p.hiddenElement(i); n > 0 {
		return p.replace(i, i+n, "")
	}
	name, n := htmlTag(p.raw, i)
	if n == 0 {
		return 0
	}
	opens := p.raw[i+1] != '/'
	if opens && (name == "del" || name == "s" || name == "strike") {
		if end := strings.Index(p.raw[i+n:], "</"+name+">"); end >= 0 {
			return p.replace(i, i+n+end+len(name)+len("</>"), "")
		}
	}
	replacement := ""
	switch {
	case name == "td" || name == "th":
		replacement = " "
		if opens {
			replacement = "| "
		}
	case name == "tr" && !opens, name == "thead" || name == "tbody": // the rows start new lines
	case name == "li" && opens:
		replacement = "\n- "
	case name == "sup":
		replacement = supReplacement(p.raw, i)
	case isBlockTag(name):
		replacement = "\n"
	}
	return p.replace(i, i+n, replacement)
}

// emphasis drops the marks of **bold** and _italic_ text, and all of ~~struck~~ text. It
// keeps literal marks, as in "5 * 3", "snake_case", "* item" and horizontal rules.
func (p *contextStripper) emphasis(i int) int {
	const maxLen = 400
	b := p.raw[i]
	n := len(p.raw) - len(strings.TrimLeft(p.raw[i:], string(rune(b))))
	mark := 0
	if b == '_' {
		mark = 1
	}
	if i < p.closers[mark] {
		return n - i
	}
	if i == p.closers[mark] && i > 0 {
		return p.replace(i, n, "")
	}
	if n-i > 3 || b == '~' && n-i != 2 || n == len(p.raw) || isSpace(p.raw[n]) || i > 0 && isWordByte(p.raw[i-1]) {
		return n - i
	}
	line := p.raw[n:min(len(p.raw), n+maxLen)]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	for at := 0; ; {
		next := strings.Index(line[at:], p.raw[i:n])
		if next < 0 {
			return n - i
		}
		at += next
		after := n + at + n - i
		if at > 0 && line[at-1] != ' ' && (after == len(p.raw) || !isWordByte(p.raw[after])) {
			if b == '~' {
				return p.replace(i, after, "")
			}
			p.closers[mark] = n + at
			return p.replace(i, n, "")
		}
		at++
	}
}
