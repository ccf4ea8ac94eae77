package encoder

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Passage is the byte range from Start to End of the text with index Text.
type Passage struct{ Text, Start, End int }

// A Splitter splits texts into passages that fit the input of a model. They end at sentence
// boundaries if possible. Unless they are disjoint, adjacent passages overlap, so that one of
// them is likely to contain the complete evidence for a claim.
type Splitter struct {
	// Count returns the number of tokens of a text.
	Count func(text string) int
	// Sentences calls yield with the byte range of each sentence of a text.
	Sentences func(text string, yield func(start, end int))
	// Disjoint makes passages that do not overlap. Of the text between their sentences, only
	// line breaks are counted.
	Disjoint bool
	// Fits, if set, reports whether a passage of several tokens is also short enough for
	// another reason.
	Fits func(text string) bool
}

// overlap limits the overlap of adjacent passages to 1/overlap of the token limit.
const overlap = 4

// Split returns passages of at most maxTokens tokens that cover the texts. If
// maxTokens is not positive, each text is a single passage. Texts without
// letters and digits are skipped. The only possible error is ctx.Err().
func (s Splitter) Split(ctx context.Context, texts []string, maxTokens int) ([]Passage, error) {
	var all []Passage
	for t, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }):
		case maxTokens <= 0 || s.Count(text) <= maxTokens && s.fits(text):
			all = append(all, Passage{t, 0, len(text)})
		default:
			all = s.appendPassages(ctx, all, t, text, maxTokens)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// countGap returns the number of tokens of the text between two pieces, or an upper bound.
func (s Splitter) countGap(text string) int {
	if !s.Disjoint {
		return 1
	}
	if n := strings.Count(text, "\n"); n > 0 {
		return n * s.Count("\n")
	}
	return 0
}

func (s Splitter) fits(text string) bool { return s.Fits == nil || s.Fits(text) }

// A piece is a sentence or a part of a long sentence.
type piece struct{ start, end, tokens int }

// appendPassages appends passages of at most maxTokens tokens that cover text.
// It stops early if ctx is done.
func (s Splitter) appendPassages(ctx context.Context, all []Passage, t int, text string, maxTokens int) []Passage {
	var pieces []piece
	s.Sentences(text, func(start, end int) {
		if ctx.Err() == nil {
			pieces = s.appendPieces(pieces, text, start, end, maxTokens)
		}
	})
	if len(pieces) == 0 {
		pieces = s.appendPieces(nil, text, 0, len(text), maxTokens)
	}
	for from := 0; from < len(pieces); {
		to, tokens := from+1, pieces[from].tokens
		for ; to < len(pieces); to++ {
			n := s.countGap(text[pieces[to-1].end:pieces[to].start]) + pieces[to].tokens
			if tokens+n > maxTokens || !s.fits(text[pieces[from].start:pieces[to].end]) {
				break
			}
			tokens += n
		}
		all = append(all, Passage{t, pieces[from].start, pieces[to-1].end})
		if to == len(pieces) {
			break
		}
		// The overlap is shorter if the first new piece of the next passage is long.
		shared, maxShared := 0, min(maxTokens/overlap, maxTokens-pieces[to].tokens)
		next := to
		for next > from+1 && shared+pieces[next-1].tokens+1 <= maxShared {
			next--
			shared += pieces[next].tokens + 1
		}
		from = to
		if !s.Disjoint {
			from = next
		}
	}
	return all
}

// appendPieces splits text[start:end] into pieces of at most maxTokens tokens,
// between words if necessary, and appends them to pieces.
func (s Splitter) appendPieces(pieces []piece, text string, start, end, maxTokens int) []piece {
	n := s.Count(text[start:end])
	if n <= maxTokens && s.fits(text[start:end]) {
		return append(pieces, piece{start, end, n})
	}
	middle := splitPoint(text, start, end)
	if middle <= start || middle >= end {
		return append(pieces, piece{start, end, n}) // a single character cannot be split
	}
	return s.appendPieces(s.appendPieces(pieces, text, start, middle, maxTokens), text, middle, end, maxTokens)
}

// splitPoint returns an offset near the middle of text[start:end], never within
// a code point. It prefers an offset after a space in the middle half.
func splitPoint(text string, start, end int) int {
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
