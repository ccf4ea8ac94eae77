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

// A Table is a hash table with open addressing. The slot of a key depends on a seed, to
// prevent crafted collisions.
type Table[V any] struct {
	slots []slot[V]
	seed  uint64
	shift uint
	n     int
}

type slot[V any] struct {
	key uint64 // 0 if the slot is free
	val V
}

// NewTable returns a table with capacity for n keys.
func NewTable[V any](n int, seed uint64) *Table[V] {
	t := &Table[V]{seed: seed | 1}
	t.size(n)
	return t
}

// size allocates slots for n keys.
func (t *Table[V]) size(n int) {
	b := 4
	for 1<<b < 2*n {
		b++
	}
	t.slots = make([]slot[V], 1<<b)
	t.shift = uint(64 - b) //nolint:gosec // at most 60
}

// Get returns the value of key k.
func (t *Table[V]) Get(k uint64) (V, bool) {
	mask := uint64(len(t.slots) - 1)
	for i := (k * t.seed) >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i&mask]
		if s.key == k {
			return s.val, true
		}
		if s.key == 0 {
			var zero V
			return zero, false
		}
	}
}

// Put sets the value of key k, which must not be 0.
func (t *Table[V]) Put(k uint64, v V) {
	if 2*(t.n+1) > len(t.slots) {
		old := t.slots
		t.size(2 * (t.n + 1))
		t.n = 0
		for i := range old {
			if old[i].key != 0 {
				t.Put(old[i].key, old[i].val)
			}
		}
	}
	mask := uint64(len(t.slots) - 1)
	for i := (k * t.seed) >> t.shift; ; i = (i + 1) & mask {
		s := &t.slots[i&mask]
		if s.key == 0 {
			t.n++
		} else if s.key != k {
			continue
		}
		s.key, s.val = k, v
		return
	}
}

// Clear removes all keys. It keeps the slots unless there are enough for more than limit
// keys.
func (t *Table[V]) Clear(limit int) {
	t.n = 0
	if len(t.slots) > 2*limit {
		t.size(limit)
		return
	}
	clear(t.slots)
}
