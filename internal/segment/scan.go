package segment

import (
	"strings"
	"unicode/utf8"
)

// A scan is the state of the walk over one block of prose.
type scan struct {
	start  int    // of the sentence that is being read
	end    int    // of the block
	quotes int    // straight double quotes since start
	url    int    // the end of the last address of the web
	fence  int    // fences opened before this offset are not closed
	caps   caps   // of the block, counted when first asked for
	shield int    // no sentence ends before this offset: it lies in brackets
	blind  int    // brackets opened before this offset have no other end
	deaf   [5]int // quotations of each kind opened before this offset have no end that is near
	number int    // of the last numbered item, 0 where there was none
	bullet rune   // of the item
}

// prose cuts text[start:end], a paragraph or what an item of a list says.
func (c *cutter) prose(start, end, number int, bullet rune) {
	s := scan{start: start, end: end, number: number, bullet: bullet}
	text := c.text[:end]
	for i := start; i < end; {
		b := text[i]
		if b|0x20-'a' < 26 || b == ' ' && s.number == 0 || b-'0' < 10 {
			i++ // most of a text
			continue
		}
		switch {
		case b == '.' || b == '!' || b == '?':
			i = c.at(&s, i, 1, false)
		case b == '"':
			s.quotes++
			if c.quotes && s.quotes%2 == 1 {
				c.quotation(&s, i, '"', 1)
			}
			i++
		case b == '\'' && c.quotes:
			c.quotation(&s, i, '\'', 1)
			i++
		case b == ':' || b == ';':
			i = c.colon(&s, i)
		case b == '@' || b == '>' && i > s.start && text[i-1] == '>':
			i = c.mailed(&s, i)
		case b == '`' && i+3 < end && text[i+1] == '`' && text[i+2] == '`':
			i = c.inlineFence(&s, i)
		case b == '-' && i > s.start+1 && i+2 < end && text[i+1] == ' ' && text[i-1] == ' ':
			i = c.attached(&s, i)
		case b == ',' && i-s.start < longestClose:
			i = c.comma(&s, i)
		case (b == '_' && !c.claims || b == '*' || b == '=') && i+ruled <= end && text[i+ruled-1] == b:
			i = c.ruled(&s, i)
		case b == ' ' && s.number > 0 && i+1 < end && (isDigit(text[i+1]) || s.number > letterItems && text[i+1]-'a' < 26):
			i = c.nextItem(&s, i+1)
		case b < utf8.RuneSelf:
			i++
		default:
			i = c.beyondASCII(&s, i)
		}
	}
	c.emit(s.start, end)
}

// at decides the stop of the given size at text[i] and returns where the walk
// goes on.
func (c *cutter) at(s *scan, i, size int, wide bool) int {
	if i > s.start+1 && i+2 < s.end && c.text[i] == '.' && c.text[i+1] == ' ' && c.text[i+2]-'a' < 26 &&
		isASCIILetter(c.text[i-1]) && c.text[i-2] == ' ' {
		return i + 1 // "a. b": a single letter before a small one ends nothing
	}
	st := c.stopAt(s, i, size, wide)
	if i < s.shield || !c.ends(s, &st) {
		return st.end
	}
	c.cut(s, st.past, st.next)
	return max(s.start, st.past)
}

// cut ends the sentence at end and begins the next at next, after the number
// that marks it as an item, if there is one.
func (c *cutter) cut(s *scan, end, next int) {
	c.emit(s.start, end)
	s.quotes = 0
	s.start = max(next, end)
	if s.start >= s.end {
		return
	}
	b := c.text[s.start]
	lettered := b-'a' < 26 && s.start+1 < s.end && c.text[s.start+1] == ')'
	if !isDigit(b) && b != '(' && b != 'a' && !lettered {
		return
	}
	m := markerAt(c.text, s.start, s.end)
	if m.size > 0 && m.number > 0 && (lettered || m.number == s.number+1 || m.number == 1 || m.number == letterItems+1) {
		s.number = m.number
		s.start += m.size
	}
}

// colon decides the mark that ends a sentence in Armenian (a colon) or Greek (a
// semicolon), and the colon before the first item of an enumeration within the
// line: "Do this: 1. Stop."
func (c *cutter) colon(s *scan, i int) int {
	text := c.text
	if i+1 < s.end && i > s.start && !isSpace(text, i+1) {
		return c.mark(s, i)
	}
	next := skipSpace(text, i+1, s.end)
	if next == i+1 || i == s.start {
		return i + 1
	}
	if r, _ := utf8.DecodeLastRuneInString(text[s.start:i]); r >= utf8.RuneSelf {
		if text[i] == ':' && 0x531 <= r && r <= 0x58F || text[i] == ';' && (0x370 <= r && r <= 0x3FF || 0x1F00 <= r && r <= 0x1FFF) {
			c.cut(s, i+1, next)
			return max(s.start, i+1)
		}
	}
	if text[i] == ':' && c.clauses && text[i-1] >= utf8.RuneSelf {
		c.cut(s, i+1, next)
		return max(s.start, i+1)
	}
	if text[i] == ':' && next < s.end && text[next] == '1' {
		m := markerAt(text, next, s.end)
		if m.number == 1 && m.size > 0 && text[next+1] != ' ' && beginsUpper(text, next+m.size, s.end) {
			c.cut(s, i+1, next)
			return max(s.start, i+1)
		}
	}
	return i + 1
}

// nextItem ends the sentence before the item that follows in number on the one
// before it: "1. First 2. Second".
func (c *cutter) nextItem(s *scan, i int) int {
	m := markerAt(c.text, i, s.end)
	if m.size == 0 || m.number != s.number+1 || m.number >= romanItems {
		return i
	}
	// A number such as "3" in "step 2. Then" follows a word that leads to it.
	before := skipBack(c.text, s.start, i)
	if before <= s.start || m.number < letterItems && (c.leadsOn(lastWord(c.text[s.start:before])) || !beginsUpper(c.text, i+m.size, s.end)) {
		return i
	}
	c.emit(s.start, before)
	s.number, s.quotes = m.number, 0
	s.start = i + m.size
	return s.start
}

// skipBack is the end of what stands before the white space before i.
func skipBack(text string, floor, i int) int {
	for i > floor && (text[i-1] == ' ' || text[i-1] == '\t' || text[i-1] == '\n' || text[i-1] == '\r') {
		i--
	}
	return i
}

// beyondASCII walks over a character that takes more than a byte.
func (c *cutter) beyondASCII(s *scan, i int) int {
	text := c.text[:s.end]
	if size, wide := stopSize(text, i); size > 0 {
		return c.at(s, i, size, wide)
	}
	lead := text[i]
	if lead == 0xE3 || lead == 0xE2 || lead == 0xEF {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c.quotes && (r == '“' || r == '„' || r == '‘' || r == '‚'):
			c.quotation(s, i, r, size)
		case r == '「' || r == '『' || r == '《' || r == '〈' || r == '（' || r == '【':
			c.shelter(s, i, r, size)
		case s.bullet == r && isBullet(r) && r != '–' && r != '—' && i > s.start:
			c.emit(s.start, i)
			s.quotes = 0
			s.start = skipSpace(text, i+size, s.end)
			if m := markerAt(text, s.start, s.end); m.number > 0 {
				s.start += m.size
			}
			return max(s.start, i+size)
		}
		return i + size
	}
	switch {
	case lead == 0xC2 && c.quotes && strings.HasPrefix(text[i:], "«"):
		c.quotation(s, i, '«', 2)
		return i + 2
	case lead == 0xD8 && c.clauses && strings.HasPrefix(text[i:], "،"):
		return c.clause(s, i)
	case lead >= 0xF0:
		return min(i+4, s.end)
	case lead >= 0xE0:
		return min(i+3, s.end)
	case lead >= 0xC0:
		return min(i+2, s.end)
	}
	return i + 1
}

// shelter keeps what stands between a wide bracket and its end in one
// sentence, where the end is near.
func (c *cutter) shelter(s *scan, i int, opener rune, size int) {
	const near = 240
	if i < s.blind || i < s.shield {
		return
	}
	closer := "」"
	switch opener {
	case '『':
		closer = "』"
	case '《':
		closer = "》"
	case '〈':
		closer = "〉"
	case '（':
		closer = "）"
	case '【':
		closer = "】"
	}
	from, to := i+size, min(i+size+near, s.end)
	if n := strings.Index(c.text[from:to], closer); n >= 0 {
		s.shield = from + n
	} else {
		s.blind = to
	}
}
