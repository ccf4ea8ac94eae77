package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A follower is what comes after a stop.
type follower uint8

const (
	end    follower = iota // of the block
	upper                  // a capital letter
	lower                  // a small one
	number                 // a digit
	letter                 // of a script without case
	dash                   // and a space
	joint                  // a comma or the like: the sentence goes on
	symbol                 // anything else
)

// ends decides whether the stop ends the sentence.
func (c *cutter) ends(s *scan, st *stop) bool {
	if st.next >= s.end {
		return false // the block ends here, and its sentence with it
	}
	what, at := c.follower(s, st.next)
	if what == joint || st.open {
		return false
	}
	if st.spaced && c.text[st.next] == 0xC2 && isInverted(c.text[st.next:]) {
		return st.dots == 0 || c.wordBefore(s.start, st.start).class != title
	}
	if st.wide {
		return st.spaced || !st.quoted || what != lower && what != letter
	}
	if !st.spaced {
		return c.glued(s, st)
	}
	before := c.wordBefore(s.start, st.start)
	if what == dash {
		return (st.loud || before.class == word || before.class == nothing || before.class == digits) &&
			beginsUpper(c.text, skipSpace(c.text, at, s.end), s.end)
	}
	if st.start > s.start && c.text[st.start-1] == ':' {
		return false // "Tel.:? 555"
	}
	if before.class == nothing && st.start == s.start && !st.loud {
		return false // "...en toen", ". . ."
	}
	switch {
	case st.loud:
		return c.endsLoud(s, st, before, what, at)
	case st.dots > 1:
		return what != lower && (st.dots != 3 || !st.gappy || before.class != nothing)
	}
	return c.endsDot(s, st, before, what, at)
}

// follower says what text[i:] begins with, after quotes and the like, and where.
func (c *cutter) follower(s *scan, i int) (follower, int) {
	for n := 0; i < s.end && n < 8; n++ {
		r, size := utf8.DecodeRuneInString(c.text[i:s.end])
		switch {
		case isOpener(r):
			i += size
			continue
		case unicode.IsUpper(r):
			return upper, i
		case unicode.IsLower(r):
			return lower, i
		case unicode.IsDigit(r) || r == '№' || r == '§':
			return number, i
		case unicode.IsLetter(r):
			return letter, i
		case r == '-' || r == '–' || r == '—':
			j := i + size
			for j < s.end && c.text[j] == '-' {
				j++
			}
			if n == 0 {
				return dash, j
			}
			return symbol, i
		case r == ',' || r == ';' || r == ':' || r == '،' || r == '，' || r == '、' || r == '/':
			return joint, i
		}
		return symbol, i
	}
	return symbol, i
}

// isInverted reports whether s begins with a mark that opens a question or an
// exclamation in Spanish.
func isInverted(s string) bool {
	return strings.HasPrefix(s, "¿") || strings.HasPrefix(s, "¡")
}

// endsLoud decides a question or exclamation mark.
func (c *cutter) endsLoud(s *scan, st *stop, before token, what follower, at int) bool {
	if what != lower {
		return !c.brand(st, before, what, at, s.end)
	}
	if st.quoted {
		return false
	}
	if c.text[st.end-1] == '!' && before.capital {
		return false // a name that is written with its mark
	}
	w := wordAt(c.text, at, s.end)
	next := skipSpace(c.text, at+len(w), s.end)
	return !c.lang.is(wordAt(c.text, next, s.end), speaks) // "Stop! he yelled."
}

// brand reports whether the exclamation mark belongs to a name that is written
// with one.
func (c *cutter) brand(st *stop, before token, what follower, at, end int) bool {
	if st.end-st.start != 1 || c.text[st.start] != '!' {
		return false
	}
	if c.lang.is(c.text[before.start:before.end], brands) {
		return what == lower || what == upper && !c.starts(at, end)
	}
	return false
}

// starts reports whether the word at i often begins a sentence.
func (c *cutter) starts(i, end int) bool {
	w := wordAt(c.text, i, end)
	if j := i + len(w); j < end && c.text[j] >= utf8.RuneSelf {
		w = runAt(c.text, i, end)
		if j = i + len(w); j < end && c.text[j] == '.' && utf8.RuneCountInString(w) == 1 {
			return false // an initial
		}
		if w != "" && strings.HasPrefix(c.text[i+len(w):end], "’") {
			w = wordAt(c.text, i, end) // "It’s"
		}
	}
	return c.lang.is(w, starts)
}

// runAt is the word of any script at text[i].
func runAt(text string, i, end int) string {
	j := i
	for j < end && j-i < maxToken {
		r, size := utf8.DecodeRuneInString(text[j:end])
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		j += size
	}
	return text[i:j]
}

// titleAt reports whether a title such as "Mr." stands at i.
func (c *cutter) titleAt(s *scan, i int) bool {
	w := wordAt(c.text, i, s.end)
	return i+len(w) < s.end && c.text[i+len(w)] == '.' && c.lookup(w, true) == title
}

// wordAt is the ASCII word at text[i], with an apostrophe within; empty where it
// is an initial with its stop.
func wordAt(text string, i, end int) string {
	j := i
	for j < end && j-i < 24 && (isASCIILetter(text[j]) || text[j] == '\'' && j > i) {
		j++
	}
	if j-i == 1 && j < end && text[j] == '.' {
		return ""
	}
	return text[i:j]
}
