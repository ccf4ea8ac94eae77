package segment

import (
	"strings"
	"unicode/utf8"
)

// splitProse splits text[start:end], a paragraph or the text of a list item.
func (sp *splitter) splitProse(start, end, number int, bullet rune) {
	s := scanState{start: start, end: end, itemNumber: number, bullet: bullet}
	text := sp.text[:end]
	for i := start; i < end; {
		b := text[i]
		if b|0x20-'a' < 26 || b == ' ' && s.itemNumber == 0 || b-'0' < 10 {
			i++ // fast path for most bytes
			continue
		}
		switch {
		case b == '.' || b == '!' || b == '?':
			i = sp.handleStop(&s, i, 1, false)
		case b == '"':
			s.quotes++
			if sp.joinQuotes && s.quotes%2 == 1 {
				sp.protectQuotation(&s, i, '"', 1)
			}
			i++
		case b == '\'' && sp.joinQuotes:
			sp.protectQuotation(&s, i, '\'', 1)
			i++
		case b == ':' || b == ';':
			i = sp.handleColon(&s, i)
		case b == '@' || b == '>' && i > s.start && text[i-1] == '>':
			i = sp.handleEmail(&s, i)
		case b == '`' && i+3 < end && text[i+1] == '`' && text[i+2] == '`':
			i = sp.handleInlineFence(&s, i)
		case b == '-' && i > s.start+1 && i+2 < end && text[i+1] == ' ' && text[i-1] == ' ':
			i = sp.handleAttachment(&s, i)
		case b == ',' && i-s.start < maxClosing:
			i = sp.handleComma(&s, i)
		case (b == '_' && !sp.claims || b == '*' || b == '=') && i+minRule <= end && text[i+minRule-1] == b:
			i = sp.handleRule(&s, i)
		case b == ' ' && s.itemNumber > 0 && i+1 < end && (isDigit(text[i+1]) || s.itemNumber > letterItems && text[i+1]-'a' < 26):
			i = sp.handleItem(&s, i+1)
		case b < utf8.RuneSelf:
			i++
		default:
			i = sp.handleNonASCII(&s, i)
		}
	}
	sp.emit(s.start, end)
}

// handleStop decides whether the stop of the given size at text[i] ends the
// sentence and returns the offset at which to continue.
func (sp *splitter) handleStop(s *scanState, i, size int, wide bool) int {
	st := sp.stopAt(s, i, size, wide)
	if i < s.protectedEnd || !sp.ends(s, &st) {
		return st.end
	}
	return sp.endSentence(s, st.closeEnd, st.next)
}

// handleColon splits after the marks that end sentences in Armenian (colon) and
// Greek (semicolon), and after the colon that introduces an inline enumeration:
// "Do this: 1. Stop."
func (sp *splitter) handleColon(s *scanState, i int) int {
	text := sp.text
	if i+1 < s.end && i > s.start && !isSpace(text, i+1) {
		return sp.handleGluedColon(s, i)
	}
	next := skipSpace(text, i+1, s.end)
	if next == i+1 || i == s.start {
		return i + 1
	}
	if r, _ := utf8.DecodeLastRuneInString(text[s.start:i]); r >= utf8.RuneSelf {
		if text[i] == ':' && 0x531 <= r && r <= 0x58F || text[i] == ';' && (0x370 <= r && r <= 0x3FF || 0x1F00 <= r && r <= 0x1FFF) {
			return sp.endSentence(s, i+1, next)
		}
	}
	if text[i] == ':' && sp.splitClauses && text[i-1] >= utf8.RuneSelf {
		return sp.endSentence(s, i+1, next)
	}
	if text[i] == ':' && next < s.end && text[next] == '1' {
		m := markerAt(text, next, s.end)
		if m.number == 1 && m.size > 0 && text[next+1] != ' ' && startsUpper(text, next+m.size, s.end) {
			return sp.endSentence(s, i+1, next)
		}
	}
	return i + 1
}

// handleItem splits before the item whose number follows that of the previous
// item: "1. First 2. Second".
func (sp *splitter) handleItem(s *scanState, i int) int {
	m := markerAt(sp.text, i, s.end)
	if m.size == 0 || m.number != s.itemNumber+1 || m.number >= romanItems {
		return i
	}
	// In "see step 2. Then" the number belongs to the word before it.
	before := skipSpaceBack(sp.text, s.start, i)
	if before <= s.start || m.number < letterItems && (sp.continues(lastWord(sp.text[s.start:before])) || !startsUpper(sp.text, i+m.size, s.end)) {
		return i
	}
	sp.emit(s.start, before)
	s.itemNumber, s.quotes = m.number, 0
	s.start = i + m.size
	return s.start
}

// handleNonASCII scans the multi-byte character at i.
func (sp *splitter) handleNonASCII(s *scanState, i int) int {
	text := sp.text[:s.end]
	if size, wide := stopSize(text, i); size > 0 {
		return sp.handleStop(s, i, size, wide)
	}
	lead := text[i]
	if lead == 0xE3 || lead == 0xE2 || lead == 0xEF {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case sp.joinQuotes && (r == '“' || r == '„' || r == '‘' || r == '‚'):
			sp.protectQuotation(s, i, r, size)
		case r == '「' || r == '『' || r == '《' || r == '〈' || r == '（' || r == '【':
			sp.protectBrackets(s, i, r, size)
		case s.bullet == r && isBullet(r) && r != '–' && r != '—' && i > s.start:
			sp.emit(s.start, i)
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
	case lead == 0xC2 && sp.joinQuotes && strings.HasPrefix(text[i:], "«"):
		sp.protectQuotation(s, i, '«', 2)
		return i + 2
	case lead == 0xD8 && sp.splitClauses && strings.HasPrefix(text[i:], "،"):
		return sp.handleArabicComma(s, i)
	case lead >= 0xF0:
		return min(i+4, s.end)
	case lead >= 0xE0:
		return min(i+3, s.end)
	case lead >= 0xC0:
		return min(i+2, s.end)
	}
	return i + 1
}

// protectBrackets prevents sentence ends inside a wide bracket pair that closes
// soon enough.
func (sp *splitter) protectBrackets(s *scanState, i int, opener rune, size int) {
	const near = 240
	if i < s.bracketLimit || i < s.protectedEnd {
		return
	}
	closer := opener + 1 // Unicode has the brackets in pairs
	from, to := i+size, min(i+size+near, s.end)
	if n := strings.IndexRune(sp.text[from:to], closer); n >= 0 {
		s.protectedEnd = from + n
	} else {
		s.bracketLimit = to
	}
}
