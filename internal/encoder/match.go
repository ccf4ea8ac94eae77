package encoder

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A wordMatcher computes the token types of claim tokens by comparing their words
// with those of a window. A word is a WordPiece token and the "##" tokens that
// follow it.
type wordMatcher struct {
	pieces []string // vocabulary, by token id
	window wordList // sorted
	claim  wordList
}

// wordList holds the words of a token sequence, stored in one buffer.
type wordList struct {
	text  []byte
	words []wordSpan
}

// wordSpan is the range of a word in the buffer, in bytes, and its range of tokens.
type wordSpan struct{ start, end, first, last int32 }

func (l *wordList) word(i int) []byte { return l.text[l.words[i].start:l.words[i].end] }

// set replaces the words with those of ids.
func (l *wordList) set(pieces []string, ids []int32) {
	l.text, l.words = l.text[:0], l.words[:0]
	for i, id := range ids {
		piece := pieces[id]
		rest, continues := strings.CutPrefix(piece, "##")
		if continues && len(l.words) > 0 {
			l.text = append(l.text, rest...)
			w := &l.words[len(l.words)-1]
			w.end, w.last = int32(len(l.text)), int32(i+1)
			continue
		}
		start := int32(len(l.text))
		l.text = append(l.text, piece...)
		l.words = append(l.words, wordSpan{start, int32(len(l.text)), int32(i), int32(i + 1)})
	}
}

// setWindow sets the window for subsequent calls of setTypes.
func (m *wordMatcher) setWindow(window []int32) {
	l := &m.window
	l.set(m.pieces, window)
	slices.SortFunc(l.words, func(a, b wordSpan) int { return bytes.Compare(l.text[a.start:a.end], l.text[b.start:b.end]) })
}

// setTypes stores the types of the claim's tokens in types.
func (m *wordMatcher) setTypes(types, claim []int32) {
	m.claim.set(m.pieces, claim)
	for i, w := range m.claim.words {
		t := m.wordType(m.claim.word(i))
		for j := w.first; j < w.last; j++ {
			types[j] = t
		}
	}
}

func (m *wordMatcher) wordType(word []byte) int32 {
	if _, found := m.search(word); found {
		return sameWord
	}
	rest := word
	for range minSharedPrefix {
		_, n := utf8.DecodeRune(rest)
		if n == 0 {
			return absentWord
		}
		rest = rest[n:]
	}
	prefix := word[:len(word)-len(rest)]
	for i, _ := m.search(prefix); i < len(m.window.words); i++ {
		other := m.window.word(i)
		if !bytes.HasPrefix(other, prefix) {
			break
		}
		if similar(word, other) {
			return similarWord
		}
	}
	return absentWord
}

// search returns the index of the first window word not less than text, and
// whether it equals text.
func (m *wordMatcher) search(text []byte) (int, bool) {
	l := &m.window
	return slices.BinarySearchFunc(l.words, text, func(w wordSpan, text []byte) int {
		return bytes.Compare(l.text[w.start:w.end], text)
	})
}

// similar reports whether two words share a prefix of at least minSharedPrefix
// characters that covers all but the last two characters of the shorter word.
func similar(a, b []byte) bool {
	short := min(utf8.RuneCount(a), utf8.RuneCount(b))
	if short < minSharedPrefix {
		return false
	}
	for range max(minSharedPrefix, short-2) {
		ra, na := utf8.DecodeRune(a)
		rb, nb := utf8.DecodeRune(b)
		if ra != rb || na != nb {
			return false
		}
		a, b = a[na:], b[nb:]
	}
	return true
}
