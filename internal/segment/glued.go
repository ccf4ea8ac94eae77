package segment

import (
	"unicode"
	"unicode/utf8"
)

// glued decides a stop that no space follows. It ends a sentence between a word
// in lower case and a capitalised one, "end.Next", and before the number of a
// reference: "end.12 Next".
func (c *cutter) glued(s *scan, st *stop) bool {
	text := c.text[:s.end]
	if st.quoted && st.past != st.end && st.dots > 1 || st.past >= s.end {
		return false
	}
	b := text[st.past]
	if isDigit(b) {
		return st.dots == 1 && c.superscript(s, st)
	}
	if b-'a' < 26 && st.loud && st.dots == 0 && st.past == st.end {
		return c.gluedQuestion(s, st)
	}
	if b < utf8.RuneSelf && b-'A' >= 26 {
		return false
	}
	t := c.wordBefore(s.start, st.start)
	if t.class == digits && st.dots == 1 {
		w := wordAt(text, st.past, s.end)
		return len(w) > 1 && c.lang.is(w, starts) && st.past+len(w) < s.end && text[st.past+len(w)] == ' '
	}
	if t.class != word || t.runes < 3 && !st.loud || !t.small && st.dots > 0 && !t.capital {
		return false
	}
	if b >= utf8.RuneSelf || !t.ascii {
		return t.small && st.dots < 2 && gluedBeyondASCII(text, st.past, t)
	}
	i := st.past
	j := i + 1
	for j < s.end && j-i < maxToken && (text[j]-'a' < 26 || text[j] == '\'') {
		j++
	}
	if !t.small && st.dots > 0 {
		return j < s.end && text[j] == '.' && t.runes > 3 && c.lookup(text[i:j], true) == title
	}
	if j >= s.end || isSpace(text, j) || text[j] == ',' {
		return j-i > 1 || text[i] == 'I' || text[i] == 'A'
	}
	return text[j] == '.' && st.dots < 2 && c.lookup(text[i:j], true) == title
}

// gluedQuestion decides "who?thanks": between words in lower case, and not
// within an address of the web.
func (c *cutter) gluedQuestion(s *scan, st *stop) bool {
	text := c.text[:s.end]
	t := c.wordBefore(s.start, st.start)
	if t.class != word || !t.lower || t.runes < 2 || t.start > s.start && text[t.start-1] != ' ' {
		return false
	}
	i := st.past
	for i < s.end && i-st.past < maxToken && (text[i]-'a' < 26 || text[i] == '\'') {
		i++
	}
	return i-st.past > 1 && i < s.end && text[i] == ' '
}

// gluedBeyondASCII wants a capitalised word or a Roman number after a word
// that is not written in ASCII.
func gluedBeyondASCII(text string, i int, before token) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	if !unicode.IsUpper(r) || before.ascii {
		return false
	}
	w := runAt(text, i, len(text))
	i += len(w)
	return len(w) > 1 && (i >= len(text) || isSpace(text, i) || text[i] == ',')
}

// superscript decides a stop before numbers that refer to notes, and takes the
// numbers into the sentence: "in a consultation.11 12 Take".
func (c *cutter) superscript(s *scan, st *stop) bool {
	text := c.text[:s.end]
	i := st.end
	for {
		from := i
		for i < s.end && i-from < 4 && isDigit(text[i]) {
			i++
		}
		if i == from || i-from > 3 || i >= s.end {
			return false
		}
		if text[i] != ' ' && text[i] != ',' && text[i] != '-' {
			return false
		}
		if i+1 >= s.end || !isDigit(text[i+1]) {
			break
		}
		i++
	}
	next := skipSpace(text, i, s.end)
	if next == i || next >= s.end || text[next]-'A' >= 26 {
		return false
	}
	if st.start == s.start || text[st.start-1] != ')' {
		t := c.wordBefore(s.start, st.start)
		if t.class != word || !t.lower || t.runes < 4 {
			return false
		}
	}
	st.past, st.next = i, next
	return true
}
