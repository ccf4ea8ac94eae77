package segment

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func (sp *splitter) ends(s *scanState, st *stop) bool {
	if st.next >= s.end {
		return false // the end of the block ends its last sentence
	}
	kind, at := classifyNext(sp.text, st.next, s.end)
	if kind == nextJoiner || st.continues {
		return false
	}
	if st.spaced && (strings.HasPrefix(sp.text[st.next:], "¿") || strings.HasPrefix(sp.text[st.next:], "¡")) {
		return st.dots == 0 || sp.wordBefore(s.start, st.start).class != classTitle
	}
	if st.wide {
		return st.spaced || !st.quoted || kind != nextLower && kind != nextLetter
	}
	if !st.spaced {
		return sp.endsGlued(s, st)
	}
	before := sp.wordBefore(s.start, st.start)
	if kind == nextDash {
		return (st.emphatic || before.class == classWord || before.class == classNone || before.class == classDigits) &&
			startsUpper(sp.text, skipSpace(sp.text, at, s.end), s.end)
	}
	if st.start > s.start && sp.text[st.start-1] == ':' {
		return false // "Tel.:? 555"
	}
	if before.class == classNone && st.start == s.start && !st.emphatic {
		return false // "...en toen", ". . ."
	}
	switch {
	case st.emphatic:
		return sp.endsEmphatic(s, st, before, kind, at)
	case st.dots > 1:
		return kind != nextLower && (st.dots != 3 || !st.gaps || before.class != classNone)
	}
	return sp.endsDot(s, st, before, kind, at)
}

// endsEmphatic is ends for question and exclamation marks.
func (sp *splitter) endsEmphatic(s *scanState, st *stop, before token, kind nextKind, at int) bool {
	if kind != nextLower {
		isBrand := sp.text[st.start:st.end] == "!" && sp.lang.is(sp.text[before.start:before.end], useBrand)
		return !isBrand || kind != nextUpper || sp.isStarter(at, s.end)
	}
	if st.quoted {
		return false
	}
	if sp.text[st.end-1] == '!' && before.capital {
		return false // probably a name with an exclamation mark
	}
	w := wordAt(sp.text, at, s.end)
	next := skipSpace(sp.text, at+len(w), s.end)
	return !sp.lang.is(wordAt(sp.text, next, s.end), useSpeech) // "Stop! he yelled."
}

// endsGlued is ends for a stop without a following space. The sentence ends between
// a lower-case and a capitalized word, "end.Next", before a word that often
// starts a sentence, "Paris.He", and before a note reference, "end.12 Next".
func (sp *splitter) endsGlued(s *scanState, st *stop) bool {
	text := sp.text[:s.end]
	if st.quoted && st.closeEnd != st.end && st.dots > 1 || st.closeEnd >= s.end {
		return false
	}
	b := text[st.closeEnd]
	if isDigit(b) {
		return st.dots == 1 && sp.endsBeforeNote(s, st)
	}
	if b-'a' < 26 && st.emphatic && st.dots == 0 && st.closeEnd == st.end {
		return sp.endsGluedQuestion(s, st)
	}
	if b < utf8.RuneSelf && b-'A' >= 26 {
		return false
	}
	t := sp.wordBefore(s.start, beforeQuote(text[:st.start]))
	next := wordAt(text, st.closeEnd, s.end)
	starts := len(next) > 1 && strings.HasPrefix(text[st.closeEnd+len(next):], " ") && sp.lang.is(next, useStarter)
	if st.dots == 1 && (t.class == classDigits || t.class == classWord && (t.runes > 1 && t.capital || text[st.start-1] == ')')) && starts {
		return true
	}
	// Words of two letters may be parts of names, as in "io.Reader", but these often end a sentence.
	isShort := t.runes < 3 && !slices.Contains([]string{"it", "us", "me", "up", "so", "in", "on"}, text[t.start:t.end])
	if t.class != classWord || isShort && !st.emphatic || !t.lowerCase && st.dots > 0 && !t.capital {
		return false
	}
	if b >= utf8.RuneSelf || !t.ascii {
		return t.lowerCase && !t.ascii && st.dots < 2 && isCapitalizedAt(text, st.closeEnd)
	}
	i := st.closeEnd
	j := i + 1
	for j < s.end && j-i < maxToken && (text[j]-'a' < 26 || text[j] == '\'') {
		j++
	}
	if !t.lowerCase && st.dots > 0 {
		return j < s.end && text[j] == '.' && t.runes > 3 && sp.lookup(text[i:j]) == classTitle
	}
	if j >= s.end || isSpace(text, j) || text[j] == ',' {
		return j-i > 1 || text[i] == 'I' || text[i] == 'A'
	}
	return text[j] == '.' && st.dots < 2 && sp.lookup(text[i:j]) == classTitle
}

// beforeQuote returns the length of text without a closing quote at its end.
func beforeQuote(text string) int {
	for _, q := range [...]string{`"`, "”", "’"} {
		if strings.HasSuffix(text, q) {
			return len(text) - len(q)
		}
	}
	return len(text)
}

// endsGluedQuestion is endsGlued for a question or exclamation mark between lower-case words,
// as in "who?thanks", but not in a URL.
func (sp *splitter) endsGluedQuestion(s *scanState, st *stop) bool {
	text := sp.text[:s.end]
	t := sp.wordBefore(s.start, st.start)
	if t.class != classWord || !t.asciiLower || t.runes < 2 || t.start > s.start && text[t.start-1] != ' ' {
		return false
	}
	i := st.closeEnd
	for i < s.end && i-st.closeEnd < maxToken && (text[i]-'a' < 26 || text[i] == '\'') {
		i++
	}
	return i-st.closeEnd > 1 && i < s.end && text[i] == ' '
}

// isCapitalizedAt reports whether a capitalized word or a Roman number is at i.
func isCapitalizedAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	w := lettersAt(text, i, len(text))
	i += len(w)
	return unicode.IsUpper(r) && len(w) > 1 && (i >= len(text) || isSpace(text, i) || text[i] == ',')
}

// endsBeforeNote is endsGlued for a stop before note numbers, as in "a consultation.11 12
// Take". It adds the numbers to the sentence.
func (sp *splitter) endsBeforeNote(s *scanState, st *stop) bool {
	text := sp.text[:s.end]
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
		t := sp.wordBefore(s.start, st.start)
		if t.class != classWord || !t.asciiLower || t.runes < 4 {
			return false
		}
	}
	st.closeEnd, st.next = i, next
	return true
}
