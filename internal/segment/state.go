package segment

import (
	"strings"
	"unicode"
)

type splitter struct {
	text   string
	spans  []Span
	lang   *language
	claims bool // use the boundaries of the x-claims variant
	// Rules of the language, disabled for claims.
	joinQuotes, splitClauses bool
}

// emit appends text[start:end] without surrounding white space, unless that is empty.
func (sp *splitter) emit(start, end int) {
	start, end = trim(sp.text, start, end)
	if start < end {
		sp.spans = append(sp.spans, Span{start, end})
	}
}

// A scanState is the state of scanning one block of prose.
type scanState struct {
	start        int  // start of the current sentence
	end          int  // end of the block
	quotes       int  // straight double quotes since start
	urlEnd       int  // end of the last URL
	protectedEnd int  // no sentence ends before this offset
	itemNumber   int  // number of the last numbered item, or 0
	bullet       rune // bullet of the list item

	capsCounted, fewCaps bool // see hasFewCaps

	// Closing marks have been searched for without success up to these offsets,
	// which keeps the scan linear.
	fenceLimit   int
	bracketLimit int
	quoteLimits  [5]int // by quoteKind
}

// hasFewCaps reports whether the block has almost no capitals, fewer than one capitalized word
// per 200 lower-case letters, so that a lower-case letter after a stop carries no information.
// "NASA" and "I" do not count, since they say nothing about the start of sentences.
func (sp *splitter) hasFewCaps(s *scanState) bool {
	if s.capsCounted {
		return s.fewCaps
	}
	capitalized, lowers := 0, 0
	capital := false // whether the previous character is a capital
	for _, r := range sp.text[s.start:s.end] {
		if unicode.IsLower(r) {
			lowers++
			if capital {
				capitalized++
			}
		}
		capital = unicode.IsUpper(r)
	}
	s.capsCounted, s.fewCaps = true, capitalized*200 < lowers
	return s.fewCaps
}

// endSentence ends the sentence at end. The next one starts at next, or after the item
// number there. It returns the offset at which to continue scanning.
func (sp *splitter) endSentence(s *scanState, end, next int) int {
	sp.emit(s.start, end)
	s.quotes = 0
	s.start = max(next, end)
	if s.start >= s.end {
		return s.start
	}
	b := sp.text[s.start]
	lettered := b-'a' < 26 && s.start+1 < s.end && sp.text[s.start+1] == ')'
	if !isDigit(b) && b != '(' && b != 'a' && !lettered {
		return s.start
	}
	m := markerAt(sp.text, s.start, s.end)
	if m.size > 0 && m.number > 0 && (lettered || m.number == s.itemNumber+1 || m.number == 1 || m.number == letterItems+1) {
		s.itemNumber = m.number
		s.start += m.size
	}
	return s.start
}

// skipSpaceBack returns the end of the text before the white space that precedes i.
func skipSpaceBack(text string, floor, i int) int {
	return floor + len(strings.TrimRight(text[floor:max(floor, i)], " \t\r\n"))
}

// A Span is the byte range text[Start:End] of a text.
type Span struct{ Start, End int }
