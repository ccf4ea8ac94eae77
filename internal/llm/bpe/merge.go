package bpe

import "container/heap"

// A part is a range of a piece: a token, or a byte to be merged.
type part struct {
	prev, next int    // starts of the adjacent parts; next is the end of this one
	rank       uint32 // rank of the token formed with the next part
	merges     bool   // whether there is such a token
}

// A pair is two adjacent parts, the first of which starts at start.
type pair struct {
	rank  uint32
	start int
}

// pairs is a heap: the lowest rank is merged first, the leftmost of equal ones.
type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].start < p[j].start
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push and Pop are called by package heap.
func (p *pairs) Push(x any) { *p = append(*p, x.(pair)) }

// Pop removes the last pair.
func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// merge returns the number of tokens of a piece. It takes time proportional to
// n log n, since a piece may be a whole text without spaces.
func (e *Encoding) merge(piece string) int {
	parts := make([]part, len(piece))
	var queue pairs
	rank := func(i int) bool {
		p := &parts[i]
		p.merges = false
		if p.next < len(piece) {
			p.rank, p.merges = e.ranks[piece[i:parts[p.next].next]]
		}
		return p.merges
	}
	for i := range parts {
		parts[i] = part{prev: i - 1, next: i + 1}
	}
	for i := range parts {
		if rank(i) {
			queue = append(queue, pair{parts[i].rank, i})
		}
	}
	heap.Init(&queue)
	count := len(piece)
	for len(queue) > 0 {
		top := heap.Pop(&queue).(pair)
		p := &parts[top.start]
		if !p.merges || p.rank != top.rank {
			continue // one of its parts has been merged with another
		}
		count--
		parts[p.next].merges = false
		p.next = parts[p.next].next
		if p.next < len(piece) {
			parts[p.next].prev = top.start
		}
		for _, i := range [2]int{top.start, p.prev} {
			if i >= 0 && rank(i) {
				heap.Push(&queue, pair{parts[i].rank, i})
			}
		}
	}
	return count
}
