package tokenizer

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// A token is a token before post-processing.
type token struct {
	id         int32
	start, end int32 // in the original text
}

// A state is the working memory of one call.
type state struct {
	texts          [2]text
	cur            *text // current stage
	next           *text // stage being written
	editor         editor
	pieces         []piece
	spare          []piece
	match          []match
	norm           []decomposed
	tokens         []token
	best           []step
	word           []symbol
	heap           mergeHeap
	untrustedSpans []span // untrusted parts of the original text, without special tokens
	// unknown is set if a character has no token and the model no unknown token.
	unknown bool
}

// maxPooled is the text size above which a state is not returned to the pool.
const maxPooled = 1 << 20

// load starts a new text. Each maximal invalid part of a UTF-8 sequence becomes
// U+FFFD, as the Unicode Standard recommends (and Python does), with that part
// as its origin.
func (s *state) load(src string) {
	s.cur, s.next = &s.texts[0], &s.texts[1]
	s.cur.reset()
	s.editor.limit, s.editor.full = maxGrowth*len(src)+extraGrowth, false
	s.tokens, s.unknown, s.untrustedSpans = s.tokens[:0], false, s.untrustedSpans[:0]
	s.pieces = s.pieces[:0]
	if src == "" {
		return
	}
	if utf8.ValidString(src) {
		s.cur.bytes = append(s.cur.bytes, src...)
	} else {
		for i := 0; i < len(src); {
			r, w := utf8.DecodeRuneInString(src[i:])
			if r == utf8.RuneError && w == 1 {
				w = invalidLength(src[i:])
			}
			s.cur.bytes = utf8.AppendRune(s.cur.bytes, r)
			s.cur.add(span{int32(i), int32(i + w)}, utf8.RuneLen(r))
			i += w
		}
	}
	s.pieces = append(s.pieces, piece{0, int32(len(s.cur.bytes)), 0, notAdded})
}

// invalidLength returns the length of the maximal subpart of an ill-formed
// sequence at the start of s (Unicode Standard, table 3-7).
func invalidLength(s string) int {
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

// Limits on the bytes of a text in all stages. Unicode normalization and byte encoding
// stay far below, but a sequence of replacements that double the text does not.
const (
	maxGrowth   = 64
	extraGrowth = 1 << 16
)

// maxText is the length of the longest text, as offsets have 32 bits.
const maxText = math.MaxInt32/maxGrowth - extraGrowth

var errTextGrowth = fmt.Errorf("tokenizing takes more than %d times the length of the text", maxGrowth)

// charge counts the bytes of a stage.
func (s *state) charge() {
	s.editor.limit -= len(s.cur.bytes)
	s.editor.full = s.editor.full || s.editor.limit < 0
}

// edit writes the next stage by calling f for each piece that is not an added
// token.
func (s *state) edit(f func(e *editor)) {
	s.next.reset()
	e := &s.editor
	e.src, e.dst = s.cur, s.next
	for i := range s.pieces {
		p := &s.pieces[i]
		lo := len(s.next.bytes)
		e.piece, e.pos = *p, int(p.lo)
		if p.token != notAdded {
			e.keepRest()
		} else {
			f(e)
		}
		p.lo, p.hi = int32(lo), int32(len(s.next.bytes))
	}
	s.cur, s.next = s.next, s.cur
	s.charge()
}

// split replaces the pieces that are not added tokens by those that f adds with
// cut.
func (s *state) split(f func(p piece)) {
	s.pieces, s.spare = s.spare[:0], s.pieces
	for _, p := range s.spare {
		if p.token != notAdded {
			s.pieces = append(s.pieces, p)
		} else {
			f(p)
		}
	}
	s.charge()
}

// cut adds a piece unless it is empty.
func (s *state) cut(lo, hi int32, added int32) {
	if lo < hi {
		s.pieces = append(s.pieces, piece{lo, hi, s.cur.origin(int(lo)).start, added})
	}
}

// bytes returns the text of a piece.
func (s *state) bytes(p piece) []byte { return s.cur.bytes[p.lo:p.hi] }

// emit adds a token for bytes [lo, hi) of the current stage.
func (s *state) emit(id int32, lo, hi int) {
	s.tokens = append(s.tokens, token{id: id, start: s.cur.origin(lo).start, end: s.cur.origin(hi - 1).end})
}

// untrusted reports whether any of the bytes [lo, hi) of the current stage
// originates from untrusted text.
func (s *state) untrusted(lo, hi int) bool {
	if len(s.untrustedSpans) == 0 {
		return false
	}
	start, end := s.cur.origin(lo).start, s.cur.origin(hi-1).end
	return slices.ContainsFunc(s.untrustedSpans, func(d span) bool { return start < d.end && d.start < end })
}
