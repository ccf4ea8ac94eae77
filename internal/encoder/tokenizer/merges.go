package tokenizer

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// noRank is that of two tokens that aren't merged.
const noRank = math.MaxUint32

// pairs is the list of merges as a hash table with open addressing.
type pairs struct {
	slots  []pairSlot
	shift  uint
	factor uint64 // odd and random, so that no file can be made to collide
}

type pairSlot struct {
	key  uint64
	rank uint32 // noRank for an empty slot
	id   uint32
}

func newPairs(n int) *pairs {
	size := bits.Len(uint(max(n, 4) * 2))
	p := &pairs{slots: make([]pairSlot, 1<<size), shift: uint(64 - size)}
	p.factor = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	for i := range p.slots {
		p.slots[i].rank = noRank
	}
	return p
}

// slot returns the slot of a pair, or the empty one where it belongs.
func (p *pairs) slot(a, b int32) *pairSlot {
	key := uint64(uint32(a))<<32 | uint64(uint32(b))
	for i := key * p.factor >> p.shift; ; i++ {
		s := &p.slots[i&uint64(len(p.slots)-1)]
		if s.key == key || s.rank == noRank {
			return s
		}
	}
}

// set gives a pair its rank; a later one takes the place of an earlier one.
func (p *pairs) set(a, b int32, rank uint32, id int32) {
	s := p.slot(a, b)
	*s = pairSlot{uint64(uint32(a))<<32 | uint64(uint32(b)), rank, uint32(id)}
}

// find returns the rank of a pair, noRank for none, and the token it becomes.
func (p *pairs) find(a, b int32) (rank, id uint32) {
	s := p.slot(a, b)
	return s.rank, s.id
}

// A merge waits for its turn.
type merge struct {
	rank uint32
	at   int32 // of the left symbol
	id   int32 // what they become
}

func (m merge) before(n merge) bool {
	return m.rank < n.rank || m.rank == n.rank && m.at < n.at
}

// merges is a binary heap, written out because container/heap allocates.
type merges []merge

func (h merges) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h merges) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

func (h *merges) push(m merge) {
	*h = append(*h, m)
	a := *h
	for i := len(a) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a[i].before(a[parent]) {
			return
		}
		a[i], a[parent] = a[parent], a[i]
		i = parent
	}
}

func (h *merges) pop() merge {
	a := *h
	top := a[0]
	a[0] = a[len(a)-1]
	*h = a[:len(a)-1]
	h.sink(0)
	return top
}
