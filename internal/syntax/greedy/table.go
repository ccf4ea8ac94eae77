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

func (t *Table) start(key uint32) int { return int(uint64(key*0x9e3779b1) >> t.shift) }
