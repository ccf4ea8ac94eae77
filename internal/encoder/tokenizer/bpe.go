package tokenizer

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"unicode/utf8"
)

// A bpe is a byte-pair encoding model. It splits a word into characters and
// merges adjacent pairs in the order of the merge list until none applies.
type bpe struct {
	vocabulary
	merges       *mergeTable
	prefix       string // prefix of characters after the first
	suffix       string // suffix of the last character
	unknown      int32
	hasUnk       bool // the unknown token is in the vocabulary
	declaresUnk  bool // the file names an unknown token
	fuseUnk      bool // fuse adjacent unknown characters
	ignoreMerges bool // emit a word that is a token as such
	byteTokenIDs *[256]int32
	chars        map[rune]int32 // single-character tokens without prefix and suffix

	// In raw mode, the model reads the bytes of a word instead of the characters
	// that ByteLevel maps them to. Every byte must have a token.
	raw      bool
	rawIDs   [256]int32
	rawWords map[string]int32 // for ignoreMerges
}

// enableRaw enables raw mode if possible.
func (b *bpe) enableRaw(a *alphabet) bool {
	if b.prefix != "" || b.suffix != "" {
		return false
	}
	for c, r := range a.toRune {
		id, ok := b.chars[r]
		if !ok {
			return false
		}
		b.rawIDs[c] = id
	}
	if b.ignoreMerges {
		b.rawWords = make(map[string]int32, len(b.tokens))
		for i, t := range b.tokens {
			if word, ok := a.decode(t); ok {
				b.rawWords[word] = b.ids[i]
			}
		}
	}
	b.raw = true
	return true
}

// decode maps a string in the alphabet back to bytes.
func (a *alphabet) decode(s string) (string, bool) {
	var out []byte
	for _, r := range s {
		c, ok := a.toByte[r]
		if !ok {
			return "", false
		}
		out = append(out, c)
	}
	return string(out), true
}

// A symbol is a part of a word. The symbols of a word form a linked list.
type symbol struct {
	id         int32
	prev, next int32
	length     int32 // in bytes; 0 after it was merged into the previous one
}

func (b *bpe) unknownID() (int32, bool) { return b.unknown, b.hasUnk }

func (b *bpe) tokenize(s *state, p piece) {
	src := s.bytes(p)
	if b.ignoreMerges {
		id, ok := int32(0), false
		if b.raw {
			id, ok = b.rawWords[string(src)]
		} else if i, found := b.index[string(src)]; found {
			id, ok = b.ids[i], true
		}
		if ok {
			s.emit(id, int(p.lo), int(p.hi))
			return
		}
	}
	s.word = s.word[:0]
	if b.raw {
		for _, c := range src {
			s.addSymbol(b.rawIDs[c], 1)
		}
	} else {
		b.splitChars(s, src)
	}
	if len(s.word) > 1 {
		s.word[len(s.word)-1].next = noValue
		if len(s.word) <= maxShortWord {
			b.mergeShort(s)
		} else {
			b.mergeLong(s)
		}
	}
	at := p.lo
	for i := range s.word {
		n := s.word[i].length
		if n == 0 {
			continue
		}
		// A prefix or suffix encoded as bytes yields more bytes than the word has.
		// The reference gives the excess ones offsets outside the text; here they
		// get those of the last character.
		s.emit(s.word[i].id, int(min(at, p.hi-1)), int(min(at+n, p.hi)))
		at += n
	}
}

func (s *state) addSymbol(id, length int32) {
	n := int32(len(s.word))
	s.word = append(s.word, symbol{id, n - 1, n + 1, length})
}

// splitChars adds the characters of a word. A character without a token becomes
// its bytes or the unknown token, or is dropped.
func (b *bpe) splitChars(s *state, src []byte) {
	unknown := int32(0) // length of the pending unknown token
	for i := 0; i < len(src); {
		r, w := utf8.DecodeRune(src[i:])
		id, ok, text := b.charID(r, src[i:i+w], i == 0, i+w == len(src))
		i += w
		if ok {
			if unknown > 0 {
				s.addSymbol(b.unknown, unknown)
				unknown = 0
			}
			s.addSymbol(id, int32(w))
			continue
		}
		if b.byteTokenIDs != nil && b.addBytes(s, text) {
			continue
		}
		if !b.declaresUnk {
			continue
		}
		s.unknown = s.unknown || !b.hasUnk
		if unknown > 0 && !b.fuseUnk {
			s.addSymbol(b.unknown, unknown)
			unknown = 0
		}
		unknown += int32(w)
	}
	if unknown > 0 {
		s.addSymbol(b.unknown, unknown)
	}
}

// charID returns the token of a character, which can depend on its position in a word.
// char is the UTF-8 encoding of r. text is the text of the token, even if the vocabulary
// does not contain it.
func (b *bpe) charID(r rune, char []byte, first, last bool) (id int32, ok bool, text []byte) {
	prefix, suffix := b.prefix, b.suffix
	if first {
		prefix = ""
	}
	if !last {
		suffix = ""
	}
	if prefix == "" && suffix == "" {
		id, ok = b.chars[r]
		return id, ok, char
	}
	text = fmt.Appendf(nil, "%s%s%s", prefix, char, suffix)
	id, ok = b.id(string(text))
	return id, ok, text
}

func (b *bpe) addBytes(s *state, text []byte) bool {
	for _, c := range text {
		if b.byteTokenIDs[c] == noValue {
			return false
		}
	}
	for _, c := range text {
		s.addSymbol(b.byteTokenIDs[c], 1)
	}
	return true
}

// maxShortWord is the number of symbols up to which a linear search for the
// next merge is faster than a heap.
const maxShortWord = 24

// mergeShort merges pairs by rank, leftmost first for equal ranks.
func (b *bpe) mergeShort(s *state) {
	word := s.word
	// ranks[i] is the rank of the merge of symbols i and i+1.
	var ranks, joined [maxShortWord]uint32
	n := len(word)
	for i := range n - 1 {
		ranks[i], joined[i] = b.merges.find(word[i].id, word[i+1].id)
	}
	for n > 1 {
		best := 0
		for i := 1; i < n-1; i++ {
			if ranks[i] < ranks[best] {
				best = i
			}
		}
		if ranks[best] == noRank {
			break
		}
		word[best].id = int32(joined[best])
		word[best].length += word[best+1].length
		copy(word[best+1:], word[best+2:n])
		n--
		for i := best + 1; i < n-1; i++ {
			ranks[i], joined[i] = ranks[i+1], joined[i+1]
		}
		if best > 0 {
			ranks[best-1], joined[best-1] = b.merges.find(word[best-1].id, word[best].id)
		}
		if best < n-1 {
			ranks[best], joined[best] = b.merges.find(word[best].id, word[best+1].id)
		}
	}
	s.word = word[:n]
}

// mergeLong is mergeShort with a heap.
func (b *bpe) mergeLong(s *state) {
	word := s.word
	heap := s.heap[:0]
	for i := range len(word) - 1 {
		if rank, id := b.merges.find(word[i].id, word[i+1].id); rank != noRank {
			heap = append(heap, merge{rank, int32(i), int32(id)})
		}
	}
	heap.init()
	for len(heap) > 0 {
		m := heap.pop()
		left := &word[m.at]
		if left.length == 0 || left.next == noValue {
			continue
		}
		right := &word[left.next]
		if rank, id := b.merges.find(left.id, right.id); rank == noRank || int32(id) != m.id {
			continue // stale
		}
		left.id = m.id
		left.length += right.length
		right.length = 0
		left.next = right.next
		if left.next != noValue {
			word[left.next].prev = m.at
			if rank, id := b.merges.find(left.id, word[left.next].id); rank != noRank {
				heap.push(merge{rank, m.at, int32(id)})
			}
		}
		if left.prev >= 0 {
			if rank, id := b.merges.find(word[left.prev].id, left.id); rank != noRank {
				heap.push(merge{rank, left.prev, int32(id)})
			}
		}
	}
	s.heap = heap
}

// noRank is the rank of a pair that is not merged.
const noRank = math.MaxUint32

// A mergeTable maps pairs of tokens to merges in an open-addressing hash table.
type mergeTable struct {
	slots  []mergeSlot
	shift  uint
	factor uint64 // random and odd, to prevent crafted collisions
}

type mergeSlot struct {
	key  uint64
	rank uint32 // noRank for an empty slot
	id   uint32
}

func newMergeTable(n int) *mergeTable {
	size := bits.Len(uint(max(n, 4) * 2))
	p := &mergeTable{slots: make([]mergeSlot, 1<<size), shift: uint(64 - size)}
	p.factor = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	for i := range p.slots {
		p.slots[i].rank = noRank
	}
	return p
}

// slot returns the slot of a pair, or the empty slot for it.
func (p *mergeTable) slot(a, b int32) *mergeSlot {
	key := uint64(uint32(a))<<32 | uint64(uint32(b))
	for i := key * p.factor >> p.shift; ; i++ {
		s := &p.slots[i&uint64(len(p.slots)-1)]
		if s.key == key || s.rank == noRank {
			return s
		}
	}
}

// set sets the rank of a pair, replacing an earlier one.
func (p *mergeTable) set(a, b int32, rank uint32, id int32) {
	s := p.slot(a, b)
	*s = mergeSlot{uint64(uint32(a))<<32 | uint64(uint32(b)), rank, uint32(id)}
}

// find returns the rank of a pair, or noRank, and the merged token.
func (p *mergeTable) find(a, b int32) (rank, id uint32) {
	s := p.slot(a, b)
	return s.rank, s.id
}

// A merge is a pending merge of two symbols.
type merge struct {
	rank uint32
	at   int32 // index of the left symbol
	id   int32 // id of the merged token
}

func (m merge) less(n merge) bool {
	return m.rank < n.rank || m.rank == n.rank && m.at < n.at
}

// A mergeHeap is a binary heap of merges. container/heap would allocate.
type mergeHeap []merge

func (h mergeHeap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.siftDown(i)
	}
}

func (h mergeHeap) siftDown(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].less(h[child]) {
			child++
		}
		if !h[child].less(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

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
	*h = a[:len(a)-1]
	h.siftDown(0)
	return top
}
