package greedy

import "math/bits"

// A Table maps keys to values by open addressing. The key 0 marks an empty slot,
// so it can't have a value.
type Table struct {
	slots []slot
	shift uint
}

type slot struct{ key, value uint32 }

// NewTable returns a table for n keys.
func NewTable(n int) *Table {
	size := bits.Len(uint(n + n/2))
	return &Table{slots: make([]slot, 1<<size), shift: uint(32 - size)}
}

// Put sets the value of a key.
func (t *Table) Put(key, value uint32) {
	i := t.start(key)
	for t.slots[i].key != 0 && t.slots[i].key != key {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = slot{key, value}
}

// Find returns the value of a key, or 0.
func (t *Table) Find(key uint32) uint32 {
	slots := t.slots
	mask := len(slots) - 1
	for i := t.start(key) & mask; ; i = (i + 1) & mask {
		switch slots[i].key {
		case key:
			return slots[i].value
		case 0:
			return 0
		}
	}
}

// maxFeatures is the maximum number of features of a decision.
const maxFeatures = 128

// lookup returns the values of those of keys that have one. It reads the slots of all
// keys before it looks at any, so that waits for memory overlap.
func (t *Table) lookup(keys []uint32, values *[maxFeatures]uint32) []uint32 {
	var first [maxFeatures]slot
	slots := t.slots
	mask := len(slots) - 1
	for i, key := range keys {
		first[i&(maxFeatures-1)] = slots[t.start(key)&mask]
	}
	n := 0
	for i, key := range keys {
		s := first[i&(maxFeatures-1)]
		if s.key != key {
			if s.key == 0 {
				continue
			}
			if s.value = t.next(key); s.value == 0 {
				continue
			}
		}
		values[n&(maxFeatures-1)] = s.value
		n++
	}
	return values[:n]
}

// next is Find for a key that is not in its first slot.
func (t *Table) next(key uint32) uint32 {
	slots := t.slots
	mask := len(slots) - 1
	for i := (t.start(key) + 1) & mask; ; i = (i + 1) & mask {
		switch slots[i].key {
		case key:
			return slots[i].value
		case 0:
			return 0
		}
	}
}

func (t *Table) start(key uint32) int { return int(uint64(key*0x9e3779b1) >> t.shift) }
