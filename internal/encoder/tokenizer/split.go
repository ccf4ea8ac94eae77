package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// A preTokenizer splits pieces and may change their text.
type preTokenizer interface {
	divide(s *state)
}

// A match is a range of a piece that a pattern matches, or the range between
// two matches. The matches of a piece cover it.
type match struct {
	lo, hi  int32 // relative to the piece
	matched bool
}

// A behavior defines how a split treats its delimiters.
type behavior uint8

const (
	removeDelimiter behavior = iota
	isolate
	mergeWithPrevious
)

// A classPattern matches each character of a class.
type classPattern struct {
	chars *characters
	class class
}

func (c classPattern) find(all []match, src []byte) []match {
	for i := 0; i < len(src); {
		r, w := decodeRune(src[i:])
		if c.chars.classOf(r)&c.class != 0 {
			all = appendMatch(all, i, i+w)
		}
		i += w
	}
	return all
}

// A metaspace is the Metaspace pre-tokenizer. It replaces each space by a mark
// and splits before each mark.
type metaspace struct {
	mark  string // one character
	first bool   // prepend the mark only to pieces at the start of the text
	split bool
}

func (m metaspace) divide(s *state) {
	mark := []byte(m.mark)
	r, _ := utf8.DecodeRune(mark)
	s.edit(func(e *editor) {
		src := e.remaining()
		starts := bytes.HasPrefix(src, mark) || len(src) > 0 && src[0] == ' '
		if !starts && (!m.first || e.piece.shift == 0) {
			e.write(r, e.src.origin(e.pos))
		}
		for {
			i := bytes.IndexByte(e.remaining(), ' ')
			if i < 0 {
				e.keepRest()
				return
			}
			e.keep(i)
			e.put(r, 0)
		}
	})
	if !m.split {
		return
	}
	s.split(func(p piece) {
		src := s.bytes(p)
		for begin := 0; begin < len(src); {
			n := bytes.Index(src[min(begin+1, len(src)):], mark)
			if n < 0 {
				s.cut(p.lo+int32(begin), p.hi, notAdded)
				break
			}
			s.cut(p.lo+int32(begin), p.lo+int32(begin+1+n), notAdded)
			begin += 1 + n
		}
	})
}

// byteWords is the ByteLevel pre-tokenizer: GPT-2's split into words, whose
// bytes are then mapped to characters. The mapping is skipped in raw mode.
type byteWords struct {
	addSpace bool
	pattern  finder // nil for no split
	mapping  byteLevel
	raw      bool // do not map bytes to characters
}

func (b *byteWords) divide(s *state) {
	if b.addSpace {
		s.edit(func(e *editor) {
			if src := e.remaining(); len(src) > 0 && src[0] != ' ' {
				e.write(' ', e.src.origin(e.pos))
			}
			e.keepRest()
		})
	}
	if b.pattern != nil {
		splitter{b.pattern, isolate}.divide(s)
	}
	if !b.raw {
		s.normalize([]normalizer{b.mapping})
	}
}

// A splitter is the Split pre-tokenizer.
type splitter struct {
	finder   finder
	behavior behavior
}

func (x splitter) divide(s *state) {
	s.split(func(p piece) {
		s.match = findAll(x.finder, s.match[:0], s.bytes(p))
		for i := 0; i < len(s.match); {
			first, j := s.match[i], i+1
			if j < len(s.match) && x.behavior == mergeWithPrevious && !first.matched && s.match[j].matched {
				j++
			}
			if x.behavior != removeDelimiter || !first.matched {
				s.cut(p.lo+first.lo, p.lo+s.match[j-1].hi, notAdded)
			}
			i = j
		}
	})
}

// A finder is a pattern.
type finder interface {
	// find appends the matches in src with appendMatch.
	find(all []match, src []byte) []match
}

// appendMatch appends a match, preceded by the range between it and the
// previous match.
func appendMatch(all []match, lo, hi int) []match {
	return append(appendGap(all, lo), match{int32(lo), int32(hi), true})
}

// appendGap appends the range between the last match and byte end, unless it is empty.
func appendGap(all []match, end int) []match {
	start := int32(0)
	if len(all) > 0 {
		start = all[len(all)-1].hi
	}
	if start < int32(end) {
		all = append(all, match{start, int32(end), false})
	}
	return all
}

// findAll appends the matches of a pattern in src and the ranges between them
// to all, which must be empty.
func findAll(f finder, all []match, src []byte) []match {
	return appendGap(f.find(all, src), len(src))
}
