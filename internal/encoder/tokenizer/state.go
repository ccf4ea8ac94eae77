package tokenizer

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// A token is one before the post-processor.
type token struct {
	id         int32
	start, end int32 // in the original text
	margin           // where offsets are trimmed
}

// A state is the memory of one call.
type state struct {
	texts  [2]text
	cur    *text // the stage reached
	next   *text // the one being written
	editor editor
	pieces []piece
	spare  []piece
	match  []match
	norm   []decomposed
	tokens []token
	best   []step
	word   []symbol
	heap   merges
	data   []span // of the original text: where no special token is looked for
	// unknown is set when a model has no token for something and no unknown token.
	unknown bool
}

// keepBytes is the largest text whose memory a pooled state holds on to.
const keepBytes = 1 << 20

func (s *state) oversized() bool {
	return cap(s.texts[0].b) > keepBytes || cap(s.texts[1].b) > keepBytes
}

// load takes a text. What isn't UTF-8 is read as U+FFFD, one for each maximal
// part of a character as the Unicode Standard recommends (and Python does); the
// part is then its origin.
func (s *state) load(src string) {
	s.cur, s.next = &s.texts[0], &s.texts[1]
	s.cur.reset()
	s.editor.limit = growth*len(src) + growthExtra
	s.tokens, s.unknown, s.data = s.tokens[:0], false, s.data[:0]
	s.pieces = s.pieces[:0]
	if src == "" {
		return
	}
	if utf8.ValidString(src) {
		s.cur.b = append(s.cur.b, src...)
	} else {
		for i := 0; i < len(src); {
			r, w := utf8.DecodeRuneInString(src[i:])
			if r == utf8.RuneError && w == 1 {
				w = brokenLength(src[i:])
			}
			s.cur.b = utf8.AppendRune(s.cur.b, r)
			s.cur.add(span{int32(i), int32(i + w)}, utf8.RuneLen(r))
			i += w
		}
	}
	s.pieces = append(s.pieces, piece{0, int32(len(s.cur.b)), 0, notAdded})
}

// brokenLength returns how many bytes at the beginning of s could have become a
// character: table 3-7 of the Unicode Standard, as far as it is followed.
func brokenLength(s string) int {
	lo, hi := byte(0x80), byte(0xbf)
	n := 1
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		n = 2
	case c >= 0xe0 && c <= 0xef:
		n = 3
		switch c {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		n = 4
		switch c {
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	}
	for i := 1; i < n; i++ {
		if i >= len(s) || s[i] < lo || s[i] > hi {
			return i
		}
		lo, hi = 0x80, 0xbf
	}
	return n
}

// What a text may grow to: no normalisation of Unicode and no spelling of bytes
// comes near, but replacements that each double a text soon would.
const (
	growth      = 64
	growthExtra = 1 << 16
)

// maxText is the longest text, as offsets have 32 bits.
const maxText = math.MaxInt32/growth - growthExtra

var errGrows = fmt.Errorf("the tokenizer makes the text more than %d times as long", growth)

// edit writes the next stage: f does so for each piece that is no added token.
func (s *state) edit(f func(e *editor) error) error {
	s.next.reset()
	e := &s.editor
	e.src, e.dst, e.full = s.cur, s.next, false
	for i := range s.pieces {
		p := &s.pieces[i]
		lo := len(s.next.b)
		e.begin(*p)
		if p.token != notAdded {
			e.rest()
		} else if err := f(e); err != nil {
			return err
		}
		p.lo, p.hi = int32(lo), int32(len(s.next.b))
	}
	if e.full {
		return errGrows
	}
	s.cur, s.next = s.next, s.cur
	return nil
}

// split divides the pieces that are no added token: f calls cut for the parts.
func (s *state) split(f func(p piece) error) error {
	s.pieces, s.spare = s.spare[:0], s.pieces
	for _, p := range s.spare {
		if p.token != notAdded {
			s.pieces = append(s.pieces, p)
		} else if err := f(p); err != nil {
			return err
		}
	}
	return nil
}

// cut adds a piece, unless it is empty.
func (s *state) cut(lo, hi int32, added int32) {
	if lo < hi {
		s.pieces = append(s.pieces, piece{lo, hi, s.cur.origin(int(lo)).start, added})
	}
}

// of returns the text of a piece.
func (s *state) of(p piece) []byte { return s.cur.b[p.lo:p.hi] }

// emit adds a token for the bytes [lo, hi) of the present stage.
func (s *state) emit(id int32, lo, hi int) {
	s.tokens = append(s.tokens, token{id: id, start: s.cur.origin(lo).start, end: s.cur.origin(hi - 1).end})
}

// inData reports whether any of the bytes [lo, hi) of the present stage comes from
// where no special token is looked for.
func (s *state) inData(lo, hi int) bool {
	if len(s.data) == 0 {
		return false
	}
	start, end := s.cur.origin(lo).start, s.cur.origin(hi-1).end
	for _, d := range s.data {
		if start < d.end && d.start < end {
			return true
		}
	}
	return false
}
