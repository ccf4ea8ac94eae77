package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A nextKind classifies the text after a stop.
type nextKind uint8

const (
	nextEnd    nextKind = iota // end of the block
	nextUpper                  // upper-case letter
	nextLower                  // lower-case letter
	nextDigit                  // digit
	nextLetter                 // letter of a script without case
	nextDash                   // dash
	nextJoiner                 // comma or the like, which continues the sentence
	nextSymbol                 // anything else
)

// ends reports whether the stop ends the sentence.
func (sp *splitter) ends(s *scanState, st *stop) bool {
	if st.next >= s.end {
		return false // the end of the block ends its last sentence
	}
	kind, at := sp.classifyNext(s, st.next)
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

// classifyNext classifies text[i:] and returns its offset after opening quotes
// and the like.
func (sp *splitter) classifyNext(s *scanState, i int) (nextKind, int) {
	for n := 0; i < s.end && n < 8; n++ {
		r, size := utf8.DecodeRuneInString(sp.text[i:s.end])
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
				return nextDash, i + repeats(sp.text, i, s.end, '-')
			}
			return nextSymbol, i
		case r == ',' || r == ';' || r == ':' || r == '،' || r == '，' || r == '、' || r == '/':
			return nextJoiner, i
		}
		return nextSymbol, i
	}
	return nextSymbol, i
}

// endsEmphatic is ends for question and exclamation marks.
func (sp *splitter) endsEmphatic(s *scanState, st *stop, before token, kind nextKind, at int) bool {
	if kind != nextLower {
		return !sp.isBrand(st, before, kind, at, s.end)
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

func (sp *splitter) isBrand(st *stop, before token, kind nextKind, at, end int) bool {
	if st.end-st.start != 1 || sp.text[st.start] != '!' {
		return false
	}
	return sp.lang.is(sp.text[before.start:before.end], useBrand) && (kind == nextLower || kind == nextUpper && !sp.isStarter(at, end))
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

// lettersAt returns the run of lower-case letters and marks of any script at
// text[i].
func lettersAt(text string, i, end int) string {
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

// titleAt reports whether there is a title such as "Mr." at i.
func (sp *splitter) titleAt(s *scanState, i int) bool {
	w := wordAt(sp.text, i, s.end)
	return i+len(w) < s.end && sp.text[i+len(w)] == '.' && sp.lookup(w, true) == classTitle
}

// wordAt returns the ASCII word, including apostrophes, at text[i]. It returns
// "" for an initial.
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
