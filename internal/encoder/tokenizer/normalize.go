package tokenizer

import (
	"bytes"
	"unicode/utf8"
)

// A normalizer transforms a text before it is split into words.
type normalizer interface {
	// unchanged reports whether src is already normalized. False negatives are
	// allowed.
	unchanged(src []byte) bool
	// apply writes the normalized remaining input of the editor.
	apply(s *state, e *editor)
}

// normalize applies the normalizers to all pieces that are not added tokens.
func (s *state) normalize(all []normalizer) {
	for _, n := range all {
		if s.editor.full {
			return
		}
		changes := false
		for _, p := range s.pieces {
			changes = changes || p.token == notAdded && !n.unchanged(s.bytes(p))
		}
		if changes {
			s.edit(func(e *editor) { n.apply(s, e) })
		} else {
			s.charge()
		}
	}
}

// remaining returns the input that the editor has not read.
func (e *editor) remaining() []byte { return e.src.bytes[e.pos:e.piece.hi] }

// A filter drops the characters of a class and replaces those of another class by a
// space, for BertNormalizer.
type filter struct {
	chars       *characters
	drop, blank class
}

func (f filter) unchanged(src []byte) bool {
	return bytes.IndexFunc(src, func(r rune) bool { return r != ' ' && f.chars.classOf(r)&(f.drop|f.blank) != 0 }) < 0
}

func (f filter) apply(_ *state, e *editor) {
	e.skipInserted()
	src := e.remaining()
	kept := 0
	for i := 0; i < len(src); {
		r, w := decodeRune(src[i:])
		class := f.chars.classOf(r)
		if r != ' ' && class&(f.drop|f.blank) != 0 {
			e.keep(i - kept)
			kept = i + w
			if class&f.drop != 0 {
				e.drop(1)
			} else {
				e.put(' ', 0)
			}
		}
		i += w
	}
	e.keepRest()
}

// ideographs is the handle_chinese_chars step of BertNormalizer. It puts spaces
// around Chinese characters.
type ideographs struct{}

func isIdeograph(r rune) bool {
	return r >= 0x3400 && (r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f)
}

func (ideographs) unchanged(src []byte) bool { return bytes.IndexFunc(src, isIdeograph) < 0 }

func (ideographs) apply(_ *state, e *editor) {
	e.skipInserted()
	for {
		src := e.remaining()
		i := bytes.IndexFunc(src, isIdeograph)
		if i < 0 {
			e.keepRest()
			return
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

func (l lowercase) unchanged(src []byte) bool {
	return bytes.IndexFunc(src, func(r rune) bool { return l.chars.classOf(r)&upper != 0 }) < 0
}

func (l lowercase) apply(_ *state, e *editor) {
	e.skipInserted()
	src := e.remaining()
	kept := 0
	for i := 0; i < len(src); {
		r, w := decodeRune(src[i:])
		if l.chars.classOf(r)&upper != 0 {
			e.keep(i - kept)
			kept = i + w
			e.put(l.chars.lower[r], 0)
			if r == 0x130 {
				e.put(0x307, 1)
			}
		}
		i += w
	}
	e.keepRest()
}

// strip is the Strip normalizer.
type strip struct {
	chars       *characters
	left, right bool
}

func (s strip) bounds(src []byte) (lo, hi int) {
	hi = len(src)
	isSpace := func(r rune) bool { return s.chars.classOf(r)&space != 0 }
	if s.left {
		lo = hi - len(bytes.TrimLeftFunc(src, isSpace))
	}
	if s.right {
		hi = lo + len(bytes.TrimRightFunc(src[lo:], isSpace))
	}
	return lo, hi
}

func (s strip) unchanged(src []byte) bool {
	lo, hi := s.bounds(src)
	return hi-lo == len(src)
}

func (s strip) apply(_ *state, e *editor) {
	lo, hi := s.bounds(e.remaining())
	e.pos += lo
	e.keep(hi - lo)
}

// byteLevel maps each byte to a character as GPT-2 does.
type byteLevel struct{ alphabet *alphabet }

func (byteLevel) unchanged(src []byte) bool { return len(src) == 0 }

func (b byteLevel) apply(_ *state, e *editor) {
	e.skipInserted()
	for e.pos < int(e.piece.hi) {
		_, w := utf8.DecodeRune(e.remaining())
		at, origin := e.pos, e.src.origin(e.pos)
		for i := range w {
			e.write(b.alphabet[e.src.bytes[at+i]], origin)
		}
		e.pos += w
	}
}

// An alphabet is GPT-2's mapping of bytes to printable characters.
type alphabet [256]rune

// newAlphabet maps bytes that are printable in Latin-1 to themselves and all
// others to characters from U+0100.
func newAlphabet() *alphabet {
	a := new(alphabet)
	next := rune(256)
	for i := range a {
		r := rune(i)
		if r < '!' || r > '~' && r < 0xa1 || r == 0xad {
			r = next
			next++
		}
		a[i] = r
	}
	return a
}
