package crossencoder

import (
	"unicode"
	"unicode/utf8"
)

// A window is a piece of a text that the model can read at once, in bytes.
type window struct{ text, start, end int }

// Where a text is longer than the model can read, windows overlap by a quarter,
// so that what a claim rests on stands whole in one of them.
const overlap = 4

// limit is how many tokens the model can read, or 0 for any number.
func (j *Judge) limit() int {
	info := j.o.Model.Info()
	if info.MaxTokens > 0 {
		return info.MaxTokens
	}
	return info.Window
}

// windows cuts texts into what fits beside a claim of so many tokens. Texts
// without a letter or a figure have none. At least half of what the model can read
// is for the text.
func (j *Judge) windows(texts []string, longestClaim int) []window {
	var all []window
	for t, text := range texts {
		if blank(text) {
			continue
		}
		limit := j.limit()
		if limit == 0 {
			all = append(all, window{t, 0, len(text)})
			continue
		}
		room := limit - j.o.Model.Specials()
		room = max(room-min(longestClaim, room/2), 1)
		all = j.cut(all, t, text, room)
	}
	return all
}

// A piece is a sentence, or a part of one that is too long, and its tokens.
type piece struct{ start, end, tokens int }

// cut appends windows of at most room tokens that cover text.
func (j *Judge) cut(all []window, t int, text string, room int) []window {
	if j.o.Model.Count(text) <= room {
		return append(all, window{t, 0, len(text)})
	}
	var pieces []piece
	j.o.Sentences(text, func(start, end int) {
		pieces = j.split(pieces, text, start, end, room)
	})
	if len(pieces) == 0 {
		pieces = j.split(nil, text, 0, len(text), room)
	}
	for from := 0; from < len(pieces); {
		to, tokens := from, 0
		for to < len(pieces) && (to == from || tokens+pieces[to].tokens <= room) {
			tokens += pieces[to].tokens + 1 // what stands between them may be one
			to++
		}
		all = append(all, window{t, pieces[from].start, pieces[to-1].end})
		if to == len(pieces) {
			break
		}
		// The next one begins with the last quarter of this one, or less where its
		// first new piece needs the room.
		shared, most := 0, min(room/overlap, room-pieces[to].tokens)
		next := to
		for next > from+1 && shared+pieces[next-1].tokens+1 <= most {
			next--
			shared += pieces[next].tokens + 1
		}
		from = next
	}
	return all
}

// split appends text[start:end] as pieces of at most room tokens, cut between
// words where it must be cut.
func (j *Judge) split(pieces []piece, text string, start, end, room int) []piece {
	n := j.o.Model.Count(text[start:end])
	if n <= room {
		return append(pieces, piece{start, end, n})
	}
	middle := between(text, start, end)
	if middle <= start || middle >= end {
		return append(pieces, piece{start, end, n}) // one letter: the model cuts it
	}
	return j.split(j.split(pieces, text, start, middle, room), text, middle, end, room)
}

// between is a place near the middle of text[start:end], after a space where
// there is one in the middle half, and never within a code point.
func between(text string, start, end int) int {
	middle := start + (end-start)/2
	for d := range (end - start) / 4 {
		for _, at := range [2]int{middle - d, middle + d} {
			if text[at-1] == ' ' || text[at-1] == '\n' {
				return at
			}
		}
	}
	for middle > start && !utf8.RuneStart(text[middle]) {
		middle--
	}
	return middle
}

// blank says that a text has nothing to read.
func blank(text string) bool {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return false
		}
	}
	return true
}
