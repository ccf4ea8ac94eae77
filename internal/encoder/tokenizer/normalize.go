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
	apply(s *state, e *editor) error
}

// normalize applies the normalizers to all pieces that are not added tokens.
func (s *state) normalize(all []normalizer) error {
	for _, n := range all {
		changes := false
		for _, p := range s.pieces {
			changes = changes || p.token == notAdded && !n.unchanged(s.bytes(p))
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

// remaining returns the input that the editor has not read.
func (e *editor) remaining() []byte { return e.src.bytes[e.pos:e.piece.hi] }

// A filter drops characters and replaces others by a space, for
// BertNormalizer's clean_text, StripAccents and Nmt.
type filter struct {
	chars     *characters
	drop      class             // characters to drop
	dropFunc  func(r rune) bool // more characters to drop
	spaceFunc func(r rune) bool // characters to replace by a space
}

func (f *filter) classify(r rune) (drop, space bool) {
	if f.chars.classOf(r)&f.drop != 0 || f.dropFunc != nil && f.dropFunc(r) {
		return true, false
	}
	return false, f.spaceFunc != nil && f.spaceFunc(r)
}

func (f *filter) unchanged(src []byte) bool {
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if drop, space := f.classify(r); drop || space {
			return false
		}
		i += w
	}
	return true
}

func (f *filter) apply(_ *state, e *editor) error {
	e.skipInserted()
	src := e.remaining()
	kept := 0
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		drop, space := f.classify(r)
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
	e.keepRest()
	return nil
}

// clean returns the clean_text step of BertNormalizer.
func clean(chars *characters) normalizer {
	return &filter{chars: chars, drop: removed, spaceFunc: func(r rune) bool { return r != ' ' && chars.classOf(r)&space != 0 }}
}

// nmt returns the Nmt normalizer, which comes from SentencePiece.
func nmt(chars *characters) normalizer {
	return &filter{
		chars: chars,
		dropFunc: func(r rune) bool {
			return r >= 1 && r <= 8 || r == 0xb || r >= 0xe && r <= 0x1f || r == 0x7f || r == 0x8f || r == 0x9f
		},
		spaceFunc: func(r rune) bool {
			switch r {
			case 9, 0xa, 0xc, 0xd, 0x1680, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x2581, 0xfeff, 0xfffd:
				return true
			}
			return false
		},
	}
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

func (ideographs) apply(_ *state, e *editor) error {
	e.skipInserted()
	for {
		src := e.remaining()
		i := bytes.IndexFunc(src, isIdeograph)
		if i < 0 {
			e.keepRest()
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

func (l lowercase) unchanged(src []byte) bool {
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if l.chars.classOf(r)&upper != 0 {
			return false
		}
		i += w
	}
	return true
}

func (l lowercase) apply(_ *state, e *editor) error {
	e.skipInserted()
	src := e.remaining()
	kept := 0
	for i := 0; i < len(src); {
		r, w := rune(src[i]), 1
		if r >= utf8.RuneSelf {
			r, w = utf8.DecodeRune(src[i:])
		}
		if l.chars.classOf(r)&upper != 0 {
			e.keep(i - kept)
			kept = i + w
			e.put(l.chars.toLower(r), 0)
			if r == 0x130 {
				e.put(0x307, 1)
			}
		}
		i += w
	}
	e.keepRest()
	return nil
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

func (s strip) apply(_ *state, e *editor) error {
	lo, hi := s.bounds(e.remaining())
	e.pos += lo
	e.keep(hi - lo)
	return nil
}

// prepend is the Prepend normalizer. The prefix gets the origin of the first
// character of the text.
type prepend string

func (p prepend) unchanged(src []byte) bool { return len(src) == 0 }

func (p prepend) apply(_ *state, e *editor) error {
	if len(e.remaining()) == 0 {
		return nil
	}
	origin := e.src.origin(e.pos)
	for _, r := range string(p) {
		e.write(r, origin)
	}
	e.keepRest()
	return nil
}

// byteLevel is the ByteLevel normalizer. It maps each byte to a character as
// GPT-2 does.
type byteLevel struct{ alphabet *alphabet }

func (byteLevel) unchanged(src []byte) bool { return len(src) == 0 }

func (b byteLevel) apply(_ *state, e *editor) error {
	e.skipInserted()
	for e.pos < int(e.piece.hi) {
		_, w := utf8.DecodeRune(e.remaining())
		at, origin := e.pos, e.src.origin(e.pos)
		for i := range w {
			e.write(b.alphabet.toRune[e.src.bytes[at+i]], origin)
		}
		e.pos += w
	}
	return nil
}

// An alphabet is GPT-2's mapping between bytes and printable characters.
type alphabet struct {
	toRune [256]rune
	toByte map[rune]byte
}

// newAlphabet maps bytes that are printable in Latin-1 to themselves and all
// others to characters from U+0100.
func newAlphabet() *alphabet {
	a := &alphabet{toByte: make(map[rune]byte, 256)}
	next := rune(256)
	for i := range a.toRune {
		r := rune(i)
		if r < '!' || r > '~' && r < 0xa1 || r == 0xad {
			r = next
			next++
		}
		a.toRune[i] = r
		a.toByte[r] = byte(i)
	}
	return a
}
