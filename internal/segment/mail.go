package segment

import "strings"

// Letters and posts on the web break their lines where no line break was kept:
// this file knows what ends a sentence there without a stop.

// longestClose is the length of the longest phrase that closes a letter, and
// ruled the number of signs that draw a line within a line.
const (
	longestClose = 24
	ruled        = 20
)

// comma ends the sentence after what closes a letter, "Best regards,", before
// the name that signs it.
func (c *cutter) comma(s *scan, i int) int {
	text := c.text
	if i+2 >= s.end || text[i+1] != ' ' || text[i+2]-'A' >= 26 {
		return i + 1
	}
	phrase := text[s.start:i]
	first, _, several := strings.Cut(phrase, " ")
	if !c.leaves(lastWord(phrase)) || several && (!c.leaves(first) || strings.Count(phrase, " ") > 2) {
		return i + 1
	}
	c.cut(s, i+1, i+2)
	return max(s.start, i+1)
}

// leaves reports whether the word, in lower case, is one that closes a letter.
func (c *cutter) leaves(word string) bool {
	var buf [longestClose]byte
	if len(word) > len(buf) {
		return false
	}
	for i := range len(word) {
		buf[i] = word[i]
		if buf[i]-'A' < 26 {
			buf[i] += 'a' - 'A'
		}
	}
	return c.lang.uses[string(buf[:len(word)])]&leaves != 0
}

// ruled ends the sentence before and after a line that is drawn at i.
func (c *cutter) ruled(s *scan, i int) int {
	b := c.text[i]
	j := i
	for j < s.end && c.text[j] == b {
		j++
	}
	if j-i < ruled {
		return j
	}
	if next := skipSpace(c.text, j, s.end); next > j && next < s.end {
		if i > s.start && isSpace(c.text, i-1) {
			c.cut(s, i, i)
		}
		c.cut(s, j, next)
		return max(s.start, j)
	}
	return j
}

// mark looks at a colon or semicolon that no space follows: it may belong to a
// time, an address of the web or a face.
func (c *cutter) mark(s *scan, i int) int {
	text := c.text[:s.end]
	switch b := text[i+1]; {
	case isDigit(b) && isDigit(text[i-1]):
		return c.stamp(s, i)
	case b == '/' && strings.HasPrefix(text[i:], "://"):
		return c.address(s, i)
	case b == '-' || b == ')' || b == '(':
		n := face(text[i:])
		next := skipSpace(text, i+n, s.end)
		if n == 0 || next == i+n || next >= s.end || text[next]-'A' >= 26 || !isSpace(text, i-1) {
			return i + 1
		}
		c.cut(s, i+n, next)
		return max(s.start, i+n)
	}
	return i + 1
}

// stamp ends the sentence before and after a date with a time, as programs
// stamp letters: "Ada King 08/16/2000 03:14 PM All is well." i is at the first
// colon.
func (c *cutter) stamp(s *scan, i int) int {
	text := c.text[:s.end]
	date := i - len("00/00/00 00")
	if date >= s.start && text[i-6] != '/' {
		date = i - len("00/00/0000 00")
	}
	if date < s.start || text[i-3] != ' ' || text[date+2] != '/' || text[date+5] != '/' {
		return i + 1
	}
	return c.stamped(s, date, i)
}

// stamped is stamp for a date that is known to begin at date, if it is one.
func (c *cutter) stamped(s *scan, date, i int) int {
	text := c.text[:s.end]
	for k := date; k < i-3; k++ {
		if !isDigit(text[k]) && text[k] != '/' {
			return i + 1
		}
	}
	e := i + 1
	for e < s.end && e-i < 7 && (isDigit(text[e]) || text[e] == ':') {
		e++
	}
	switch {
	case e+3 <= s.end && (text[e:e+3] == " AM" || text[e:e+3] == " PM"):
		e += 3
	case e-i < len(":00:00") || !beginsUpper(text, skipSpace(text, e, s.end), s.end):
		return i + 1
	}
	next := skipSpace(text, e, s.end)
	if next == e && e < s.end {
		return e
	}
	before := skipBack(text, s.start, date)
	if w := lastWord(text[s.start:before]); before > s.start && (w == "" || w[0]-'a' >= 26) {
		c.cut(s, before, date)
	} else if before > s.start && w != "on" && w != "at" {
		return e
	}
	if next < s.end {
		c.cut(s, e, next)
	}
	return max(s.start, e)
}

// address walks over an address of the web. The sentence ends between two of
// them, and after one that a word follows which begins a sentence.
func (c *cutter) address(s *scan, i int) int {
	if i < s.url {
		return i + 3
	}
	text := c.text[:s.end]
	begin := i
	for begin > s.start && i-begin < 8 && isASCIILetter(text[begin-1]) {
		begin--
	}
	if before := skipBack(text, s.start, begin); s.url > s.start && before == s.url && before < begin {
		c.cut(s, before, begin)
	}
	j := i
	for j < s.end && !isSpace(text, j) {
		j++
	}
	s.url = j
	if b := text[j-1]; j-i < 5 || b == '.' || b == ',' || b == ')' || b == '!' || b == '?' || b == '"' || b == '>' || b == ']' {
		return i + 3
	}
	next := skipSpace(text, j, s.end)
	if next < s.end && c.starts(next, s.end) {
		c.cut(s, j, next)
		return max(s.start, j)
	}
	return i + 3
}

// mailed ends the sentence after an address of mail that a word follows which
// begins a sentence, and after "<< File: a.doc >>" before a capital.
func (c *cutter) mailed(s *scan, i int) int {
	text := c.text[:s.end]
	j := i + 1
	for text[i] == '@' && j < s.end && j-i < 2*maxToken && !isSpace(text, j) {
		j++
	}
	next := skipSpace(text, j, s.end)
	if next == j || next >= s.end || text[next]-'A' >= 26 {
		return i + 1
	}
	if text[i] == '@' {
		if b := text[j-1]; !isASCIILetter(b) && b != '>' || !c.starts(next, s.end) {
			return i + 1
		}
	} else if strings.LastIndex(text[max(s.start, i-2*maxToken):i], "<<") < 0 {
		return i + 1
	}
	c.cut(s, j, next)
	return max(s.start, j)
}

// attached ends the sentence before a dash that stands between two names of
// files, as programs list what is attached to a letter.
func (c *cutter) attached(s *scan, i int) int {
	text := c.text[:s.end]
	if !hasExtension(wordEnding(text[s.start : i-1])) {
		return i + 1
	}
	j := i + 2
	for j < s.end && j-i < maxToken && !isSpace(text, j) {
		j++
	}
	if !hasExtension(text[i+2 : j]) {
		return i + 1
	}
	c.cut(s, i-1, i+2)
	return max(s.start, i+2)
}

// wordEnding is what follows the last white space of s, up to a length.
func wordEnding(s string) string {
	from := len(s)
	for from > 0 && len(s)-from < maxToken && s[from-1] != ' ' {
		from--
	}
	return s[from:]
}

// hasExtension reports whether s looks like the name of a file.
func hasExtension(s string) bool {
	s = strings.TrimRight(s, ")")
	n := strings.LastIndexByte(s, '.')
	if n < 1 || len(s)-n < 3 || len(s)-n > 6 {
		return false
	}
	for i := n + 1; i < len(s); i++ {
		if s[i]-'a' >= 26 && !isDigit(s[i]) {
			return false
		}
	}
	return true
}
