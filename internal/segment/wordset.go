package segment

import (
	"encoding/binary"
	"math/bits"
)

// A wordSet is a map from words to sets of languages, for words that are looked
// up one after the other in every text. Common words are short: those of up to
// eight bytes are numbers here, and are found with a multiplication and hardly
// more than one look into the table.
type wordSet struct {
	short []shortWord // open addressing, at most half full; a power of two
	shift int
	used  int
	long  map[string]uint64
	heads [64]uint64 // of the long words, a bit for each: most words have none
}

// A shortWord is a word of one to eight bytes, none of which is 0, the first
// byte lowest.
type shortWord struct{ word, set uint64 }

const (
	shortBytes  = 8
	firstPlaces = 1 << 12
	golden      = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio, odd: Knuth, TAOCP 3, section 6.4
)

func newWordSet() wordSet {
	s := wordSet{long: make(map[string]uint64)}
	s.resize(firstPlaces)
	return s
}

func (s *wordSet) resize(places int) {
	old := s.short
	s.short, s.shift = make([]shortWord, places), 64-bits.TrailingZeros(uint(places))
	for _, w := range old {
		if w.word != 0 {
			*s.at(w.word) = w
		}
	}
}

// head is the place of the first bytes of a long word among the heads.
func head(word uint64) uint64 { return word * golden >> (64 - 12) }

// at is the place of a short word, which is empty where the word is not there.
func (s *wordSet) at(word uint64) *shortWord {
	i := int(word * golden >> s.shift)
	for s.short[i].word != word && s.short[i].word != 0 {
		i = (i + 1) & (len(s.short) - 1)
	}
	return &s.short[i]
}

// add puts the languages of set to those of the word.
func (s *wordSet) add(word string, set uint64) {
	var buf [shortBytes]byte
	copy(buf[:], word)
	w := binary.LittleEndian.Uint64(buf[:])
	if len(word) > shortBytes {
		s.long[word] |= set
		i := head(w)
		s.heads[i>>6] |= 1 << (i & 63)
		return
	}
	if w == 0 {
		return
	}
	if s.used*2 >= len(s.short) {
		s.resize(2 * len(s.short))
	}
	p := s.at(w)
	if p.word == 0 {
		s.used++
	}
	p.word, p.set = w, p.set|set
}

// of is the set of the word that the n first bytes of buf make, which are from 1
// to all of them.
func (s *wordSet) of(buf *[longestWord]byte, n int) uint64 {
	word := binary.LittleEndian.Uint64(buf[:])
	if n > shortBytes {
		if i := head(word); s.heads[i>>6]>>(i&63)&1 == 0 {
			return 0
		}
		return s.long[string(buf[:n])]
	}
	return s.at(word << (64 - 8*n) >> (64 - 8*n)).set
}
