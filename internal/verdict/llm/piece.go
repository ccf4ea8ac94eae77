package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A piece is a chunk or a window of one.
type piece struct {
	text  string
	chunk int
}

const (
	perMessage = 32  // tokens that a chat format adds around two messages
	pieceMarks = 24  // bytes of JSON around a chunk
	minWindow  = 64  // tokens below which no window of contexts is judged
	minBytes   = 200 // likewise in bytes
	overlap    = 8   // a window begins with this part of the one before it
)

func wholes(contexts []string) []piece {
	ps := make([]piece, len(contexts))
	for i, c := range contexts {
		ps[i] = piece{text: c, chunk: i}
	}
	return ps
}

func bytesOf(s string) int { return len(s) + pieceMarks }

// size is the tokens of a chunk as it is sent.
func (j *Judge) size(s string) int { return j.opts.Tokens(s) + j.opts.Tokens(s)/16 + pieceMarks/3 }

// pack puts pieces into groups of at most limit by size, in their order. A piece
// that is larger alone is cut into windows that overlap.
func pack(pieces []piece, limit int, size func(string) int) [][]piece {
	var groups [][]piece
	var group []piece
	used := 0
	add := func(p piece, n int) {
		if used+n > limit && len(group) > 0 {
			groups = append(groups, group)
			group, used = nil, 0
		}
		group = append(group, p)
		used += n
	}
	for _, p := range pieces {
		if n := size(p.text); n <= limit {
			add(p, n)
			continue
		}
		for _, w := range windows(p.text, limit, size) {
			add(piece{text: w, chunk: p.chunk}, size(w))
		}
	}
	if len(group) > 0 {
		groups = append(groups, group)
	}
	return groups
}

// windows cuts text into pieces of at most limit by size (or, where even a few
// characters are larger, of a few characters), which end between sentences or
// words where they can. Each begins with the end of the one before it, so that
// no sentence of usual length is seen only in halves.
func windows(text string, limit int, size func(string) int) []string {
	var out []string
	for {
		if size(text) <= limit {
			return append(out, text)
		}
		low, high := 1, len(text) // text[:low] fits, text[:high] does not
		for high-low > 1 {
			if mid := (low + high) / 2; size(text[:mid]) <= limit {
				low = mid
			} else {
				high = mid
			}
		}
		end := max(breakBefore(text, low), 1)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end++
		}
		out = append(out, text[:end])
		next := end - end/overlap
		if i := strings.IndexFunc(text[next:end], unicode.IsSpace); i >= 0 {
			next += i + 1
		}
		for next < end && !utf8.RuneStart(text[next]) {
			next++
		}
		if next == 0 || next >= len(text) {
			next = end
		}
		if text = text[next:]; text == "" {
			return out
		}
	}
}

// breakBefore is a good place to cut text at or a little before n.
func breakBefore(text string, n int) int {
	from := n - n/4
	best := 0
	for _, mark := range []string{"\n", ". ", "。", "? ", "! "} {
		if i := strings.LastIndex(text[from:n], mark); i >= 0 {
			best = max(best, from+i+len(mark))
		}
	}
	if best > 0 {
		return best
	}
	if i := strings.LastIndexAny(text[from:n], " \t"); i >= 0 {
		return from + i + 1
	}
	return n
}
