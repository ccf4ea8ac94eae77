// Package passage cuts texts into passages that a model can read at once: at
// sentence ends where it can, and overlapping, so that what a claim rests on
// stands whole in one of them.
package passage

import (
	"context"
	"unicode"
	"unicode/utf8"
)

// A Passage is a piece of a text, in bytes.
type Passage struct{ Text, Start, End int }

// A Cutter cuts texts.
type Cutter struct {
	// Count is the number of tokens of a text.
	Count func(text string) int
	// Sentences calls yield with the start and end, in bytes, of each sentence of a
	// text.
	Sentences func(text string, yield func(start, end int))
}

// overlap says how much of a passage the next one begins with: a quarter.
const overlap = 4

// Cut returns passages of at most room tokens that cover the texts; with a room of
// 0 or less each text is one. Texts without a letter or a figure have none. The
// error is that of ctx.
func (c Cutter) Cut(ctx context.Context, texts []string, room int) ([]Passage, error) {
	var all []Passage
	for t, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case blank(text):
		case room <= 0 || c.Count(text) <= room:
			all = append(all, Passage{t, 0, len(text)})
		default:
			all = c.cut(ctx, all, t, text, room)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// A piece is a sentence, or a part of one that is too long, and its tokens.
type piece struct{ start, end, tokens int }

// cut appends passages of at most room tokens that cover text, fewer where ctx is
// done.
func (c Cutter) cut(ctx context.Context, all []Passage, t int, text string, room int) []Passage {
	var pieces []piece
	c.Sentences(text, func(start, end int) {
		if ctx.Err() == nil {
			pieces = c.split(pieces, text, start, end, room)
		}
	})
	if len(pieces) == 0 {
		pieces = c.split(nil, text, 0, len(text), room)
	}
	for from := 0; from < len(pieces); {
		to, tokens := from, 0
		for to < len(pieces) && (to == from || tokens+pieces[to].tokens <= room) {
			tokens += pieces[to].tokens + 1 // what stands between them may be one
			to++
		}
		all = append(all, Passage{t, pieces[from].start, pieces[to-1].end})
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
func (c Cutter) split(pieces []piece, text string, start, end, room int) []piece {
	n := c.Count(text[start:end])
	if n <= room {
		return append(pieces, piece{start, end, n})
	}
	middle := between(text, start, end)
	if middle <= start || middle >= end {
		return append(pieces, piece{start, end, n}) // one letter: the model cuts it
	}
	return c.split(c.split(pieces, text, start, middle, room), text, middle, end, room)
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
