package tokenizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// A charsmap is SentencePiece's precompiled normalisation: a Darts double array
// that leads from a string to the place of its replacement in a list of strings,
// each with a zero byte behind it.
//
// A unit of the array has a label in bits 0 to 7 and 31, whether a value follows
// in bit 8, and in bits 10 to 31 the offset of its children, in steps of 256
// where bit 9 is set. The unit of a value has it in bits 0 to 30.
type charsmap struct {
	units   []uint32
	strings []byte
	ascii   [utf8.RuneSelf]bool // has a replacement
}

func newCharsmap(data []byte) (*charsmap, error) {
	if len(data) < 4 {
		return nil, errors.New("no charsmap")
	}
	size := int64(binary.LittleEndian.Uint32(data))
	data = data[4:]
	if size/4*4 > int64(len(data)) || size < 4 {
		return nil, fmt.Errorf("a double array of %d bytes in a charsmap of %d", size, len(data))
	}
	m := &charsmap{units: make([]uint32, size/4), strings: data[size/4*4:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	if !utf8.Valid(m.strings) {
		return nil, errors.New("the replacements in the charsmap aren't UTF-8")
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	for c := range m.ascii {
		_, m.ascii[c] = m.replacement([]byte{byte(c)})
	}
	return m, nil
}

// check refuses an array in which a string of at most 5 bytes or one character,
// which is all that is looked up, can lead out of the array, or a value out of
// the strings. It looks at every unit that any path can reach; a path that comes
// back to a unit is no trouble, as it ends with the string.
func (m *charsmap) check() error {
	seen := make([]bool, len(m.units))
	reached := []uint32{offset(m.units[0])}
	for len(reached) > 0 {
		at := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		for c := uint32(1); c < 256; c++ {
			next := at ^ c
			if int64(next) >= int64(len(m.units)) {
				continue // read as a unit with another label
			}
			unit := m.units[next]
			if seen[next] || label(unit) != c {
				continue
			}
			seen[next] = true
			child := next ^ offset(unit)
			if unit>>8&1 == 1 {
				if int64(child) >= int64(len(m.units)) {
					return fmt.Errorf("unit %d of the charsmap has its value outside", next)
				}
				v := m.units[child] & (1<<31 - 1)
				if int64(v) > int64(len(m.strings)) || int(v) < len(m.strings) && !utf8.RuneStart(m.strings[v]) {
					return fmt.Errorf("unit %d of the charsmap stands for byte %d of %d", next, v, len(m.strings))
				}
			}
			reached = append(reached, child)
		}
	}
	return nil
}

func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
func label(unit uint32) uint32  { return unit & (1<<31 | 0xff) }

// replacement returns what the shortest prefix of s that the array has is
// replaced by. That it is the shortest, and stands for the whole of s, is the
// reference's rule.
func (m *charsmap) replacement(s []byte) ([]byte, bool) {
	at := offset(m.units[0])
	for _, c := range s {
		if c == 0 {
			break
		}
		at ^= uint32(c)
		if int64(at) >= int64(len(m.units)) {
			break
		}
		unit := m.units[at]
		if label(unit) != uint32(c) {
			break
		}
		at ^= offset(unit)
		if unit>>8&1 == 1 {
			to := m.strings[m.units[at]&(1<<31-1):]
			if end := bytes.IndexByte(to, 0); end >= 0 {
				to = to[:end]
			}
			return to, true
		}
	}
	return nil, false
}

// plain reports how many bytes at the beginning of src stay as they are: ASCII
// up to what is replaced or may belong to a longer grapheme.
func (m *charsmap) plain(src []byte) int {
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

func (m *charsmap) keeps(src []byte) bool { return m.plain(src) == len(src) }

// apply replaces graphemes of fewer than 6 bytes, or else characters.
func (m *charsmap) apply(_ *state, e *editor) error {
	e.skipInserted()
	w := delayed{editor: e}
	for src := e.src.b[e.pos:e.piece.hi]; len(src) > 0; {
		if n := m.plain(src); n > 0 {
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
	return nil
}

// delayed holds one character back, as what is dropped after it becomes part of
// its change. What is dropped before the first one is forgotten, and all that
// follows comes from too far left: so the reference does.
type delayed struct {
	*editor
	r      rune
	change int
	held   bool
}

func (d *delayed) put(r rune, change int) {
	d.flush()
	d.r, d.change, d.held = r, change, true
}

func (d *delayed) flush() {
	if d.held {
		d.editor.put(d.r, d.change)
		d.held = false
	}
}

// keep writes src as it is. Where the source is at the same place, all but the
// last character is copied.
func (d *delayed) keep(src []byte) {
	d.flush()
	_, last := utf8.DecodeLastRune(src)
	n := len(src) - last
	if bytes.HasPrefix(d.left(), src[:n]) {
		d.editor.keep(n)
		src = src[n:]
	}
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		d.put(r, 0)
		src = src[n:]
	}
}

// replace writes the characters of to for those of from. Those that from has more
// are dropped with the last character written; those that to has more are new.
func (d *delayed) replace(from, to []byte) {
	more := utf8.RuneCount(to) - utf8.RuneCount(from)
	old := utf8.RuneCount(to) - max(more, 0)
	for len(to) > 0 {
		r, n := utf8.DecodeRune(to)
		to = to[n:]
		if old > 0 {
			d.put(r, 0)
			old--
		} else {
			d.put(r, 1)
		}
	}
	if more < 0 && d.held {
		d.change += more
	}
}
