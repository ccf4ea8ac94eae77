package tokenizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// A charsmap is SentencePiece's precompiled normalization: a Darts double array
// that maps a string to the offset of its replacement in a list of
// zero-terminated strings.
//
// A unit of the array stores its label in bits 0 to 7 and 31, a flag for a value
// in bit 8, and the offset of its children in bits 10 to 31, in steps of 256 if
// bit 9 is set. A leaf unit stores the value in bits 0 to 30.
type charsmap struct {
	units   []uint32
	strings []byte
	ascii   [utf8.RuneSelf]bool // ascii[c] reports whether c has a replacement
}

func newCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, errors.New("charsmap is too short")
	}
	size := int64(binary.LittleEndian.Uint32(data))
	data = data[4:]
	if size/4*4 > int64(len(data)) || size < 4 {
		return nil, fmt.Errorf("charsmap: trie of %d bytes exceeds the remaining %d bytes", size, len(data))
	}
	m := &charsmap{units: make([]uint32, size/4), strings: data[size/4*4:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if !utf8.Valid(m.strings) {
		return nil, errors.New("charsmap replacements are not valid UTF-8")
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for c := range m.ascii {
		_, m.ascii[c] = m.replacement([]byte{byte(c)})
	}
	return m, nil
}

// check returns an error if a lookup can leave the array or the list of strings.
// It visits every reachable unit. Cycles are harmless because lookups are limited
// to 5 bytes or one character.
func (m *charsmap) check() error {
	seen := make([]bool, len(m.units))
	stack := []uint32{offset(m.units[0])}
	for len(stack) > 0 {
		pos := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for c := uint32(1); c < 256; c++ {
			next := pos ^ c
			if int64(next) >= int64(len(m.units)) {
				continue // equivalent to a unit with another label
			}
			unit := m.units[next]
			if seen[next] || label(unit) != c {
				continue
			}
			seen[next] = true
			child := next ^ offset(unit)
			if hasLeaf(unit) {
				if int64(child) >= int64(len(m.units)) {
					return fmt.Errorf("charsmap unit %d: value is out of range", next)
				}
				v := leafValue(m.units[child])
				if int64(v) > int64(len(m.strings)) || int(v) < len(m.strings) && !utf8.RuneStart(m.strings[v]) {
					return fmt.Errorf("charsmap unit %d: invalid replacement offset %d of %d", next, v, len(m.strings))
				}
				if to := m.strings[v:]; len(to) > maxInserted && bytes.IndexByte(to[:maxInserted+1], 0) < 0 {
					return fmt.Errorf("charsmap unit %d: replacement has more than %d bytes", next, maxInserted)
				}
			}
			stack = append(stack, child)
		}
	}
	return nil
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
func label(unit uint32) uint32  { return unit & (1<<31 | 0xff) }
func hasLeaf(unit uint32) bool  { return unit>>8&1 == 1 }

// leafValue returns the value of a leaf unit.
func leafValue(unit uint32) uint32 { return unit & (1<<31 - 1) }

// replacement returns the replacement of the shortest prefix of s in the array.
// SentencePiece replaces all of s with it.
func (m *charsmap) replacement(s []byte) ([]byte, bool) {
	pos := offset(m.units[0])
	for _, c := range s {
		if c == 0 {
			break
		}
		pos ^= uint32(c)
		if int64(pos) >= int64(len(m.units)) {
			break
		}
		unit := m.units[pos]
		if label(unit) != uint32(c) {
			break
		}
		pos ^= offset(unit)
		if hasLeaf(unit) {
			to := m.strings[leafValue(m.units[pos]):]
			if end := bytes.IndexByte(to, 0); end >= 0 {
				to = to[:end]
			}
			return to, true
		}
	}
	return nil, false
}

// plainPrefix returns the length of the prefix of src that stays unchanged. It
// consists of ASCII characters that have no replacement and cannot be part of a
// longer grapheme.
func (m *charsmap) plainPrefix(src []byte) int {
	for i, c := range src {
		if c >= utf8.RuneSelf {
			return max(i-1, 0)
		}
		if m.ascii[c] || c == '\r' {
			return i
		}
	}
	return len(src)
}

func (m *charsmap) unchanged(src []byte) bool { return m.plainPrefix(src) == len(src) }

// apply looks up each grapheme shorter than 6 bytes, then falls back to single
// characters.
func (m *charsmap) apply(_ *state, e *editor) {
	e.skipInserted()
	w := delayedEditor{editor: e}
	for src := e.remaining(); len(src) > 0; {
		if n := m.plainPrefix(src); n > 0 {
			w.keep(src[:n])
			src = src[n:]
			continue
		}
		n, _, _ := graphemes.SplitFunc(src, true)
		cluster := src[:n]
		src = src[n:]
		if len(cluster) < 6 {
			if to, ok := m.replacement(cluster); ok {
				w.replace(cluster, to)
				continue
			}
		}
		for len(cluster) > 0 {
			r, n := utf8.DecodeRune(cluster)
			if to, ok := m.replacement(cluster[:n]); ok {
				w.replace(cluster[:n], to)
			} else {
				w.put(r, 0)
			}
			cluster = cluster[n:]
		}
	}
	w.flush()
}

// A delayedEditor delays one character, so that characters dropped after it can be
// added to its change. Characters dropped before the first one are not recorded,
// which shifts the origins of all others; SentencePiece behaves the same way.
type delayedEditor struct {
	*editor
	r       rune
	change  int
	pending bool
}

func (d *delayedEditor) put(r rune, change int) {
	d.flush()
	d.r, d.change, d.pending = r, change, true
}

func (d *delayedEditor) flush() {
	if d.pending {
		d.editor.put(d.r, d.change)
		d.pending = false
	}
}

// keep writes src unchanged. If src is unmodified source text, all but its last
// character is copied in bulk.
func (d *delayedEditor) keep(src []byte) {
	d.flush()
	_, last := utf8.DecodeLastRune(src)
	n := len(src) - last
	if bytes.HasPrefix(d.remaining(), src[:n]) {
		d.editor.keep(n)
		src = src[n:]
	}
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		d.put(r, 0)
		src = src[n:]
	}
}

// replace replaces the characters of from with those of to. Extra characters of
// from are dropped with the last character written; extra characters of to are
// inserted.
func (d *delayedEditor) replace(from, to []byte) {
	extra := utf8.RuneCount(to) - utf8.RuneCount(from)
	toReplace := utf8.RuneCount(to) - max(extra, 0)
	for len(to) > 0 {
		r, n := utf8.DecodeRune(to)
		to = to[n:]
		if toReplace > 0 {
			d.put(r, 0)
			toReplace--
		} else {
			d.put(r, 1)
		}
	}
	if extra < 0 && d.pending {
		d.change += extra
	}
}
