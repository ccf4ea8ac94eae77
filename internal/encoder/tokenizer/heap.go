package tokenizer

// A symbol is a part of a word. The symbols of a word form a linked list.
type symbol struct {
	id         int32
	prev, next int32
	length     int32 // in bytes; 0 after it was merged into the previous one
}

// A merge is a pending merge of two symbols.
type merge struct {
	rank int32
	at   int32 // index of the left symbol
	id   int32 // id of the merged token
}

// A mergeHeap has the merge that is applied next at its top.
type mergeHeap []merge

func (h mergeHeap) Len() int      { return len(h) }
func (h mergeHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h mergeHeap) Less(i, j int) bool {
	return h[i].rank < h[j].rank || h[i].rank == h[j].rank && h[i].at < h[j].at
}

// Push and Pop implement heap.Interface.
func (h *mergeHeap) Push(m any) { *h = append(*h, m.(merge)) }

func (h *mergeHeap) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
