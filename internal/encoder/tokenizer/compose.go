package tokenizer

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A unicodeForm is the Unicode normalization form NFC or NFD. Decompositions come
// from golang.org/x/text. Composition is implemented here because it must track
// offsets, and because the reference uses Unicode 9.
type unicodeForm struct {
	chars      *characters
	composites map[uint64]rune // nil for NFD
}

// nfc returns the normalization form NFC.
func (p *parser) nfc() *unicodeForm {
	if p.composites == nil {
		p.composites = composites(p.chars)
	}
	return &unicodeForm{p.chars, p.composites}
}

// composites returns the canonical composite of each pair of characters except Hangul
// syllables, which are computed.
func composites(chars *characters) map[uint64]rune {
	pairs := make(map[uint64]rune, 1024)
	for _, block := range [][2]rune{{0xc0, 0x30ff}, {0xfb1d, 0xfb4f}, {0x11000, 0x16fff}, {0x1d100, 0x1d1ff}} {
		for r := block[0]; r <= block[1]; r++ {
			s := string(r)
			parts := norm.NFD.PropertiesString(s).Decomposition()
			if len(parts) == 0 || chars.classOf(r)&notNormalized != 0 || norm.NFC.String(s) != s {
				continue
			}
			last, w := utf8.DecodeLastRune(parts)
			first, n := utf8.DecodeRune(norm.NFC.Bytes(parts[:len(parts)-w]))
			if w < len(parts) && n > 0 {
				pairs[uint64(first)<<32|uint64(last)] = r
			}
		}
	}
	return pairs
}

// A decomposed is a character with its combining class and its change for an
// editor.
type decomposed struct {
	r      rune
	change int32
	ccc    uint8
}

func (f *unicodeForm) unchanged(src []byte) bool {
	return !slices.ContainsFunc(src, func(c byte) bool { return c >= utf8.RuneSelf })
}

// apply normalizes segments delimited by ASCII characters, which do not
// decompose or compose with preceding characters.
func (f *unicodeForm) apply(s *state, e *editor) {
	e.skipInserted()
	for {
		src := e.remaining()
		i := 0
		for i < len(src) && src[i] < utf8.RuneSelf {
			i++
		}
		if i == len(src) {
			e.keepRest()
			return
		}
		i = max(i-1, 0)
		e.keep(i)
		j := i + 1
		for j < len(src) && src[j] >= utf8.RuneSelf {
			j++
		}
		s.norm = f.decompose(s.norm[:0], src[i:j])
		if f.composites != nil {
			s.norm = f.compose(s.norm)
		}
		for _, d := range s.norm {
			e.put(d.r, int(d.change))
		}
	}
}

// decompose appends the decompositions of the characters of src in canonical
// order.
func (f *unicodeForm) decompose(dst []decomposed, src []byte) []decomposed {
	starter := 0 // index after the last starter
	order := func() {
		slices.SortStableFunc(dst[starter:], func(a, b decomposed) int { return cmp.Compare(a.ccc, b.ccc) })
	}
	push := func(r rune, ccc uint8, first bool) {
		d := decomposed{r, 1, ccc}
		if first {
			d.change = 0
		}
		if ccc == 0 {
			order()
			starter = len(dst) + 1
		}
		dst = append(dst, d)
	}
	for i := 0; i < len(src); {
		r, w := utf8.DecodeRune(src[i:])
		p := norm.NFD.Properties(src[i : i+w])
		parts := p.Decomposition()
		switch {
		case f.chars.classOf(r)&notNormalized != 0:
			push(r, 0, true)
		case r >= hangulBase && r < hangulBase+hangulCount:
			at := r - hangulBase
			push(leadBase+at/(vowelCount*tailCount), 0, true)
			push(vowelBase+at%(vowelCount*tailCount)/tailCount, 0, false)
			if t := at % tailCount; t > 0 {
				push(tailBase+t, 0, false)
			}
		case len(parts) == 0:
			push(r, p.CCC(), true)
		default:
			for k := 0; k < len(parts); {
				part, n := utf8.DecodeRune(parts[k:])
				push(part, norm.NFD.Properties(parts[k:k+n]).CCC(), k == 0)
				k += n
			}
		}
		i += w
	}
	order()
	return dst
}

// Hangul syllables are computed from a lead, a vowel and a tail (Unicode
// Standard, section 3.12).
const (
	hangulBase, hangulCount          = 0xac00, leadCount * vowelCount * tailCount
	leadBase, vowelBase, tailBase    = 0x1100, 0x1161, 0x11a7
	leadCount, vowelCount, tailCount = 19, 21, 28
)

func (f *unicodeForm) composePair(a, b rune) (rune, bool) {
	switch {
	case a >= leadBase && a < leadBase+leadCount && b >= vowelBase && b < vowelBase+vowelCount:
		return hangulBase + ((a-leadBase)*vowelCount+b-vowelBase)*tailCount, true
	case a >= hangulBase && a < hangulBase+hangulCount && (a-hangulBase)%tailCount == 0 && b > tailBase && b < tailBase+tailCount:
		return a + b - tailBase, true
	}
	r, ok := f.composites[uint64(a)<<32|uint64(b)]
	return r, ok
}

// compose composes characters in place. The change of a composite includes the
// characters it replaces, so that it originates from the first of them.
func (f *unicodeForm) compose(all []decomposed) []decomposed {
	out := all[:0]
	starter := -1  // index in out
	var last uint8 // class of the last character kept after the starter
	for _, d := range all {
		if starter >= 0 {
			// A character is not blocked from the starter if it follows it directly
			// or after marks of lower classes.
			direct := starter == len(out)-1
			if direct || last < d.ccc {
				if r, ok := f.composePair(out[starter].r, d.r); ok {
					out[starter].r = r
					out[starter].change += d.change - 1
					continue
				}
			}
		}
		if d.ccc == 0 {
			starter = len(out)
		}
		last = d.ccc
		out = append(out, d)
	}
	return out
}
