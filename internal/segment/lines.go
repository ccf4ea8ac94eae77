package segment

import "strings"

// A lineKind is what a line is in the layout of a text.
type lineKind uint8

const (
	blank   lineKind = iota
	prose            // goes on in the next line where both agree to it
	item             // of a list, after its marker
	heading          // after its hashes
	row              // of a table
	rule             // signs only: a thematic break, an underline
	fence            // opens or closes a block of code
)

// A line is one line of the text without the white space at its ends.
type line struct {
	kind       lineKind
	start, end int  // what it says, after its marker
	number     int  // of a numbered item, 0 elsewhere
	bullet     rune // of an item that has one
	firm       bool // two spaces or a backslash at its end: it is not wrapped
	spaced     bool // one space at its end
	quoted     bool // in a block quote
}

// A block is a run of lines that is scanned as one.
type block struct {
	open       bool
	start, end int
	number     int
	bullet     rune
	last       line // its last line
}

// document gathers the lines of the text into blocks and cuts each.
func (c *cutter) document() {
	var b block
	var code codeFence
	var g grid
	list, blanks := false, true // what came last is an item or belongs to one; a blank line
	for at := 0; at < len(c.text); {
		end, next := len(c.text), len(c.text)
		if n := strings.IndexByte(c.text[at:], '\n'); n >= 0 {
			end, next = at+n, at+n+1
		}
		if code.open && !code.plain {
			if code.closes(c.text, at, end) {
				c.emit(code.start, end)
				code.open = false
			}
			at = next
			continue
		}
		if blanks && !list {
			if e := indentedCode(c.text, at); e > at {
				c.flush(&b)
				c.emit(at, e)
				at = e
				continue
			}
		}
		l := c.line(at, end)
		if g.row(c.text, l.start, end, next) && l.kind != blank && l.kind != fence {
			l.kind = row
			l.start, l.end = trim(c.text, at, end)
			for l.start < l.end && c.text[l.start] == '>' {
				l.start, _ = trim(c.text, l.start+1, l.end)
			}
		}
		blanks = l.kind == blank
		if !blanks {
			list = l.kind == item || list && (c.text[at] == ' ' || c.text[at] == '\t')
		}
		switch l.kind {
		case prose:
			if b.open && c.wrapped(b.last, l) {
				b.end, b.last = l.end, l
				break
			}
			c.flush(&b)
			b = block{open: true, start: l.start, end: l.end, last: l}
		case item:
			c.flush(&b)
			b = block{open: true, start: l.start, end: l.end, number: l.number, bullet: l.bullet, last: l}
		case heading:
			c.flush(&b)
			b = block{open: true, start: l.start, end: l.end, last: l}
			c.flush(&b)
		case row, rule:
			c.flush(&b)
			c.emit(l.start, l.end)
		case fence:
			c.flush(&b)
			if code.open && code.closes(c.text, at, end) {
				code.open = false
			} else {
				code = opened(c.text, l.start, l.end)
			}
		case blank:
			c.flush(&b)
			for next < len(c.text) && c.text[next] == '\n' {
				next++
			}
		}
		at = next
	}
	c.flush(&b)
	if code.open && !code.plain {
		c.emit(code.start, len(c.text))
	}
}

// flush cuts the block that was gathered and closes it.
func (c *cutter) flush(b *block) {
	if b.open {
		c.prose(b.start, b.end, b.number, b.bullet)
		b.open = false
	}
}

// line says what the line text[at:end] is.
func (c *cutter) line(at, end int) line {
	text := c.text
	start, stop := trim(text, at, end)
	l := line{kind: prose, start: start, end: stop}
	l.firm = hardBreak(text, stop, end)
	l.spaced = end-stop == 1 && text[stop] == ' '
	for l.start < l.end && text[l.start] == '>' {
		l.start, _ = trim(text, l.start+1, l.end)
		l.quoted = true
	}
	if l.start == l.end {
		l.kind = blank
		return l
	}
	switch b := text[l.start]; {
	case (b == '`' || b == '~') && isFence(text, l.start, l.end):
		l.kind = fence
		return l
	case b == '|' && l.end-l.start > 1 && text[l.end-1] == '|':
		l.kind = row
		return l
	case b == '#':
		if n := headingMarks(text, l.start, l.end); n > 0 {
			l.kind = heading
			l.start, _ = trim(text, l.start+n, l.end)
			l.end = withoutHashes(text, l.start, l.end)
			return l
		}
	}
	if isRule(text, l.start, l.end) {
		l.kind = rule
		return l
	}
	// "- 1. " and "- [x] " are two markers; more than three are no list.
	for range 3 {
		m := markerAt(text, l.start, l.end)
		if m.size == 0 {
			break
		}
		l.kind = item
		l.start += m.size
		if m.number > 0 {
			l.number = m.number
		}
		if m.bullet != 0 {
			l.bullet = m.bullet
		}
	}
	return l
}

// hardBreak reports whether a line that says nothing after stop is broken on
// purpose, as Markdown writes it.
func hardBreak(text string, stop, end int) bool {
	if stop > 0 && stop <= end && text[stop-1] == '\\' {
		return true
	}
	return end-stop >= 2 && text[stop] == ' ' && text[stop+1] == ' '
}
