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
}

// maxInserted limits the length in bytes of a text that a normalizer inserts.
const maxInserted = 100

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
	for to := range bytes.SplitSeq(m.strings, []byte{0}) {
		if len(to) > maxInserted {
			return nil, fmt.Errorf("charsmap: replacement of %d bytes, the limit is %d", len(to), maxInserted)
		}
	}
	return m, nil
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
		pos ^= uint32(c)
		if c == 0 || int64(pos) >= int64(len(m.units)) || label(m.units[pos]) != uint32(c) {
			break
		}
		unit := m.units[pos]
		pos ^= offset(unit)
		if !hasLeaf(unit) {
			continue
		}
		if int64(pos) >= int64(len(m.units)) || int64(leafValue(m.units[pos])) > int64(len(m.strings)) {
			break // the array is damaged
		}
		to, _, _ := bytes.Cut(m.strings[leafValue(m.units[pos]):], []byte{0})
		return to, utf8.Valid(to)
	}
	return nil, false
}

// apply looks up each grapheme shorter than 6 bytes, then falls back to single
// characters.
func (m *charsmap) apply(_ *state, e *editor) {
	for src := e.remaining(); len(src) > 0; src = e.remaining() {
		n, _, _ := graphemes.SplitFunc(src, true)
		if to, ok := m.replacement(src[:n]); ok && n < 6 {
			e.replace(n, to)
			continue
		}
		for cluster := src[:n]; len(cluster) > 0; {
			_, w := utf8.DecodeRune(cluster)
			if to, ok := m.replacement(cluster[:w]); ok {
				e.replace(w, to)
			} else {
				e.keep(w)
			}
			cluster = cluster[w:]
		}
	}
}
