package tokenizer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/unicode/norm"
)

// A normalizer transforms a text before it is split into words.
type normalizer interface {
	// apply writes the normalized remaining input of the editor.
	apply(e *editor)
}

// normalize applies the normalizers to all pieces that are not added tokens.
func (s *state) normalize(all []normalizer) {
	for _, n := range all {
		if s.editor.full {
			return
		}
		s.edit(n.apply)
	}
}

// A bertNormalizer is the BertNormalizer or, with the option lowercase only, the Lowercase
// normalizer. It replaces each character on its own.
type bertNormalizer struct {
	chars        *characters
	clean        bool // drop control characters, and replace white space by spaces
	ideographs   bool // put spaces around Chinese characters
	stripAccents bool
	lowercase    bool
}

func (b bertNormalizer) apply(e *editor) {
	const maxDecomposed = 64 // bytes, more than any character has
	var normal []byte
	decomposed := make([]byte, 0, maxDecomposed)
	for src := e.remaining(); len(src) > 0; src = e.remaining() {
		_, w := utf8.DecodeRune(src)
		normal = b.appendNormalized(normal[:0], src[:w], decomposed)
		e.replace(w, normal)
	}
}

// appendNormalized appends the normalized character, using decomposed as scratch space.
func (b bertNormalizer) appendNormalized(dst, char, decomposed []byte) []byte {
	r, _ := utf8.DecodeRune(char)
	class := b.chars.classOf(r)
	switch {
	case b.clean && class&removed != 0:
		return dst
	case b.clean && class&space != 0:
		return append(dst, ' ')
	}
	if b.stripAccents && class&notNormalized == 0 {
		char = norm.NFD.Append(decomposed, char...)
	}
	separate := b.ideographs && isIdeograph(r)
	if separate {
		dst = append(dst, ' ')
	}
	for _, c := range string(char) {
		class := b.chars.classOf(c)
		switch {
		case b.stripAccents && class&nonspacing != 0:
		case b.lowercase && c == 0x130: // the only one that becomes two characters
			dst = append(dst, "i\u0307"...)
		case b.lowercase && class&upper != 0:
			dst = utf8.AppendRune(dst, b.chars.lower[c])
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	if separate {
		dst = append(dst, ' ')
	}
	return dst
}

func isIdeograph(r rune) bool {
	return r >= 0x3400 && (r <= 0x4dbf || r >= 0x4e00 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff ||
		r >= 0x20000 && r <= 0x2a6df || r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0x2f800 && r <= 0x2fa1f)
}

// An nfc is the NFC normalizer. Like the reference, it follows Unicode 9, which golang.org/x/text
// does except for characters of the class notNormalized.
type nfc struct{ chars *characters }

func (n nfc) apply(e *editor) {
	var normal []byte // reused
	isLater := func(r rune) bool { return n.chars.classOf(r)&notNormalized != 0 }
	for src := e.remaining(); len(src) > 0; src = e.remaining() {
		end := bytes.IndexFunc(src, isLater)
		if end == 0 {
			_, w := utf8.DecodeRune(src)
			e.keep(w)
			continue
		}
		if end > 0 {
			src = src[:end]
		}
		for len(src) > 0 {
			size := norm.NFC.QuickSpan(src)
			if size > 0 {
				e.keep(size)
			} else {
				size = norm.NFC.NextBoundary(src, true) // characters that may combine
				normal = norm.NFC.Append(normal[:0], src[:size]...)
				if bytes.IndexFunc(normal, isLater) >= 0 {
					e.keep(size)
				} else {
					e.replace(size, normal)
				}
			}
			src = src[size:]
		}
	}
}

// strip is the Strip normalizer.
type strip struct {
	chars       *characters
	left, right bool
}

func (x strip) apply(e *editor) {
	isSpace := func(r rune) bool { return x.chars.classOf(r)&space != 0 }
	if src := e.remaining(); x.left {
		e.pos += len(src) - len(bytes.TrimLeftFunc(src, isSpace))
	}
	src := e.remaining()
	if x.right {
		src = bytes.TrimRightFunc(src, isSpace)
	}
	e.keep(len(src))
}

// A replacer is the Replace normalizer.
type replacer struct {
	pattern *regexp.Regexp
	to      []byte
}

// apply replaces the last character of each match and drops the others, so that the
// replacement originates from the last one, as in the reference.
func (r replacer) apply(e *editor) {
	for {
		src := e.remaining()
		match := r.pattern.FindIndex(src)
		if match == nil {
			e.keepRest()
			return
		}
		e.keep(match[0])
		_, last := utf8.DecodeLastRune(src[:match[1]])
		e.pos += match[1] - last - match[0]
		e.replace(last, r.to)
	}
}

// A charsmap is SentencePiece's precompiled normalization: a Darts double array that maps a string
// to the offset of its replacement in a list of zero-terminated strings.
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

// apply looks up each grapheme shorter than 6 bytes, then falls back to single characters.
func (m *charsmap) apply(e *editor) {
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
