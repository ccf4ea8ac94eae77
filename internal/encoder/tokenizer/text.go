package tokenizer

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// A span is a byte range of the original text.
type span struct{ start, end int32 }

// A text is the text at one stage of tokenization with the origin of each byte: the
// characters of the original text that it stands for.
type text struct {
	bytes   []byte
	origins []span // of the length of bytes
}

func (t *text) add(bytes []byte, origin span) {
	t.bytes = append(t.bytes, bytes...)
	for range bytes {
		t.origins = append(t.origins, origin)
	}
}

// A piece is a part of the text that is tokenized separately, or an added token.
type piece struct {
	lo, hi int32 // in the text at the current stage
	token  int32 // id of the added token, or notAdded
}

const notAdded = -1

// A token is a token before post-processing.
type token struct {
	id         int32
	start, end int32 // in the original text
}

// A step is the best path to a position in a word.
type step struct {
	score float64
	from  int32 // start of the last token, or noValue
	token int32 // id
}

// A state is the working memory of one call.
type state struct {
	cur            text // current stage
	editor         editor
	pieces         []piece
	tokens         []token
	best           []step
	untrustedSpans []span // parts of the original text in which special tokens are not recognized
	// unknown is set if a character has no token and the model no unknown token.
	unknown bool
}

// newState returns the state at the start of a text. Each invalid byte becomes U+FFFD.
func newState(src string) *state {
	s := new(state)
	s.cur = text{make([]byte, 0, len(src)), make([]span, 0, len(src))}
	s.editor.limit = maxGrowth*len(src) + extraGrowth
	for i := 0; i < len(src); {
		r, w := utf8.DecodeRuneInString(src[i:])
		s.cur.bytes = utf8.AppendRune(s.cur.bytes, r)
		for len(s.cur.origins) < len(s.cur.bytes) {
			s.cur.origins = append(s.cur.origins, span{int32(i), int32(i + w)})
		}
		i += w
	}
	s.cut(piece{}, 0, len(s.cur.bytes), notAdded)
	return s
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

// edit writes the next stage by calling f for each piece that is not an added token.
func (s *state) edit(f func(e *editor)) {
	e := &s.editor
	e.src, e.dst = s.cur, text{make([]byte, 0, len(s.cur.bytes)), make([]span, 0, len(s.cur.bytes))}
	for i := range s.pieces {
		p := &s.pieces[i]
		lo := len(e.dst.bytes)
		e.pos, e.end = int(p.lo), int(p.hi)
		if p.token != notAdded {
			e.keepRest()
		} else {
			f(e)
		}
		p.lo, p.hi = int32(lo), int32(len(e.dst.bytes))
	}
	s.cur = e.dst
	s.charge()
}

// split replaces the pieces that are not added tokens by those that f adds with cut.
func (s *state) split(f func(p piece)) {
	all := s.pieces
	s.pieces = make([]piece, 0, len(all))
	for _, p := range all {
		if p.token != notAdded {
			s.pieces = append(s.pieces, p)
		} else {
			f(p)
		}
	}
	s.charge()
}

// cut adds bytes [lo, hi) of p as a piece unless it is empty. added is the id of the added
// token, or notAdded.
func (s *state) cut(p piece, lo, hi int, added int32) {
	if lo < hi {
		s.pieces = append(s.pieces, piece{p.lo + int32(lo), p.lo + int32(hi), added})
	}
}

// splitBy splits the pieces that are not added tokens into parts. The part that starts at i
// ends at next(src, i).
func (s *state) splitBy(next func(src []byte, i int) int) {
	s.split(func(p piece) {
		src := s.bytes(p)
		for i := 0; i < len(src); {
			end := next(src, i)
			s.cut(p, i, end, notAdded)
			i = end
		}
	})
}

func (s *state) bytes(p piece) []byte { return s.cur.bytes[p.lo:p.hi] }

// emit adds a token for bytes [lo, hi) of the current stage.
func (s *state) emit(id int32, lo, hi int) {
	s.tokens = append(s.tokens, token{id: id, start: s.cur.origins[lo].start, end: s.cur.origins[hi-1].end})
}

// untrusted reports whether any of the bytes [lo, hi) of the current stage
// originates from untrusted text.
func (s *state) untrusted(lo, hi int) bool {
	start, end := s.cur.origins[lo].start, s.cur.origins[hi-1].end
	return slices.ContainsFunc(s.untrustedSpans, func(d span) bool { return start < d.end && d.start < end })
}

// An editor writes the next stage of a piece.
type editor struct {
	src, dst text
	pos, end int  // of the input that is not read yet, in src
	limit    int  // maximum length of dst and of later stages together
	full     bool // the limit was reached in this or an earlier stage
}

func (e *editor) remaining() []byte { return e.src.bytes[e.pos:e.end] }

// fits reports whether n more bytes may be written.
func (e *editor) fits(n int) bool {
	e.full = e.full || len(e.dst.bytes)+n > e.limit
	return !e.full
}

// insert writes bytes that originate from the next character.
func (e *editor) insert(bytes []byte) {
	if e.fits(len(bytes)) {
		e.dst.add(bytes, e.src.origins[e.pos])
	}
}

// replace reads n bytes, which must be whole characters, and writes others that originate
// from all of them.
func (e *editor) replace(n int, by []byte) {
	if e.fits(len(by)) {
		e.dst.add(by, span{e.src.origins[e.pos].start, e.src.origins[e.pos+n-1].end})
	}
	e.pos += n
}

// keep copies n bytes, which must be whole characters.
func (e *editor) keep(n int) {
	if e.fits(n) {
		e.dst.bytes = append(e.dst.bytes, e.src.bytes[e.pos:e.pos+n]...)
		e.dst.origins = append(e.dst.origins, e.src.origins[e.pos:e.pos+n]...)
	}
	e.pos += n
}

func (e *editor) keepRest() { e.keep(e.end - e.pos) }
