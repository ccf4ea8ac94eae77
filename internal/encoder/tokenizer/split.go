package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// A preTokenizer divides pieces, and may change their text.
type preTokenizer interface {
	divide(s *state) error
}

// A match is a stretch of a piece that a pattern matches, or that lies between
// two such. The matches of a piece cover it.
type match struct {
	lo, hi int32 // in the piece
	is     bool
}

// A behavior says what becomes of the delimiters of a split.
type behavior uint8

const (
	removeDelimiter behavior = iota
	isolate
	mergeWithPrevious
	mergeWithNext
	contiguous
)

// apply cuts a piece as its matches say. A delimiter is merged with what is
// before or after it only if that is none itself.
func (b behavior) apply(s *state, p piece, all []match) {
	switch b {
	case removeDelimiter:
		for _, m := range all {
			if !m.is {
				s.cut(p.lo+m.lo, p.lo+m.hi, notAdded)
			}
		}
	case isolate:
		for _, m := range all {
			s.cut(p.lo+m.lo, p.lo+m.hi, notAdded)
		}
	case contiguous:
		for i := 0; i < len(all); {
			j := i + 1
			for j < len(all) && all[j].is == all[i].is {
				j++
			}
			s.cut(p.lo+all[i].lo, p.lo+all[j-1].hi, notAdded)
			i = j
		}
	case mergeWithPrevious:
		for i := 0; i < len(all); {
			j := i + 1
			if !all[i].is && j < len(all) && all[j].is {
				j++
			}
			s.cut(p.lo+all[i].lo, p.lo+all[j-1].hi, notAdded)
			i = j
		}
	case mergeWithNext:
		for i := 0; i < len(all); {
			j := i + 1
			if all[i].is && j < len(all) && !all[j].is {
				j++
			}
			s.cut(p.lo+all[i].lo, p.lo+all[j-1].hi, notAdded)
			i = j
		}
	}
}

// An each splits at the characters of a class.
type each struct {
	chars    *characters
	class    class
	behavior behavior
}

func (c each) divide(s *state) error {
	return s.split(func(p piece) error {
		s.match = s.match[:0]
		src := s.of(p)
		begin := 0
		for i := 0; i < len(src); {
			r, w := rune(src[i]), 1
			if r >= utf8.RuneSelf {
				r, w = utf8.DecodeRune(src[i:])
			}
			if c.chars.of(r)&c.class != 0 {
				if begin < i {
					s.match = append(s.match, match{int32(begin), int32(i), false})
				}
				s.match = append(s.match, match{int32(i), int32(i + w), true})
				begin = i + w
			}
			i += w
		}
		if begin < len(src) {
			s.match = append(s.match, match{int32(begin), int32(len(src)), false})
		}
		c.behavior.apply(s, p, s.match)
		return nil
	})
}

// bertWords is BertPreTokenizer: words between spaces, and punctuation on its own.
type bertWords struct{ chars *characters }

func (b bertWords) divide(s *state) error {
	return s.split(func(p piece) error {
		src := s.of(p)
		begin := 0
		for i := 0; i < len(src); {
			r, w := rune(src[i]), 1
			if r >= utf8.RuneSelf {
				r, w = utf8.DecodeRune(src[i:])
			}
			if c := b.chars.of(r); c&(space|punctuation) != 0 {
				s.cut(p.lo+int32(begin), p.lo+int32(i), notAdded)
				begin = i + w
				if c&space == 0 {
					s.cut(p.lo+int32(i), p.lo+int32(begin), notAdded)
				}
			}
			i += w
		}
		s.cut(p.lo+int32(begin), p.hi, notAdded)
		return nil
	})
}

// wordRuns is Whitespace: runs of \w and runs of what is neither \w nor a space.
type wordRuns struct{ chars *characters }

func (w wordRuns) divide(s *state) error {
	return s.split(func(p piece) error {
		src := s.of(p)
		begin, last := 0, space
		for i := 0; i < len(src); {
			r, n := utf8.DecodeRune(src[i:])
			kind := w.chars.of(r) & word
			if kind == 0 && w.chars.of(r)&space != 0 {
				kind = space
			}
			if kind != last {
				if last != space {
					s.cut(p.lo+int32(begin), p.lo+int32(i), notAdded)
				}
				begin, last = i, kind
			}
			i += n
		}
		if last != space {
			s.cut(p.lo+int32(begin), p.hi, notAdded)
		}
		return nil
	})
}

// A metaspace writes a mark for each space and divides before each mark.
type metaspace struct {
	mark   string // one character
	scheme scheme
	split  bool
}

// A scheme says which pieces a metaspace puts its mark in front of.
type scheme uint8

const (
	always scheme = iota
	first         // those at the beginning of the text
	never
)

func (m metaspace) divide(s *state) error {
	mark := []byte(m.mark)
	r, _ := utf8.DecodeRune(mark)
	err := s.edit(func(e *editor) error {
		src := e.left()
		starts := bytes.HasPrefix(src, mark) || len(src) > 0 && src[0] == ' '
		if !starts && (m.scheme == always || m.scheme == first && e.piece.shift == 0) {
			e.write(r, e.src.origin(e.pos))
		}
		for {
			i := bytes.IndexByte(e.left(), ' ')
			if i < 0 {
				e.rest()
				return nil
			}
			e.keep(i)
			e.put(r, 0)
		}
	})
	if err != nil || !m.split {
		return err
	}
	return s.split(func(p piece) error {
		src := s.of(p)
		for begin := 0; begin < len(src); {
			n := bytes.Index(src[min(begin+1, len(src)):], mark)
			if n < 0 {
				s.cut(p.lo+int32(begin), p.hi, notAdded)
				break
			}
			s.cut(p.lo+int32(begin), p.lo+int32(begin+1+n), notAdded)
			begin += 1 + n
		}
		return nil
	})
}

// byteWords is ByteLevel: GPT-2's division into words, whose bytes then become
// characters of their own. A model that reads bytes spares them that.
type byteWords struct {
	addSpace bool
	pattern  finder // nil without a division
	spelling byteLevel
	raw      bool // leave the bytes
}

func (b *byteWords) divide(s *state) error {
	if b.addSpace {
		if err := s.edit(func(e *editor) error {
			if src := e.left(); len(src) > 0 && src[0] != ' ' {
				e.write(' ', e.src.origin(e.pos))
			}
			e.rest()
			return nil
		}); err != nil {
			return err
		}
	}
	if b.pattern != nil {
		if err := (splitter{b.pattern, isolate, false}).divide(s); err != nil {
			return err
		}
	}
	if b.raw {
		return nil
	}
	return s.normalize([]normalizer{b.spelling})
}

// A splitter is Split: a division at what a pattern finds.
type splitter struct {
	finder   finder
	behavior behavior
	invert   bool // divide at what is between
}

func (x splitter) divide(s *state) error {
	return s.split(func(p piece) error {
		var err error
		s.match, err = cover(x.finder, s.match[:0], s.of(p))
		if err != nil {
			return err
		}
		if x.invert {
			for i := range s.match {
				s.match[i].is = !s.match[i].is
			}
		}
		x.behavior.apply(s, p, s.match)
		return nil
	})
}

// A finder is a pattern.
type finder interface {
	// find appends what the pattern finds in src, by found.
	find(all []match, src []byte) ([]match, error)
}

// found appends a match, and before it what is between it and the one before.
func found(all []match, lo, hi int) []match {
	end := int32(0)
	if len(all) > 0 {
		end = all[len(all)-1].hi
	}
	if end < int32(lo) {
		all = append(all, match{end, int32(lo), false})
	}
	return append(all, match{int32(lo), int32(hi), true})
}

// cover appends to an empty list what a pattern finds in src and what is between.
func cover(f finder, all []match, src []byte) ([]match, error) {
	all, err := f.find(all, src)
	end := int32(0)
	if len(all) > 0 {
		end = all[len(all)-1].hi
	}
	if int(end) < len(src) {
		all = append(all, match{end, int32(len(src)), false})
	}
	return all, err
}
