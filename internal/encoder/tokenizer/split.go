package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// A preTokenizer splits pieces and may change their text.
type preTokenizer interface {
	divide(s *state) error
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
	mergeWithNext
	contiguous
)

// apply splits a piece at its matches.
func (b behavior) apply(s *state, p piece, all []match) {
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && b.joins(all[j-1].matched, all[j].matched) {
			j++
		}
		if b != removeDelimiter || !all[i].matched {
			s.cut(p.lo+all[i].lo, p.lo+all[j-1].hi, notAdded)
		}
		i = j
	}
}

// joins reports whether adjacent ranges stay together; left and right say whether
// they are delimiters. A delimiter is only merged with a range that is not one.
func (b behavior) joins(left, right bool) bool {
	switch b {
	case contiguous:
		return left == right
	case mergeWithPrevious:
		return !left && right
	case mergeWithNext:
		return left && !right
	case removeDelimiter, isolate:
	}
	return false
}

// A classSplitter splits at characters of a class.
type classSplitter struct {
	chars    *characters
	class    class
	behavior behavior
}

func (c classSplitter) divide(s *state) error {
	return s.split(func(p piece) error {
		s.match = s.match[:0]
		src := s.bytes(p)
		begin := 0
		for i := 0; i < len(src); {
			r, w := rune(src[i]), 1
			if r >= utf8.RuneSelf {
				r, w = utf8.DecodeRune(src[i:])
			}
			if c.chars.classOf(r)&c.class != 0 {
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

// bertWords is BertPreTokenizer: it splits at spaces and isolates punctuation.
type bertWords struct{ chars *characters }

func (b bertWords) divide(s *state) error {
	return s.split(func(p piece) error {
		src := s.bytes(p)
		begin := 0
		for i := 0; i < len(src); {
			r, w := rune(src[i]), 1
			if r >= utf8.RuneSelf {
				r, w = utf8.DecodeRune(src[i:])
			}
			if c := b.chars.classOf(r); c&(space|punctuation) != 0 {
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

// wordRuns is Whitespace: it yields runs of \w and runs of characters that are
// neither \w nor spaces.
type wordRuns struct{ chars *characters }

func (w wordRuns) divide(s *state) error {
	return s.split(func(p piece) error {
		src := s.bytes(p)
		begin, last := 0, space
		for i := 0; i < len(src); {
			r, n := utf8.DecodeRune(src[i:])
			kind := w.chars.classOf(r) & word
			if kind == 0 && w.chars.classOf(r)&space != 0 {
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

// A metaspace is the Metaspace pre-tokenizer. It replaces each space by a mark
// and splits before each mark.
type metaspace struct {
	mark   string // one character
	scheme scheme
	split  bool
}

// A scheme selects the pieces that a metaspace prepends its mark to.
type scheme uint8

const (
	prependAlways scheme = iota
	prependFirst         // pieces at the start of the text
	prependNever
)

func (m metaspace) divide(s *state) error {
	mark := []byte(m.mark)
	r, _ := utf8.DecodeRune(mark)
	err := s.edit(func(e *editor) error {
		src := e.remaining()
		starts := bytes.HasPrefix(src, mark) || len(src) > 0 && src[0] == ' '
		if !starts && (m.scheme == prependAlways || m.scheme == prependFirst && e.piece.shift == 0) {
			e.write(r, e.src.origin(e.pos))
		}
		for {
			i := bytes.IndexByte(e.remaining(), ' ')
			if i < 0 {
				e.keepRest()
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
		return nil
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

func (b *byteWords) divide(s *state) error {
	if b.addSpace {
		if err := s.edit(func(e *editor) error {
			if src := e.remaining(); len(src) > 0 && src[0] != ' ' {
				e.write(' ', e.src.origin(e.pos))
			}
			e.keepRest()
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
	return s.normalize([]normalizer{b.mapping})
}

// A splitter is the Split pre-tokenizer.
type splitter struct {
	finder   finder
	behavior behavior
	invert   bool // split at the ranges between matches
}

func (x splitter) divide(s *state) error {
	return s.split(func(p piece) error {
		var err error
		s.match, err = findAll(x.finder, s.match[:0], s.bytes(p))
		if err != nil {
			return err
		}
		if x.invert {
			for i := range s.match {
				s.match[i].matched = !s.match[i].matched
			}
		}
		x.behavior.apply(s, p, s.match)
		return nil
	})
}

// A finder is a pattern.
type finder interface {
	// find appends the matches in src with appendMatch.
	find(all []match, src []byte) ([]match, error)
}

// appendMatch appends a match, preceded by the range between it and the
// previous match.
func appendMatch(all []match, lo, hi int) []match {
	end := int32(0)
	if len(all) > 0 {
		end = all[len(all)-1].hi
	}
	if end < int32(lo) {
		all = append(all, match{end, int32(lo), false})
	}
	return append(all, match{int32(lo), int32(hi), true})
}

// findAll appends the matches of a pattern in src and the ranges between them
// to all, which must be empty.
func findAll(f finder, all []match, src []byte) ([]match, error) {
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
