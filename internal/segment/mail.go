package segment

import "strings"

// Mail and web posts often lose their line breaks. The functions in this file
// find sentence ends without a stop in them.
const (
	maxClosing = 24 // maximum bytes of the closing phrase of a letter
	minRule    = 20 // minimum marks of a rule within a line
)

// handleComma splits after the closing of a letter, "Best regards,", before the name that signs it.
func (sp *splitter) handleComma(s *scanState, i int) int {
	text := sp.text
	if i+2 >= s.end || text[i+1] != ' ' || text[i+2]-'A' >= 26 {
		return i + 1
	}
	phrase := text[s.start:i]
	first, _, several := strings.Cut(phrase, " ")
	if !sp.isClosing(lastWord(phrase)) || several && (!sp.isClosing(first) || strings.Count(phrase, " ") > 2) {
		return i + 1
	}
	return sp.endSentence(s, i+1, i+2)
}

// isClosing reports whether word closes a letter. It ignores case.
func (sp *splitter) isClosing(word string) bool {
	var buf [maxClosing]byte
	if len(word) > len(buf) {
		return false
	}
	for i := range len(word) {
		buf[i] = word[i]
		if buf[i]-'A' < 26 {
			buf[i] += 'a' - 'A'
		}
	}
	return sp.lang.uses[string(buf[:len(word)])]&useClosing != 0
}

func (sp *splitter) handleRule(s *scanState, i int) int {
	j := i + repeats(sp.text, i, s.end, sp.text[i])
	if j-i < minRule {
		return j
	}
	if next := skipSpace(sp.text, j, s.end); next > j && next < s.end {
		if i > s.start && isSpace(sp.text, i-1) {
			sp.endSentence(s, i, i)
		}
		return sp.endSentence(s, j, next)
	}
	return j
}

// handleGluedColon handles a colon or semicolon without a following space,
// which may be part of a time, URL or emoticon.
func (sp *splitter) handleGluedColon(s *scanState, i int) int {
	text := sp.text[:s.end]
	switch b := text[i+1]; {
	case isDigit(b) && isDigit(text[i-1]):
		return sp.handleTimestamp(s, i)
	case b == '/' && strings.HasPrefix(text[i:], "://"):
		return sp.handleURL(s, i)
	case b == '-' || b == ')' || b == '(':
		n := emoticonLen(text[i:])
		next := skipSpace(text, i+n, s.end)
		if n == 0 || next == i+n || next >= s.end || text[next]-'A' >= 26 || !isSpace(text, i-1) {
			return i + 1
		}
		return sp.endSentence(s, i+n, next)
	}
	return i + 1
}

// handleTimestamp splits around a date and time as mail programs write them: "Ada King 08/16/2000
// 03:14 PM All is well." i is the offset of the first colon.
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

// handleEmail splits after an email address that is followed by a common first
// word of a sentence, and after "<< File: a.doc >>" before a capital.
func (sp *splitter) handleEmail(s *scanState, i int) int {
	text := sp.text[:s.end]
	j := i + 1
	for text[i] == '@' && j < s.end && j-i < 2*maxToken && !isSpace(text, j) {
		j++
	}
	next := skipSpace(text, j, s.end)
	if next == j || next >= s.end || text[next]-'A' >= 26 {
		return i + 1
	}
	if text[i] == '@' {
		if b := text[j-1]; !isASCIILetter(b) && b != '>' || !sp.isStarter(next, s.end) {
			return i + 1
		}
	} else if strings.LastIndex(text[max(s.start, i-2*maxToken):i], "<<") < 0 {
		return i + 1
	}
	return sp.endSentence(s, j, next)
}

// handleAttachment splits at a dash between two file names, as mail programs list attachments.
func (sp *splitter) handleAttachment(s *scanState, i int) int {
	text := sp.text[:s.end]
	before := text[max(s.start, i-1-maxToken) : i-1]
	if !hasExtension(before[strings.LastIndexByte(before, ' ')+1:]) {
		return i + 1
	}
	j := i + 2
	for j < s.end && j-i < maxToken && !isSpace(text, j) {
		j++
	}
	if !hasExtension(text[i+2 : j]) {
		return i + 1
	}
	sp.endSentence(s, i-1, i+2)
	return max(s.start, i+2)
}

// hasExtension reports whether s looks like a file name.
func hasExtension(s string) bool {
	s = strings.TrimRight(s, ")")
	n := strings.LastIndexByte(s, '.')
	if n < 1 || len(s)-n < 3 || len(s)-n > 6 {
		return false
	}
	return !strings.ContainsFunc(s[n+1:], func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
}
