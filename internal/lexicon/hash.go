package lexicon

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

// Pair returns the key of two adjacent words. It is never 0.
func Pair(a, b uint64) uint64 {
	h := (a ^ b<<1 ^ b>>62) * 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	return h | 1<<63
}
