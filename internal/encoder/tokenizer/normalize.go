package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// A normalizer changes a text before it is split.
type normalizer interface {
	// keeps reports that src stays as it is. It may say false of one that does.
	keeps(src []byte) bool
	// apply writes what becomes of the rest of the editor's piece.
	apply(s *state, e *editor) error
}

// normalize runs the normalizers over all pieces that are no added token.
func (s *state) normalize(all []normalizer) error {
	for _, n := range all {
		changes := false
		for _, p := range s.pieces {
			changes = changes || p.token == notAdded && !n.keeps(s.of(p))
		}
		if !changes {
			continue
		}
		if err := s.edit(func(e *editor) error { return n.apply(s, e) }); err != nil {
			return err
		}
	}
	return nil
}

// left returns what the editor has not read yet.
func (e *editor) left() []byte { return e.src.b[e.pos:e.piece.hi] }

// A filter drops characters and replaces others by one each: the cleaning of
// BertNormalizer, StripAccents, Nmt.
type filter struct {
	chars *characters
	drop  class // these
	also  func(r rune) bool
	space func(r rune) bool // these become a space
}

func (f *filter) what(r rune) (drop, space bool) {
	if f.chars.of(r)&f.drop != 0 || f.also != nil && f.also(r) {
		return true, false
	}
	return false, f.space != nil && f.space(r)
}

func (f *filter) keeps(src []byte) bool {
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if drop, space := f.what(r); drop || space {
			return false
		}
		i += w
	}
	return true
}

func (f *filter) apply(_ *state, e *editor) error {
	e.skipInserted()
	src := e.left()
	kept := 0
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		drop, space := f.what(r)
		if drop || space {
			e.keep(i - kept)
			kept = i + w
		}
		if drop {
			e.drop(1)
		} else if space {
			e.put(' ', 0)
		}
		i += w
	}
	e.rest()
	return nil
}

// clean is clean_text of BertNormalizer.
func clean(chars *characters) normalizer {
	return &filter{chars: chars, drop: removed, space: func(r rune) bool { return r != ' ' && chars.of(r)&space != 0 }}
}

// nmt is the Nmt normalizer, which comes from SentencePiece.
func nmt(chars *characters) normalizer {
	return &filter{
		chars: chars,
		also: func(r rune) bool {
			return r >= 1 && r <= 8 || r == 0xb || r >= 0xe && r <= 0x1f || r == 0x7f || r == 0x8f || r == 0x9f
		},
		space: func(r rune) bool {
			switch r {
			case 9, 0xa, 0xc, 0xd, 0x1680, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd:
				return true
			}
			return false
		},
	}
}

// ideographs puts spaces around Chinese characters, as BertNormalizer does.
type ideographs struct{}

func isIdeograph(r rune) bool {
	return r >= 0x3400 && (r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f)
}

func (ideographs) keeps(src []byte) bool { return bytes.IndexFunc(src, isIdeograph) < 0 }

func (ideographs) apply(_ *state, e *editor) error {
	e.skipInserted()
	for {
		src := e.left()
		i := bytes.IndexFunc(src, isIdeograph)
		if i < 0 {
			e.rest()
			return nil
		}
		e.keep(i)
		r, _ := utf8.DecodeRune(src[i:])
		e.put(' ', 0)
		e.put(r, 1)
		e.put(' ', 1)
	}
}

// lowercase is the Lowercase normalizer.
type lowercase struct{ chars *characters }

func (l lowercase) keeps(src []byte) bool {
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if l.chars.of(r)&upper != 0 {
			return false
		}
		i += w
	}
	return true
}

func (l lowercase) apply(_ *state, e *editor) error {
	e.skipInserted()
	src := e.left()
	kept := 0
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if l.chars.of(r)&upper != 0 {
			e.keep(i - kept)
			kept = i + w
			e.put(l.chars.toLower(r), 0)
			if r == 0x130 {
				e.put(0x307, 1)
			}
		}
		i += w
	}
	e.rest()
	return nil
}

// strip removes spaces at the ends.
type strip struct {
	chars       *characters
	left, right bool
}

func (s strip) bounds(src []byte) (lo, hi int) {
	hi = len(src)
	isSpace := func(r rune) bool { return s.chars.of(r)&space != 0 }
	if s.left {
		lo = hi - len(bytes.TrimLeftFunc(src, isSpace))
	}
	if s.right {
		hi = lo + len(bytes.TrimRightFunc(src[lo:], isSpace))
	}
	return lo, hi
}

func (s strip) keeps(src []byte) bool {
	lo, hi := s.bounds(src)
	return hi-lo == len(src)
}

func (s strip) apply(_ *state, e *editor) error {
	lo, hi := s.bounds(e.left())
	e.pos += lo
	e.keep(hi - lo)
	return nil
}

// prepend puts a string in front of a text that isn't empty. The string comes from
// the text's first character.
type prepend string

func (p prepend) keeps(src []byte) bool { return len(src) == 0 }

func (p prepend) apply(_ *state, e *editor) error {
	if len(e.left()) == 0 {
		return nil
	}
	origin := e.src.origin(e.pos)
	for _, r := range string(p) {
		e.write(r, origin)
	}
	e.rest()
	return nil
}

// byteLevel spells each byte as a character, as GPT-2 does.
type byteLevel struct{ alphabet *alphabet }

func (byteLevel) keeps(src []byte) bool { return len(src) == 0 }

func (b byteLevel) apply(_ *state, e *editor) error {
	e.skipInserted()
	for e.pos < int(e.piece.hi) {
		_, w := utf8.DecodeRune(e.left())
		at, origin := e.pos, e.src.origin(e.pos)
		for i := range w {
			e.write(b.alphabet.char[e.src.b[at+i]], origin)
		}
		e.pos += w
	}
	return nil
}

// An alphabet is GPT-2's: a visible character for every byte.
type alphabet struct {
	char [256]rune
	byt  map[rune]byte
}

// newAlphabet gives the bytes that are visible in Latin-1 their own characters
// and the others those from U+0100 on.
func newAlphabet() *alphabet {
	a := &alphabet{byt: make(map[rune]byte, 256)}
	next := rune(256)
	for i := range a.char {
		r := rune(i)
		if r < '!' || r > '~' && r < 0xa1 || r == 0xad {
			r = next
			next++
		}
		a.char[i] = r
		a.byt[r] = byte(i)
	}
	return a
}
