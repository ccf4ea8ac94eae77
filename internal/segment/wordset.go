package segment

import (
	"encoding/binary"
	"math/bits"
)

// A wordSet maps words to sets of languages. Words of up to eight bytes, which
// most are, are stored as integers in an open-addressing hash table.
type wordSet struct {
	short     []shortWord // open addressing, at most half full; a power of two
	shift     int
	used      int
	long      map[string]uint64
	longHeads [64]uint64 // bloom filter on the first bytes of long words
}

// A shortWord is a word of one to eight non-zero bytes in little-endian order.
type shortWord struct{ word, set uint64 }

const (
	shortBytes     = 8
	initialSlots   = 1 << 12
	hashMultiplier = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio, odd: Knuth, TAOCP 3, section 6.4
)

func newWordSet() wordSet {
	s := wordSet{long: make(map[string]uint64)}
	s.resize(initialSlots)
	return s
}

func (s *wordSet) resize(size int) {
	old := s.short
	s.short, s.shift = make([]shortWord, size), 64-bits.TrailingZeros(uint(size))
	for _, w := range old {
		if w.word != 0 {
			*s.slot(w.word) = w
		}
	}
}

// headIndex returns the bit index in wordSet.longHeads for the first bytes of a
// long word.
func headIndex(word uint64) uint64 { return word * hashMultiplier >> (64 - 12) }

// slot returns the slot of a short word, or the empty slot for it.
func (s *wordSet) slot(word uint64) *shortWord {
	i := int(word * hashMultiplier >> s.shift)
	for s.short[i].word != word && s.short[i].word != 0 {
		i = (i + 1) & (len(s.short) - 1)
	}
	return &s.short[i]
}

// add adds the languages of set to those of word.
func (s *wordSet) add(word string, set uint64) {
	var buf [shortBytes]byte
	copy(buf[:], word)
	w := binary.LittleEndian.Uint64(buf[:])
	if len(word) > shortBytes {
		s.long[word] |= set
		i := headIndex(w)
		s.longHeads[i>>6] |= 1 << (i & 63)
		return
	}
	if w == 0 {
		return
	}
	if s.used*2 >= len(s.short) {
		s.resize(2 * len(s.short))
	}
	p := s.slot(w)
	if p.word == 0 {
		s.used++
	}
	p.word, p.set = w, p.set|set
}

// lookup returns the set of the word in the first n bytes of buf; n is at least
// 1.
func (s *wordSet) lookup(buf *[maxWord]byte, n int) uint64 {
	word := binary.LittleEndian.Uint64(buf[:])
	if n > shortBytes {
		if i := headIndex(word); s.longHeads[i>>6]>>(i&63)&1 == 0 {
			return 0
		}
		return s.long[string(buf[:n])]
	}
	return s.slot(word << (64 - 8*n) >> (64 - 8*n)).set
}
