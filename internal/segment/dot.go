package segment

import (
	"slices"
	"strings"
)

// endsDot is ends for a single full stop.
func (sp *splitter) endsDot(s *scanState, st *stop, before token, kind nextKind, at int) bool {
	if st.quoted {
		return kind != nextLower || sp.text[st.end] == ')' && before.class != classFinal && sp.lang.lowerStarts && sp.hasFewCaps(s)
	}
	starter := kind == nextUpper && sp.isStarter(at, s.end)
	switch before.class {
	case classTitle, classNeverFinal:
		return false
	case classBound:
		return sp.claims && (starter || kind == nextLetter || kind == nextSymbol)
	case classNumeral:
		return sp.endsNumeral(s, before, kind, at)
	case classFinal:
		return kind != nextLower && kind != nextDigit
	case classClock:
		return sp.endsClock(s, before, kind, at, starter)
	case classNoVowel:
		if kind == nextLower && before.runes > 2 && sp.hasFewCaps(s) {
			return true // "the nfl. did you know"
		}
		return starter || kind == nextLetter || kind == nextUpper && startsWithParticiple(sp.text, at, s.end)
	case classUnit, classRarelyFinal, classAcronym:
		if kind == nextUpper && (before.class == classUnit && !before.capital && sp.isMeasure(s, before) && sp.startsSentence(s, at) || sp.startsClause(s, before, at)) {
			return true
		}
		if before.runes == 1 && !before.capital && before.ascii && !sp.claims {
			return kind == nextLetter // variable: "incident to v. If"
		}
		return starter || kind == nextLetter || kind == nextSymbol || kind == nextUpper && startsWithParticiple(sp.text, at, s.end)
	case classInitial:
		return sp.endsInitial(s, before, kind, starter)
	case classDigits:
		return sp.endsDigits(s, before, kind, at, starter)
	case classNone:
		return kind != nextLower || sp.hasFewCaps(s)
	case classWord:
	}
	switch {
	case kind == nextLower:
		return sp.endsLower(s, before, at)
	case kind == nextUpper && sp.lang.ordinals && isRoman(sp.text[before.start:before.end]):
		return starter // "XII. Regiment"
	}
	return true
}

// startsWithParticiple reports whether a participle and a lower-case word are at i, as in
// "Acme Inc. Founded in 1990". Names are seldom followed by a preposition or an article.
func startsWithParticiple(text string, i, end int) bool {
	const minLength = 5
	w := wordAt(text, i, end)
	if len(w) < minLength || !strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "eed") {
		return false
	}
	i += len(w) + 1
	switch wordAt(text, min(i, end), end) {
	case "in", "on", "at", "by", "after", "for", "from", "as", "to", "with", "the", "a", "an":
		return text[i-1] == ' '
	}
	return false
}

// endsClock decides after "a.m." and "p.m.". A day or time zone continues the
// sentence, and so does a name if the sentence starts with the time.
func (sp *splitter) endsClock(s *scanState, before token, kind nextKind, at int, starter bool) bool {
	if kind != nextUpper {
		return kind == nextLetter
	}
	w := wordAt(sp.text, at, s.end)
	isTitle := at+len(w) < s.end && sp.text[at+len(w)] == '.' && sp.lookup(w) == classTitle
	if starter || sp.text[before.start]-'A' < 26 && isTitle {
		return true
	}
	const adverbial = 30 // "On Friday at about 5 a.m."
	introducesTime := slices.Contains([]string{"At", "On", "In", "By", "From", "Around", "Before", "After", "Until", "Since"}, wordAt(sp.text, s.start, s.end))
	if sp.lang.is(w, useZone) || before.start-s.start < adverbial && introducesTime {
		return false
	}
	// A name and a lower-case word start a sentence, but not in "the 5 p.m. Mass" and
	// "5 p.m. Paris time".
	next := skipSpace(sp.text, at+len(w), s.end)
	return w != "" && next < s.end && sp.text[next]-'a' < 26 && wordAt(sp.text, next, s.end) != "time" && sp.isMeasure(s, before)
}

// isMeasure reports whether one of the two words before the unit t is a number, as in
// "10 people max.", that neither starts the sentence nor follows an article.
func (sp *splitter) isMeasure(s *scanState, t token) bool {
	end := t.start
	for range 2 {
		end = skipSpaceBack(sp.text, s.start, end)
		start := max(s.start, strings.LastIndexByte(sp.text[:end], ' ')+1)
		if start == end || end == t.start {
			return false
		}
		if isDigit(sp.text[start]) {
			before := lastWord(sp.text[s.start:skipSpaceBack(sp.text, s.start, start)])
			return before != "" && !slices.Contains([]string{"a", "an", "the", "A", "An", "The"}, before) // not "3 oz. Parmesan", "a 20 oz. Coke"
		}
		end = start
	}
	return false
}

// startsClause reports whether a capitalized word and an auxiliary verb are at i, and the
// sentence has an auxiliary before: "It is in the U.S. Shipping is free."
func (sp *splitter) startsClause(s *scanState, before token, i int) bool {
	const near = 200
	if !sp.startsSentence(s, i) {
		return false
	}
	found := false
	for w := range strings.FieldsSeq(sp.text[max(s.start, before.start-near):before.start]) {
		switch {
		case isAuxiliary(w):
			found = true
		case slices.Contains([]string{"that", "if", "and", "but", "when", "because", "while", "which", "who"}, w):
			found = false
		}
	}
	return found
}

// startsSentence reports whether a word and an auxiliary verb are at i.
func (sp *splitter) startsSentence(s *scanState, i int) bool {
	next := skipSpace(sp.text, i+len(wordAt(sp.text, i, s.end)), s.end)
	return isAuxiliary(wordAt(sp.text, next, s.end))
}

func isAuxiliary(word string) bool {
	return slices.Contains([]string{"is", "are", "was", "were", "has", "have", "had", "can", "will", "must", "may", "does", "do"}, word)
}

// endsNumeral decides after "No." or "Fig.", which are usually followed by a
// number or a single capital.
func (sp *splitter) endsNumeral(s *scanState, before token, kind nextKind, at int) bool {
	if kind != nextUpper {
		return kind == nextLetter
	}
	if !before.ascii {
		return sp.isStarter(at, s.end)
	}
	w := wordAt(sp.text, at, s.end)
	if before.runes == 2 && sp.text[before.start]|0x20 == 'n' && before.ascii {
		return true // "No. I do not."
	}
	return len(w) > 1 && !isRoman(w)
}

// endsInitial decides after a single letter. It is an initial unless the next
// word often starts a sentence.
func (sp *splitter) endsInitial(s *scanState, before token, kind nextKind, starter bool) bool {
	if before.start == s.start {
		return false // "a." is an item marker
	}
	if kind == nextUpper {
		return starter && (sp.claims || before.capital && !sp.isVariable(s, before)) || !before.capital && sp.isMeasure(s, before) // "5 h. Tickets"
	}
	return kind == nextLetter || kind == nextSymbol && before.capital
}

// isVariable reports whether the capital before the stop was used as a name
// earlier in the sentence: "each vertex in X. If X is".
func (sp *splitter) isVariable(s *scanState, t token) bool {
	const near = 200
	text := sp.text[max(s.start, t.start-near):t.start]
	for i := 1; i+1 < len(text); i++ {
		if text[i] == sp.text[t.start] && text[i-1] == ' ' && (text[i+1] == ' ' || text[i+1] == ',' || text[i+1] == ')') {
			return text[i] != 'A' && text[i] != 'I'
		}
	}
	return strings.HasSuffix(text, " in ") && strings.IndexByte(text, ')') >= 0
}

func (sp *splitter) endsDigits(s *scanState, before token, kind nextKind, at int, starter bool) bool {
	if before.start == s.start && before.runes < 4 {
		return false // "2." is an item marker
	}
	switch kind {
	case nextLower:
		return sp.lang.lowerStarts && sp.hasFewCaps(s)
	case nextDigit:
		// "7. 5" is a split number; in "2. 2 + 2" a sentence starts.
		return before.runes > 2 || isArithmetic(sp.text, at, s.end)
	case nextUpper:
		if before.runes < 3 && (sp.lang.ordinals || sp.lang.is(lettersAt(sp.text, at, s.end), useMonth)) {
			return starter // "12. Juni" is a date
		}
	case nextDash:
		return false
	case nextLetter, nextJoiner, nextSymbol:
	}
	return true
}

// isArithmetic reports whether an arithmetic operator follows the number at i.
func isArithmetic(text string, i, end int) bool {
	for i < end && isDigit(text[i]) {
		i++
	}
	if i+2 >= end || text[i] != ' ' || text[i+2] != ' ' {
		return false
	}
	return strings.IndexByte("+-=*/", text[i+1]) >= 0
}

// endsLower decides between a word and a lower-case letter. The sentence ends if the writer omits
// capitals or if the word is unlikely to be an abbreviation.
func (sp *splitter) endsLower(s *scanState, before token, at int) bool {
	if !sp.lang.lowerStarts {
		return false
	}
	if sp.hasFewCaps(s) {
		return before.runes > 1
	}
	if before.lowerCase && !before.ascii {
		return before.runes > 3
	}
	if !before.asciiLower {
		return before.ascii && before.runes > 3
	}
	switch wordAt(sp.text, at, s.end) {
	case "i", "i'm", "i've", "he", "she", "they", "we", "it's":
		return before.runes > 2
	}
	return before.runes > 3
}
