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
		case unicode.IsDigit(r) || r == '№':
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

// endsDot decides a single full stop.
func (c *cutter) endsDot(s *scan, st *stop, before token, what follower, at int) bool {
	if st.quoted {
		return what != lower || c.text[st.end] == ')' && before.class != ending && c.lang.lower && c.fewCaps(s)
	}
	starter := what == upper && c.starts(at, s.end)
	switch before.class {
	case title, never:
		return false
	case bound:
		return c.claims && (starter || what == letter || what == symbol)
	case numeral:
		return c.endsNumeral(s, before, what, at)
	case ending:
		return what != lower && what != number
	case clock:
		return c.endsClock(s, before, what, at, starter)
	case clipped:
		if what == lower && before.runes > 2 && c.fewCaps(s) {
			return true // "the nfl. did you know"
		}
		return starter || what == letter
	case inside, acronym:
		if before.runes == 1 && !before.capital && before.ascii && !c.claims {
			return what == letter // a variable: "incident to v. If"
		}
		return starter || what == letter || what == symbol
	case initial:
		return c.endsInitial(s, before, what, starter)
	case digits:
		return c.endsDigits(s, before, what, at, starter)
	case nothing:
		return what != lower || c.fewCaps(s)
	case word:
	}
	switch {
	case what == lower:
		return c.endsLower(s, before, at)
	case what == upper && c.lang.ordinals && isRoman(c.text[before.start:before.end]):
		return starter // "XII. Regiment"
	}
	return true
}

// endsClock decides after "a.m.", before a capital: a day or a time zone goes
// on, and so does a name where the time opens the sentence.
func (c *cutter) endsClock(s *scan, before token, what follower, at int, starter bool) bool {
	if what != upper {
		return what == letter
	}
	w := wordAt(c.text, at, s.end)
	if starter || c.text[before.start]-'A' < 26 && c.titleAt(s, at) {
		return true
	}
	const adverbial = 30 // "On Friday at about 5 a.m."
	if c.lang.is(w, zones) || before.start-s.start < adverbial && opensTime(wordAt(c.text, s.start, s.end)) {
		return false
	}
	// "Travelers who": many, and what they do.
	next := skipSpace(c.text, at+len(w), s.end)
	return len(w) > 3 && w[len(w)-1] == 's' && next < s.end && c.text[next]-'a' < 26
}

// opensTime knows the words that a sentence begins a time with.
func opensTime(word string) bool {
	switch word {
	case "At", "On", "In", "By", "From", "Around", "Before", "After", "Until", "Since":
		return true
	}
	return false
}

// endsNumeral decides after "No." or "Fig.", which a number or one capital
// follows.
func (c *cutter) endsNumeral(s *scan, before token, what follower, at int) bool {
	if what != upper {
		return what == letter
	}
	if !before.ascii {
		return c.starts(at, s.end)
	}
	w := wordAt(c.text, at, s.end)
	if before.runes == 2 && c.text[before.start]|0x20 == 'n' && before.ascii {
		return true // "No. I do not."
	}
	return len(w) > 1 && !isRoman(w)
}

// endsInitial decides after a single letter: of a name, unless the next word
// begins a sentence.
func (c *cutter) endsInitial(s *scan, before token, what follower, starter bool) bool {
	if before.start == s.start {
		return false // "a." marks what follows
	}
	if what == upper {
		return starter && (c.claims || before.capital && !c.variable(s, before))
	}
	return what == letter || what == symbol && before.capital
}

// variable reports whether the capital before the stop names something that the
// sentence named before: "each vertex in X. If X is".
func (c *cutter) variable(s *scan, t token) bool {
	const near = 200
	text := c.text[max(s.start, t.start-near):t.start]
	for i := 1; i+1 < len(text); i++ {
		if text[i] == c.text[t.start] && text[i-1] == ' ' && (text[i+1] == ' ' || text[i+1] == ',' || text[i+1] == ')') {
			return text[i] != 'A' && text[i] != 'I'
		}
	}
	return strings.HasSuffix(text, " in ") && strings.IndexByte(text, ')') >= 0
}

// endsDigits decides after a number.
func (c *cutter) endsDigits(s *scan, before token, what follower, at int, starter bool) bool {
	if before.start == s.start && before.runes < 4 {
		return false // "2." marks what follows
	}
	switch what {
	case lower:
		return c.lang.lower && c.fewCaps(s)
	case number:
		// "7. 5" is a number that was torn, "2. 2 + 2" a sentence.
		return before.runes > 2 || operates(c.text, at, s.end)
	case upper:
		if before.runes < 3 && (c.lang.ordinals || c.lang.is(runAt(c.text, at, s.end), dates)) {
			return starter // "12. Juni" is a day
		}
	case dash:
		return false
	}
	return true
}

// operates reports whether a sign of arithmetic follows the number at i.
func operates(text string, i, end int) bool {
	for i < end && isDigit(text[i]) {
		i++
	}
	if i+2 >= end || text[i] != ' ' || text[i+2] != ' ' {
		return false
	}
	switch text[i+1] {
	case '+', '-', '=', '*', '/':
		return true
	}
	return false
}

// endsLower decides after a word, before a small letter: a sentence ends there
// where the writer uses no capitals, or where the word is no abbreviation in
// all likelihood.
func (c *cutter) endsLower(s *scan, before token, at int) bool {
	if !c.lang.lower {
		return false
	}
	if c.fewCaps(s) {
		return before.runes > 1
	}
	if before.small && !before.ascii {
		return before.runes > 3
	}
	if !before.lower {
		return before.ascii && before.runes > 3
	}
	switch wordAt(c.text, at, s.end) {
	case "i", "i'm", "i've", "he", "she", "they", "we", "it's":
		return before.runes > 2
	}
	return before.runes > 3
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
