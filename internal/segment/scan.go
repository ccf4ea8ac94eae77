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

// protectQuotation prevents sentence ends inside the quotation that opens at i,
// if it closes soon enough. Its last stop may still end the sentence.
func (sp *splitter) protectQuotation(s *scanState, i int, opener rune, size int) {
	const near = 1200
	if i < s.protectedEnd || i+size >= s.end || isSpace(sp.text, i+size) {
		return
	}
	if i > s.start && opener < utf8.RuneSelf {
		if b := sp.text[i-1]; b != ' ' && b != '\n' && b != '(' && b != '"' {
			return // an inch or an apostrophe
		}
	}
	from := i + size
	kind, closers := quoteKind(opener)
	if from < s.quoteLimits[kind] {
		return // already searched without success
	}
	to := min(from+near, s.end)
	n := 0
	if kind < singleQuote {
		n = strings.IndexAny(sp.text[from:to], closers)
	} else {
		n = closingSingleQuote(sp.text[from:to], closers)
	}
	if n < 0 {
		s.quoteLimits[kind] = to
		return
	}
	quotation := strings.TrimSuffix(strings.TrimRight(sp.text[from:from+n], ".!?"), "…")
	s.protectedEnd = max(s.protectedEnd, from+len(quotation))
}

// singleQuote is the kind of single quotation marks.
const singleQuote = 4

// quoteKind returns the index in scanState.quoteLimits for an opening quotation mark, and the
// marks that close it.
func quoteKind(opener rune) (kind int, closers string) {
	switch opener {
	case '"':
		return 0, `"`
	case '«':
		return 1, "»"
	case '“':
		return 2, "”"
	case '„':
		return 3, "“”"
	case '\'':
		return singleQuote, "'"
	}
	return singleQuote, "’"
}

// closingSingleQuote finds a closing single quote that is not an apostrophe:
// after a stop or comma, or before a space and a parenthesis.
func closingSingleQuote(s, mark string) int {
	for at := 0; ; {
		n := strings.Index(s[at:], mark)
		if n < 0 {
			return -1
		}
		at += n
		after := at + len(mark)
		if at > 0 && (after >= len(s) || s[after]-'a' >= 26 && s[after]-'A' >= 26) {
			if b := s[at-1]; b == '.' || b == '!' || b == '?' || b == ',' || strings.HasPrefix(s[after:], " (") {
				return at
			}
		}
		at = after
	}
}

// handleArabicComma splits after an Arabic comma, unless only one word precedes
// the next comma.
func (sp *splitter) handleArabicComma(s *scanState, i int) int {
	past := i + len("،")
	next := skipSpace(sp.text, past, s.end)
	if next == past || next >= s.end {
		return past
	}
	j := next
	for j < s.end && !isSpace(sp.text, j) {
		j++
	}
	if strings.HasSuffix(sp.text[next:j], "،") {
		return past
	}
	return sp.endSentence(s, past, next)
}
