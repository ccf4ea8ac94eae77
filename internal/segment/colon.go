package segment

import "strings"

// handleGluedColon handles a colon or semicolon without a following space,
// which may be part of a time or a URL.
func (sp *splitter) handleGluedColon(s *scanState, i int) int {
	text := sp.text[:s.end]
	switch b := text[i+1]; {
	case isDigit(b) && isDigit(text[i-1]):
		return sp.handleTimestamp(s, i)
	case b == '/' && strings.HasPrefix(text[i:], "://"):
		return sp.handleURL(s, i)
	}
	return i + 1
}

// handleTimestamp splits around a date and time as mail programs write them:
// "Ada King 08/16/2000 03:14 PM All is well." i is the offset of the first
// colon.
func (sp *splitter) handleTimestamp(s *scanState, i int) int {
	text := sp.text[:s.end]
	date := i - len("00/00/00 00")
	if date >= s.start && text[i-6] != '/' {
		date = i - len("00/00/0000 00")
	}
	if date < s.start || text[i-3] != ' ' || text[date+2] != '/' || text[date+5] != '/' ||
		strings.Trim(text[date:i-3], "/0123456789") != "" {
		return i + 1
	}
	e := i + 1
	for e < s.end && e-i < 7 && (isDigit(text[e]) || text[e] == ':') {
		e++
	}
	switch {
	case e+3 <= s.end && (text[e:e+3] == " AM" || text[e:e+3] == " PM"):
		e += 3
	case e-i < len(":00:00") || !startsUpper(text, skipSpace(text, e, s.end), s.end):
		return i + 1
	}
	next := skipSpace(text, e, s.end)
	if next == e && e < s.end {
		return e
	}
	before := skipSpaceBack(text, s.start, date)
	if w := lastWord(text[s.start:before]); before > s.start && (w == "" || w[0]-'a' >= 26) {
		sp.endSentence(s, before, date)
	} else if before > s.start && w != "on" && w != "at" {
		return e
	}
	if next < s.end {
		sp.endSentence(s, e, next)
	}
	return max(s.start, e)
}

// handleURL scans a URL. It splits between two URLs and after one that is
// followed by a common first word of a sentence.
func (sp *splitter) handleURL(s *scanState, i int) int {
	if i < s.urlEnd {
		return i + 3
	}
	text := sp.text[:s.end]
	begin := i
	for begin > s.start && i-begin < 8 && isASCIILetter(text[begin-1]) {
		begin--
	}
	if before := skipSpaceBack(text, s.start, begin); s.urlEnd > s.start && before == s.urlEnd && before < begin {
		sp.endSentence(s, before, begin)
	}
	j := i
	for j < s.end && !isSpace(text, j) {
		j++
	}
	s.urlEnd = j
	if b := text[j-1]; j-i < 5 || b == '.' || b == ',' || b == ')' || b == '!' || b == '?' || b == '"' || b == '>' || b == ']' {
		return i + 3
	}
	next := skipSpace(text, j, s.end)
	if next < s.end && sp.isStarter(next, s.end) {
		return sp.endSentence(s, j, next)
	}
	return i + 3
}
