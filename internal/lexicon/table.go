package lexicon

// A Table maps hashes other than 0 to values. It is faster than a map, which would hash them
// again. The zero Table is empty.
type Table[V any] struct {
	slots []slot[V] // a power of two, at most half of them used
	used  int
}

type slot[V any] struct {
	hash  uint64 // or 0 if the slot is free
	value V
}

// at returns the slot with a hash, or the free one for it.
func (t *Table[V]) at(hash uint64) *slot[V] {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.hash == hash || s.hash == 0 {
			return s
		}
	}
}

// Get returns the value of a hash, or the zero value.
func (t *Table[V]) Get(hash uint64) V {
	if len(t.slots) == 0 {
		var zero V
		return zero
	}
	return t.at(hash).value
}

// Set sets the value of a hash.
func (t *Table[V]) Set(hash uint64, v V) {
	if 2*t.used >= len(t.slots) {
		old := t.slots
		t.slots = make([]slot[V], max(64, 2*len(old)))
		for i := range old {
			if old[i].hash != 0 {
				*t.at(old[i].hash) = old[i]
			}
		}
	}
	s := t.at(hash)
	if s.hash == 0 {
		s.hash = hash
		t.used++
	}
	s.value = v
}

// Clear removes all hashes. It keeps the memory of a small table.
func (t *Table[V]) Clear() {
	const maxKept = 1 << 12
	if len(t.slots) > maxKept {
		t.slots = nil
	}
	clear(t.slots)
	t.used = 0
}
