package encoder

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// marks says of the tokens of claims how their words stand in a window. A word is
// a piece of a WordPiece vocabulary and those after it that begin with "##".
type marks struct {
	pieces []string // by their ids
	window spelling // sorted
	claim  spelling
}

// spelling is the words of a list of tokens.
type spelling struct {
	text  []byte
	words []spelt
}

// spelt is a word: its bytes in the spelling's text, and its tokens.
type spelt struct{ from, to, first, last int32 }

func (s *spelling) word(i int) []byte { return s.text[s.words[i].from:s.words[i].to] }

// read replaces the words by those of a list of tokens.
func (s *spelling) read(pieces []string, ids []int32) {
	s.text, s.words = s.text[:0], s.words[:0]
	for i, id := range ids {
		piece := pieces[id]
		rest, inner := strings.CutPrefix(piece, "##")
		if inner && len(s.words) > 0 {
			s.text = append(s.text, rest...)
			w := &s.words[len(s.words)-1]
			w.to, w.last = int32(len(s.text)), int32(i+1)
			continue
		}
		from := int32(len(s.text))
		s.text = append(s.text, piece...)
		s.words = append(s.words, spelt{from, int32(len(s.text)), int32(i), int32(i + 1)})
	}
}

// look takes the window that claims are held against.
func (m *marks) look(window []int32) {
	s := &m.window
	s.read(m.pieces, window)
	slices.SortFunc(s.words, func(a, b spelt) int { return bytes.Compare(s.text[a.from:a.to], s.text[b.from:b.to]) })
}

// mark sets the types of a claim's tokens.
func (m *marks) mark(types, claim []int32) {
	m.claim.read(m.pieces, claim)
	for i, w := range m.claim.words {
		t := m.stand(m.claim.word(i))
		for j := w.first; j < w.last; j++ {
			types[j] = t
		}
	}
}

// stand returns the type of a claim's word.
func (m *marks) stand(word []byte) int32 {
	if i := m.least(word); i < len(m.window.words) && bytes.Equal(m.window.word(i), word) {
		return sameWord
	}
	prefix := word
	for range akinPrefix {
		_, n := utf8.DecodeRune(prefix)
		if n == 0 {
			return absentWord
		}
		prefix = prefix[n:]
	}
	prefix = word[:len(word)-len(prefix)]
	// Words with the same beginning follow one another.
	for i := m.least(prefix); i < len(m.window.words); i++ {
		other := m.window.word(i)
		if !bytes.HasPrefix(other, prefix) {
			break
		}
		if akin(word, other) {
			return akinWord
		}
	}
	return absentWord
}

// least returns the first of the window's words that does not come before text.
func (m *marks) least(text []byte) int {
	lo, hi := 0, len(m.window.words)
	for lo < hi {
		mid := (lo + hi) / 2
		if bytes.Compare(m.window.word(mid), text) < 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// akin tells whether two words begin alike: all but the last two characters of
// the shorter one are the other's too, and no fewer than akinPrefix.
func akin(a, b []byte) bool {
	short := min(utf8.RuneCount(a), utf8.RuneCount(b))
	if short < akinPrefix {
		return false
	}
	for range max(akinPrefix, short-2) {
		r, n := utf8.DecodeRune(a)
		q, m := utf8.DecodeRune(b)
		if r != q || n != m {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return true
}
