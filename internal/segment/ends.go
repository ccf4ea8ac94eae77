package segment

import (
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
	if st.wide {
		return st.spaced || !st.quoted || what != lower && what != letter
	}
	if !st.spaced {
		return c.glued(s, st)
	}
	if what == dash {
		return beginsUpper(c.text, skipSpace(c.text, at, s.end), s.end)
	}
	before := c.wordBefore(s.start, st.start)
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
		case unicode.IsDigit(r):
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

// glued decides a stop that no space follows: only "end.Next" ends a sentence,
// a word in lower case before it and a capitalised one after.
func (c *cutter) glued(s *scan, st *stop) bool {
	text := c.text[:s.end]
	if st.quoted && st.past != st.end && st.dots > 1 {
		return false
	}
	t := c.wordBefore(s.start, st.start)
	if t.class != word || t.runes < 3 && !st.loud || !t.lower && st.dots > 0 {
		return false
	}
	i := st.past
	if i >= s.end || text[i] < 'A' || text[i] > 'Z' {
		return false
	}
	j := i + 1
	for j < s.end && j-i < maxToken && (text[j]-'a' < 26 || text[j] == '\'') {
		j++
	}
	if j >= s.end || isSpace(text, j) || text[j] == ',' {
		return j-i > 1 || text[i] == 'I' || text[i] == 'A'
	}
	return false
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
	return true
}

// brand reports whether the exclamation mark belongs to a name that is written
// with one.
func (c *cutter) brand(st *stop, before token, what follower, at, end int) bool {
	if st.end-st.start != 1 || c.text[st.start] != '!' {
		return false
	}
	switch c.text[before.start:before.end] {
	case "Yahoo", "Jeopardy", "Wham", "Joomla", "Oklahoma", "Mamma Mia", "Panic", "Yum", "Eureka", "E":
		return what == lower || what == upper && !beginsSentence(wordAt(c.text, at, end))
	}
	return false
}

// endsDot decides a single full stop.
func (c *cutter) endsDot(s *scan, st *stop, before token, what follower, at int) bool {
	if st.quoted {
		return what != lower || c.fewCaps(s) && c.text[st.end] == ')'
	}
	starter := what == upper && beginsSentence(wordAt(c.text, at, s.end))
	switch before.class {
	case title, never:
		return false
	case numeral:
		return c.endsNumeral(s, before, what, at)
	case ending:
		return what != lower && what != number
	case clock:
		if what == upper && c.text[before.start] >= 'A' && c.text[before.start] <= 'Z' {
			return starter || c.titleAt(s, at)
		}
		return starter || what == letter
	case clipped:
		if what == lower && before.runes > 2 && c.fewCaps(s) {
			return true // "the nfl. did you know"
		}
		return starter || what == letter
	case inside, acronym:
		return starter || what == letter || what == symbol
	case initial:
		return c.endsInitial(s, before, what, starter)
	case digits:
		return c.endsDigits(s, before, what, at)
	case nothing:
		return what != lower || c.fewCaps(s)
	case word:
	}
	if what == lower {
		return c.endsLower(s, before, at)
	}
	return true
}

// endsNumeral decides after "No." or "Fig.", which a number or one capital
// follows.
func (c *cutter) endsNumeral(s *scan, before token, what follower, at int) bool {
	if what != upper {
		return what == letter
	}
	w := wordAt(c.text, at, s.end)
	if before.runes == 2 && c.text[before.start]|0x20 == 'n' {
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
		return starter
	}
	return what == letter || what == symbol && before.capital
}

// endsDigits decides after a number.
func (c *cutter) endsDigits(s *scan, before token, what follower, at int) bool {
	if before.start == s.start && before.runes < 4 {
		return false // "2." marks what follows
	}
	if what == lower {
		return c.fewCaps(s)
	}
	// "7. 5" is a number that was torn, "12. Juni" a day.
	return before.runes > 2 || what != number && (what != upper || !foreignMonth(wordAt(c.text, at, s.end)))
}

// endsLower decides after a word, before a small letter: a sentence ends there
// where the writer uses no capitals, or where the word is no abbreviation in
// all likelihood.
func (c *cutter) endsLower(s *scan, before token, at int) bool {
	if c.fewCaps(s) {
		return before.runes > 1
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

// foreignMonth knows the months of languages that write a day with a stop, where
// they differ from the English ones.
func foreignMonth(word string) bool {
	switch word {
	case "Januar", "Februar", "Juni", "Juli", "Oktober", "Dezember", "Mai", "Jänner", "M", "Apríla", "Aprila":
		return true
	}
	return false
}
