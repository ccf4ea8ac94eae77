package resultfile

// heads are a heap (container/heap) of the next row of each file: the first has the
// least index, of equal ones that of the file named first. The cost of a row grows with
// the logarithm of the number of files.
type heads []*head

func (h heads) Len() int { return len(h) }

func (h heads) Less(i, j int) bool {
	if h[i].index != h[j].index {
		return h[i].index < h[j].index
	}
	return h[i].order < h[j].order
}

func (h heads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds x, a *head. It is for container/heap.
func (h *heads) Push(x any) { *h = append(*h, x.(*head)) } //nolint:forcetypeassert // container/heap hands back what was pushed

// Pop takes off the last one. It is for container/heap.
func (h *heads) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return x
}

// second is the least but the first, nil where there is none.
func (h heads) second() *head {
	switch {
	case len(h) < 2:
		return nil
	case len(h) > 2 && h.Less(2, 1):
		return h[2]
	}
	return h[1]
}
