package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A stop is a run of marks that may end a sentence, with its surroundings.
type stop struct {
	start, end int  // the marks
	closeEnd   int  // end of the closing quotes, brackets and citations
	next       int  // first character after white space
	dots       int  // number of full stops; an ellipsis counts as three
	emphatic   bool // contains a question or exclamation mark
	wide       bool // contains a mark of a script that puts no space after it
	quoted     bool // a closing quote or bracket follows the marks
	spaced     bool // white space or the end of the block follows
	gaps       bool // white space separates the marks
	continues  bool // a citation and another stop follow, so the sentence continues
}

// stopAt parses the run of marks that starts at text[i] with a mark of the given size.
func (sp *splitter) stopAt(s *scanState, i, size int, wide bool) stop {
	text := sp.text[:s.end]
	st := stop{start: i, end: i, wide: wide}
	for size > 0 {
		st.add(text, size, wide)
		size, wide = markSize(text, st.end)
		if size == 0 {
			// Marks separated by spaces are one run: ". . .", "! !".
			n := skipSpace(text, st.end, s.end)
			if n == st.end || n >= s.end {
				break
			}
			size, wide = markSize(text, n)
			if size == 0 || !standsAlone(text, n+size) {
				break
			}
			if b := st.end - 1; st.dots == 1 && !st.gaps && text[b] == '.' && b > s.start && !isSpace(text, b-1) && startsOmission(text, n, s.end) {
				break
			}
			st.end, st.gaps = n, true
		}
	}
	sp.consumeClosers(s, &st)
	return st
}

// startsOmission reports whether three spaced stops and a capital follow. They
// mark an omission at the start of the next sentence.
func startsOmission(text string, i, end int) bool {
	for range 3 {
		if i >= end || text[i] != '.' {
			return false
		}
		i = skipSpace(text, i+1, end)
	}
	return i < end && text[i]-'A' < 26
}

// add extends the run by a mark of the given size.
func (st *stop) add(text string, size int, wide bool) {
	switch b := text[st.end]; {
	case b == '.':
		st.dots++
	case b == 0xE2 && text[st.end+2] == 0xA6: // an ellipsis
		st.dots += 3
	default:
		st.emphatic = true
	}
	st.wide = st.wide || wide
	st.end += size
}

func markSize(text string, i int) (size int, wide bool) {
	if i >= len(text) {
		return 0, false
	}
	switch b := text[i]; {
	case b == '.' || b == '!' || b == '?':
		return 1, false
	case b < utf8.RuneSelf:
		return 0, false
	}
	return stopSize(text, i)
}

// standsAlone reports whether a mark that ends at i belongs to the preceding
// marks rather than to the following word, as in ".NET" or "...and".
func standsAlone(text string, i int) bool {
	for i < len(text) && (text[i] == '.' || text[i] == '!' || text[i] == '?') {
		if text[i] == '.' && text[i-1] == '.' {
			return false
		}
		i++
	}
	if i >= len(text) || isSpace(text, i) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[i:])
	return isCloser(r) && r != '*' && r != '_'
}

// consumeClosers adds the quotes, brackets, emphasis and citations after the
// marks to the sentence and records what follows them.
func (sp *splitter) consumeClosers(s *scanState, st *stop) {
	text := sp.text[:s.end]
	i := st.end
	quotes := s.quotes
	for i < s.end {
		if text[i] == '[' {
			if n := citationLen(text[i:]); n > 0 {
				i += n
				continue
			}
			break
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if !isCloser(r) || st.wide && r == '“' {
			break
		}
		switch r {
		case '"':
			quotes++
			st.quoted = true
		case '*', '_', '`', '~':
		default:
			st.quoted = true
		}
		i += size
	}
	st.closeEnd = i
	st.next = skipSpace(text, i, s.end)
	st.spaced = st.next > i || i >= s.end
	// Closers may follow a space: a French guillemet, a bracket, the second
	// straight quote of a pair, a citation or an emoticon.
	for st.next < s.end && st.spaced {
		r, size := utf8.DecodeRuneInString(text[st.next:])
		after := st.next + size
		switch {
		case r == ')' || r == ']' || r == '}' || r == '»' || r == '”':
			st.quoted = true
		case r == '"' && quotes%2 == 1 && (after >= s.end || isSpace(text, after) || text[after] == '.'):
			quotes++
			st.quoted = true
		case r == '[' || r == '(':
			n := citationLen(text[st.next:])
			if n == 0 || sp.text[s.start] == byte(r) {
				return
			}
			after = st.next + n
		case r == ':' || r == ';' || r == '=' || r == '<':
			n := emoticonLen(text[st.next:])
			if n == 0 {
				return
			}
			after = st.next + n
		default:
			return
		}
		if after < s.end && !isSpace(text, after) {
			st.continues = strings.IndexByte(".!?", text[after]) >= 0 && r != ')' && r != ']'
			return
		}
		st.closeEnd = after
		st.next = skipSpace(text, after, s.end)
	}
}

// emoticonLen returns the length of the emoticon at the start of s, or 0.
func emoticonLen(s string) int {
	n := 1
	if len(s) > n && (s[n] == '-' || s[n] == '\'' || s[n] == 'o') {
		n++
	}
	if len(s) <= n || s[n] != ')' && s[n] != '(' && s[n] != 'D' && s[n] != 'P' && s[n] != '3' && s[n] != '/' && s[n] != 'p' {
		return 0
	}
	n += repeats(s, n, min(len(s), 40), s[n])
	if n < len(s) && !isSpace(s, n) {
		return 0
	}
	return n
}

// citationLen returns the length of the citation at the start of s, or 0.
// Examples are "[1]", "[2, 3-5]", "[^1]", "(Smith et al., 2019)" and "(Passage
// 2)".
func citationLen(s string) int {
	const maxNumbers, maxLen = 32, 90
	if s[0] == '[' {
		n := strings.IndexByte(s[:min(len(s), maxNumbers)], ']')
		if n < 2 || s[1] != '^' && !isDigit(s[1]) || strings.Trim(s[1:n], "0123456789, -;^") != "" {
			return 0
		}
		return n + 1
	}
	n := strings.IndexAny(s[1:min(len(s), maxLen)], "()\n") + 1
	if n == 0 || s[n] != ')' || !isCitation(s[1:n]) {
		return 0
	}
	return n + 1
}

// isCitation reports whether the text in parentheses cites a source: it starts
// with a capital and ends in a year, or is a word such as "Passage" and a
// number.
func isCitation(s string) bool {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	e := len(s)
	if isASCIILetter(s[e-1]) && e > 5 {
		e-- // 2019a
	}
	n := 0
	for n < e && n < 5 && isDigit(s[e-1-n]) {
		n++
	}
	if n == 4 && e > 6 && (s[e-5] == ' ' || s[e-5] == ',') {
		return true
	}
	w := 0
	for w < len(s) && isASCIILetter(s[w]) {
		w++
	}
	if w > 2 && n > 0 && n < 4 && w+1+n == len(s) && s[w] == ' ' {
		return true // "Smith 55"
	}
	switch s[:w] {
	case "Passage", "Passages", "Source", "Sources", "Document", "Documents", "Doc", "Context", "Chunk", "Ref", "Page", "Paragraph", "Section":
		return n > 0 || isRoman(s[min(w+1, len(s)):])
	}
	return false
}

// startsUpper reports whether text[i:end], after opening quotes and the like,
// starts with a capital or a letter of a script without case.
func startsUpper(text string, i, end int) bool {
	kind, _ := classifyNext(text, i, end)
	return kind == nextUpper || kind == nextLetter
}

// A nextKind classifies the text after a stop.
type nextKind uint8

const (
	nextUpper  nextKind = iota // upper-case letter
	nextLower                  // lower-case letter
	nextDigit                  // digit
	nextLetter                 // letter of a script without case
	nextDash                   // dash
	nextJoiner                 // comma or the like, which continues the sentence
	nextSymbol                 // anything else
)

// classifyNext classifies text[i:end] and returns its offset after opening quotes
// and the like.
func classifyNext(text string, i, end int) (nextKind, int) {
	for n := 0; i < end && n < 8; n++ {
		r, size := utf8.DecodeRuneInString(text[i:end])
		switch {
		case isOpener(r):
			i += size
			continue
		case unicode.IsUpper(r):
			return nextUpper, i
		case unicode.IsLower(r):
			return nextLower, i
		case unicode.IsDigit(r) || r == '№' || r == '§':
			return nextDigit, i
		case unicode.IsLetter(r):
			return nextLetter, i
		case r == '-' || r == '–' || r == '—':
			if n == 0 {
				i += size
				return nextDash, i + repeats(text, i, end, '-')
			}
			return nextSymbol, i
		case r == ',' || r == ';' || r == ':' || r == '،' || r == '，' || r == '、' || r == '/':
			return nextJoiner, i
		}
		return nextSymbol, i
	}
	return nextSymbol, i
}

func (sp *splitter) isStarter(i, end int) bool {
	w := wordAt(sp.text, i, end)
	if j := i + len(w); j < end && sp.text[j] >= utf8.RuneSelf {
		w = lettersAt(sp.text, i, end)
		if j = i + len(w); j < end && sp.text[j] == '.' && utf8.RuneCountInString(w) == 1 {
			return false // an initial
		}
		if w != "" && strings.HasPrefix(sp.text[i+len(w):end], "’") {
			w = wordAt(sp.text, i, end) // "It’s"
		}
	}
	return sp.lang.is(w, useStarter)
}
