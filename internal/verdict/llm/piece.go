package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/llm/prompt"
)

// A piece is a chunk, or a window of a long chunk.
type piece struct {
	text  string
	chunk int
}

const (
	messageTokens = 32  // tokens that a chat template adds to two messages
	chunkOverhead = 24  // bytes of JSON syntax around a chunk
	minWindow     = 64  // smallest useful window, in tokens
	minBytes      = 200 // smallest useful group, in bytes
	overlap       = 8   // consecutive windows overlap by 1/overlap of their length
)

func wholeChunks(contexts []string) []piece {
	ps := make([]piece, len(contexts))
	for i, c := range contexts {
		ps[i] = piece{text: c, chunk: i}
	}
	return ps
}

// items numbers pieces for a prompt.
func items(pieces []piece) []prompt.Item {
	list := make([]prompt.Item, len(pieces))
	for i, p := range pieces {
		list[i] = prompt.Item{ID: i, Text: p.text}
	}
	return list
}

// bytesOf returns the approximate bytes of a chunk in a request.
func bytesOf(s string) int { return len(s) + chunkOverhead }

// halve splits pieces into two groups or slightly more. It returns nil if they
// are too short.
func halve(pieces []piece) [][]piece {
	total := 0
	for _, p := range pieces {
		total += bytesOf(p.text)
	}
	if total < 2*minBytes {
		return nil
	}
	return pack(pieces, (total+1)/2, bytesOf)
}

// pack distributes pieces, in order, over groups of at most limit in total
// size. A piece larger than limit is split into overlapping windows.
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

// windows splits text into windows of at most limit in size, but of at least
// one character. Windows end between sentences or words if possible. They
// overlap so that each sentence of usual length is complete in one of them.
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

// breakBefore returns a good offset for splitting text, at or slightly before
// n.
func breakBefore(text string, n int) int {
	start := n - n/4
	best := 0
	for _, mark := range []string{"\n", ". ", "。", "? ", "! "} {
		if i := strings.LastIndex(text[start:n], mark); i >= 0 {
			best = max(best, start+i+len(mark))
		}
	}
	if best > 0 {
		return best
	}
	if i := strings.LastIndexAny(text[start:n], " \t"); i >= 0 {
		return start + i + 1
	}
	return n
}
