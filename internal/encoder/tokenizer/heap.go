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

func (m merge) less(n merge) bool {
	return m.rank < n.rank || m.rank == n.rank && m.at < n.at
}

// A mergeHeap is a binary heap of merges. container/heap would allocate.
type mergeHeap []merge

func (h *mergeHeap) push(m merge) {
	*h = append(*h, m)
	a := *h
	for i := len(a) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a[i].less(a[parent]) {
			return
		}
		a[i], a[parent] = a[parent], a[i]
		i = parent
	}
}

func (h *mergeHeap) pop() merge {
	a := *h
	top := a[0]
	a[0] = a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	for i, child := 0, 1; child < len(a); child = 2*i + 1 {
		if child+1 < len(a) && a[child+1].less(a[child]) {
			child++
		}
		if !a[child].less(a[i]) {
			break
		}
		a[i], a[child] = a[child], a[i]
		i = child
	}
	return top
}
