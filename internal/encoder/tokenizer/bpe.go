package tokenizer

import (
	"container/heap"
	"unicode/utf8"
)

// A bpe is a byte-pair encoding model. It splits a word into bytes or characters and
// merges adjacent pairs in the order of the merge list until none applies.
type bpe struct {
	merges map[[2]int32]merged
	chars  map[rune]int32 // single-character tokens; nil if words are split into bytes
	bytes  [256]int32     // tokens of bytes, also for characters without a token
}

// merged is the result of merging two tokens. Pairs with a lower rank are merged first.
type merged struct{ rank, id int32 }

func (b *bpe) tokenize(s *state, p piece) {
	src := s.bytes(p)
	word := make([]symbol, 0, len(src))
	add := func(id int32, length int) {
		n := int32(len(word))
		word = append(word, symbol{id, n - 1, n + 1, int32(length)})
	}
	for i := 0; i < len(src); {
		w := 1
		if b.chars != nil {
			var r rune
			r, w = utf8.DecodeRune(src[i:])
			if id, ok := b.chars[r]; ok {
				add(id, w)
				i += w
				continue
			}
		}
		for _, c := range src[i : i+w] {
			add(b.bytes[c], 1)
		}
		i += w
	}
	b.merge(word)
	at := int(p.lo)
	for _, w := range word {
		if w.length > 0 {
			s.emit(w.id, at, at+int(w.length))
			at += int(w.length)
		}
	}
}

// merge merges pairs by rank, leftmost first for equal ranks.
func (b *bpe) merge(word []symbol) {
	var pending mergeHeap
	push := func(left, right int32) {
		if left < 0 || int(right) >= len(word) {
			return
		}
		if m, ok := b.merges[[2]int32{word[left].id, word[right].id}]; ok {
			heap.Push(&pending, merge{m.rank, left, m.id})
		}
	}
	for i := range int32(len(word)) {
		push(i, i+1)
	}
	for len(pending) > 0 {
		m := heap.Pop(&pending).(merge)
		left := &word[m.at]
		if left.length == 0 || int(left.next) >= len(word) {
			continue
		}
		right := &word[left.next]
		if now, ok := b.merges[[2]int32{left.id, right.id}]; !ok || now.id != m.id {
			continue // stale
		}
		left.id = m.id
		left.length += right.length
		right.length = 0
		left.next = right.next
		if int(left.next) < len(word) {
			word[left.next].prev = m.at
		}
		push(m.at, left.next)
		push(left.prev, m.at)
	}
}

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

// Push implements heap.Interface.
func (h *mergeHeap) Push(m any) { *h = append(*h, m.(merge)) }

// Pop implements heap.Interface.
func (h *mergeHeap) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	*h = (*h)[:last]
	return m
}
