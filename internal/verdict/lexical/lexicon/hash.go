package lexicon

import "unicode/utf8"

// Parameters of 64-bit FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Hash returns the FNV-1a hash of a word with the top bit set, so that it is never 0.
func Hash[T string | []byte](w T) uint64 {
	h := uint64(fnvOffset)
	for i := range len(w) {
		h = (h ^ uint64(w[i])) * fnvPrime
	}
	return h | 1<<63
}

// A Hasher computes the Hash of a word from its characters. The zero Hasher has none.
type Hasher struct {
	sum uint64
	len int
}

// Len returns the length of the word in bytes.
func (h *Hasher) Len() int { return h.len }

// Sum returns the hash.
func (h *Hasher) Sum() uint64 { return h.sum | 1<<63 }

// Add adds a character.
func (h *Hasher) Add(r rune) {
	if h.len == 0 {
		h.sum = fnvOffset
	}
	if r < utf8.RuneSelf {
		h.sum = (h.sum ^ uint64(r)) * fnvPrime //nolint:gosec // not negative
		h.len++
		return
	}
	h.addForeign(r)
}

func (h *Hasher) addForeign(r rune) {
	var buf [utf8.UTFMax]byte
	for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
		h.sum = (h.sum ^ uint64(c)) * fnvPrime
		h.len++
	}
}

// Pair returns the key of two adjacent words. It is never 0.
func Pair(a, b uint64) uint64 {
	h := (a ^ b<<1 ^ b>>62) * 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	return h | 1<<63
}
