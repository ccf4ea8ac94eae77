package tokenizer

import (
	"fmt"
	"unicode/utf8"
)

// A bpe is a byte-pair encoding: a word is divided into characters, and the
// neighbours that come first in the list of merges are joined until none are left.
type bpe struct {
	vocabulary
	merges         *pairs
	prefix, suffix string // of a character that isn't the first, of one that is the last
	unknown        int32
	hasUnk         bool // it is in the vocabulary
	namesUnk       bool // the file names it
	fuse           bool
	ignoreMerges   bool // a word that is a token is that token
	bytes          *[256]int32
	chars          map[rune]int32 // tokens of one character, without prefix and suffix

	// Where the words come from ByteLevel and every byte has a token, they are
	// read as bytes, and their characters are never written.
	raw      bool
	rawByte  [256]int32
	rawWords map[string]int32 // for ignoreMerges
}

// readRaw prepares for words that are bytes, if that can be.
func (b *bpe) readRaw(a *alphabet) bool {
	if b.prefix != "" || b.suffix != "" {
		return false
	}
	for c, r := range a.char {
		id, ok := b.chars[r]
		if !ok {
			return false
		}
		b.rawByte[c] = id
	}
	if b.ignoreMerges {
		b.rawWords = make(map[string]int32, len(b.tokens))
		for i, t := range b.tokens {
			if word, ok := a.bytes(t); ok {
				b.rawWords[word] = b.ids[i]
			}
		}
	}
	b.raw = true
	return true
}

// bytes turns a string of the alphabet back.
func (a *alphabet) bytes(s string) (string, bool) {
	var out []byte
	for _, r := range s {
		c, ok := a.byt[r]
		if !ok {
			return "", false
		}
		out = append(out, c)
	}
	return string(out), true
}

// A symbol is a part of a word. Those of a word are linked by their places.
type symbol struct {
	id         int32
	prev, next int32
	length     int32 // in bytes, 0 when it was joined to the one before
}

func (b *bpe) unknownID() (int32, bool) { return b.unknown, b.hasUnk }

func (b *bpe) tokenize(s *state, p piece) {
	src := s.of(p)
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
			s.add(b.rawByte[c], 1)
		}
	} else {
		b.divide(s, src)
	}
	if len(s.word) > 1 {
		s.word[len(s.word)-1].next = noValue
		if len(s.word) <= shortWord {
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
		// A prefix or suffix that was spelt in bytes makes more of them than the
		// word has. What is too many comes from its last character; the reference
		// gives it offsets that are none of the text's.
		s.emit(s.word[i].id, int(min(at, p.hi-1)), int(min(at+n, p.hi)))
		at += n
	}
}

func (s *state) add(id, length int32) {
	n := int32(len(s.word))
	s.word = append(s.word, symbol{id, n - 1, n + 1, length})
}

// divide adds the characters of a word. One without a token becomes its bytes, or
// the unknown token, or it is left out.
func (b *bpe) divide(s *state, src []byte) {
	unknown := int32(0) // length of the one not added yet
	for i := 0; i < len(src); {
		r, w := utf8.DecodeRune(src[i:])
		id, ok, text := b.char(r, src[i:i+w], i == 0, i+w == len(src))
		i += w
		if ok {
			if unknown > 0 {
				s.add(b.unknown, unknown)
				unknown = 0
			}
			s.add(id, int32(w))
			continue
		}
		if b.bytes != nil && b.addBytes(s, text) {
			continue
		}
		if !b.namesUnk {
			continue
		}
		s.unknown = s.unknown || !b.hasUnk
		if unknown > 0 && !b.fuse {
			s.add(b.unknown, unknown)
			unknown = 0
		}
		unknown += int32(w)
	}
	if unknown > 0 {
		s.add(b.unknown, unknown)
	}
}

// char finds the token of a character at its place in a word. Where there is none
// it returns the text that was looked for.
func (b *bpe) char(r rune, text []byte, first, last bool) (id int32, ok bool, looked []byte) {
	prefix, suffix := b.prefix, b.suffix
	if first {
		prefix = ""
	}
	if !last {
		suffix = ""
	}
	if prefix == "" && suffix == "" {
		id, ok = b.chars[r]
		return id, ok, text
	}
	looked = fmt.Appendf(nil, "%s%s%s", prefix, text, suffix)
	id, ok = b.id(string(looked))
	return id, ok, looked
}

func (b *bpe) addBytes(s *state, text []byte) bool {
	for _, c := range text {
		if b.bytes[c] == noValue {
			return false
		}
	}
	for _, c := range text {
		s.add(b.bytes[c], 1)
	}
	return true
}

// shortWord is the length up to which looking at all neighbours for each merge is
// faster than a heap.
const shortWord = 24

// mergeShort joins neighbours, the first in the list first and of equals the left.
func (b *bpe) mergeShort(s *state) {
	word := s.word
	// The rank of a symbol is that of its merge with the next.
	var ranks, joined [shortWord]uint32
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

// mergeLong does the same with a heap.
func (b *bpe) mergeLong(s *state) {
	word := s.word
	heap := s.heap[:0]
	for i := range len(word) - 1 {
		if rank, id := b.merges.find(word[i].id, word[i+1].id); rank != noRank {
			heap = append(heap, merge{rank, int32(i), int32(id)})
		}
	}
	heap.order()
	for len(heap) > 0 {
		m := heap.pop()
		left := &word[m.at]
		if left.length == 0 || left.next == noValue {
			continue
		}
		right := &word[left.next]
		if rank, id := b.merges.find(left.id, right.id); rank == noRank || int32(id) != m.id {
			continue // what it was made for is gone
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
