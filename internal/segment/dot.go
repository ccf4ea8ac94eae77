package segment

import "strings"

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
	case end, letter, joint, symbol:
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
