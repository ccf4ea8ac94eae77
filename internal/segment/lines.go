package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lineKind is the role of a line in the layout of a text.
type lineKind uint8

const (
	lineBlank   lineKind = iota
	lineProse            // may continue in the next line
	lineItem             // list item
	lineHeading          // heading
	lineRow              // table row
	lineRule             // thematic break or underline
	lineFence            // opening or closing code fence
)

// A line is one line of the text without surrounding white space.
type line struct {
	kind       lineKind
	start, end int  // text after the marker
	number     int  // number of a numbered item, or 0
	bullet     rune // bullet of a bulleted item, or 0
	hardBreak  bool // ends in a hard line break of Markdown: a backslash or two spaces
	spaced     bool // ends in a single space
	quoted     bool // in a block quote
}

// A block is a run of lines that is scanned as one unit.
type block struct {
	open        bool
	first, last line
}

// splitDocument groups the lines of the text into blocks and splits each of them.
func (sp *splitter) splitDocument() {
	var b block
	var code codeFence
	inTable := false
	inList, afterBlank := false, true // of the previous line
	for at := 0; at < len(sp.text); {
		end, next := len(sp.text), len(sp.text)
		if n := strings.IndexByte(sp.text[at:], '\n'); n >= 0 {
			end, next = at+n, at+n+1
		}
		if code.open && !code.prose {
			if code.closes(sp.text, at, end) {
				sp.emit(code.start, end)
				code.open = false
			}
			at = next
			continue
		}
		if afterBlank && !inList {
			if e := indentedCode(sp.text, at); e > at {
				sp.flush(&b)
				sp.emit(at, e)
				at = e
				continue
			}
		}
		l := sp.classifyLine(at, end)
		// A table without bars around its rows starts with a line that contains a bar,
		// followed by a delimiter row, and ends before the first line without a bar.
		inTable = strings.IndexByte(sp.text[l.start:end], '|') >= 0 && (inTable || isDelimiter(sp.text, next))
		if inTable && l.kind != lineBlank && l.kind != lineFence {
			l.kind = lineRow
			l.start, l.end = trim(sp.text, at, end)
			l.trimQuoteMarkers(sp.text)
		}
		afterBlank = l.kind == lineBlank
		if !afterBlank {
			inList = l.kind == lineItem || inList && (sp.text[at] == ' ' || sp.text[at] == '\t')
		}
		switch l.kind {
		case lineProse, lineItem:
			if l.kind == lineProse && b.open && sp.wrapped(b.last, l) {
				b.last = l
				break
			}
			sp.flush(&b)
			b = block{open: true, first: l, last: l}
		case lineHeading:
			sp.flush(&b)
			sp.splitProse(l.start, l.end, 0, 0)
		case lineRow, lineRule:
			sp.flush(&b)
			sp.emit(l.start, l.end)
		case lineFence:
			sp.flush(&b)
			if code.open && code.closes(sp.text, at, end) {
				code.open = false
			} else {
				code = openFence(sp.text, l.start, l.end)
			}
		case lineBlank:
			sp.flush(&b)
			for next < len(sp.text) && sp.text[next] == '\n' {
				next++
			}
		}
		at = next
	}
	sp.flush(&b)
	if code.open && !code.prose {
		sp.emit(code.start, len(sp.text))
	}
}

func (sp *splitter) flush(b *block) {
	if b.open {
		sp.splitProse(b.first.start, b.last.end, b.first.number, b.first.bullet)
		b.open = false
	}
}

// classifyLine parses the line text[at:end].
func (sp *splitter) classifyLine(at, end int) line {
	text := sp.text
	start, textEnd := trim(text, at, end)
	l := line{kind: lineProse, start: start, end: textEnd}
	l.hardBreak = strings.HasSuffix(text[:textEnd], `\`) || strings.HasPrefix(text[textEnd:end], "  ")
	l.spaced = text[textEnd:end] == " "
	l.trimQuoteMarkers(text)
	if l.start == l.end {
		l.kind = lineBlank
		return l
	}
	switch b := text[l.start]; {
	case (b == '`' || b == '~') && isFence(text, l.start, l.end):
		l.kind = lineFence
		return l
	case b == '|' && l.end-l.start > 1 && text[l.end-1] == '|':
		l.kind = lineRow
		return l
	case b == '#':
		if n := headingLevel(text, l.start, l.end); n > 0 {
			l.kind = lineHeading
			l.start, _ = trim(text, l.start+n, l.end)
			l.end = trimClosingHashes(text, l.start, l.end)
			return l
		}
	}
	if isRule(text, l.start, l.end) {
		l.kind = lineRule
		return l
	}
	// "- 1. " and "- [x] " are two markers. More than three are not a list.
	for range 3 {
		m := markerAt(text, l.start, l.end)
		if m.size == 0 {
			break
		}
		l.kind = lineItem
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

// trimQuoteMarkers removes block quote markers from the start of the line.
func (l *line) trimQuoteMarkers(text string) {
	for l.start < l.end && text[l.start] == '>' {
		l.start, _ = trim(text, l.start+1, l.end)
		l.quoted = true
	}
}

// isDelimiter reports whether the line at text[i] is the delimiter row below a
// table header.
func isDelimiter(text string, i int) bool {
	line, _, _ := strings.Cut(text[i:], "\n")
	return strings.Trim(line, "-| \t:\r>") == "" && strings.Count(line, "-") > 1 && strings.Contains(line, "|")
}

// wrapped reports whether next continues the sentence of the line before it. A
// newline ends a sentence unless the text was wrapped at a column: the line is
// long, has no final mark, and the next starts in lower case, or the line ends
// in a word that does not end sentences.
func (sp *splitter) wrapped(prev, next line) bool {
	const long, dangling = 40, 25
	if prev.hardBreak {
		return false
	}
	if r, size := utf8.DecodeLastRuneInString(sp.text[prev.start:prev.end]); r >= 0x3001 && r < 0x3100 {
		return sp.continues(sp.text[prev.end-size : prev.end])
	}
	if b := sp.text[next.start]; b == '.' && (next.end == next.start+1 || isSpace(sp.text, next.start+1)) {
		return true // the full stop of the previous line
	}
	if prev.spaced && prev.end-prev.start >= 12 && sp.text[next.start]-'a' < 26 && sp.text[prev.end-1]-'a' < 26 {
		return true // wrapping left a space at the end of the line
	}
	if prev.end-prev.start < dangling && (!prev.quoted || !next.quoted) {
		return false
	}
	end := prev.end
	last, size := utf8.DecodeLastRuneInString(sp.text[prev.start:end])
	for end-size > prev.start && isCloser(last) {
		end -= size
		last, size = utf8.DecodeLastRuneInString(sp.text[prev.start:end])
	}
	if last == '.' {
		t := sp.wordBefore(prev.start, end-1)
		return t.class == classTitle || t.class == classNeverFinal
	}
	if stop, _ := markSize(sp.text, end-size); stop > 0 || last == ':' {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(sp.text[next.start:next.end]); unicode.IsLower(r) {
		return prev.end-prev.start >= long || prev.quoted && next.quoted
	}
	if last == ',' || sp.text[next.start] == '(' {
		return prev.end-prev.start >= long
	}
	return sp.continues(lastWord(sp.text[prev.start:end]))
}
