package tokenizer

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A form is one of the four Unicode normalisation forms. golang.org/x/text knows
// how characters decompose; putting them together is done here because of the
// offsets, and because the reference is at Unicode 9.
type form struct {
	chars   *characters
	compat  bool
	pairs   map[uint64]rune // nil for NFD and NFKD
	decoder norm.Form
}

func newForm(chars *characters, compat, compose bool) *form {
	f := &form{chars: chars, compat: compat, decoder: norm.NFD}
	if compat {
		f.decoder = norm.NFKD
	}
	if compose {
		f.pairs = composites(chars)
	}
	return f
}

// The blocks that all canonical composites are in but for the Hangul syllables,
// which are computed.
func compositeBlocks() [][2]rune {
	return [][2]rune{{0xc0, 0x30ff}, {0xfb1d, 0xfb4f}, {0x11000, 0x16fff}, {0x1d100, 0x1d1ff}}
}

// composites lists what two characters compose to.
func composites(chars *characters) map[uint64]rune {
	pairs := make(map[uint64]rune, 1024)
	for _, block := range compositeBlocks() {
		for r := block[0]; r <= block[1]; r++ {
			s := string(r)
			parts := norm.NFD.PropertiesString(s).Decomposition()
			if len(parts) == 0 || chars.of(r)&unnormed != 0 || norm.NFC.String(s) != s {
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

// A decomposed character with its combining class, and the change that it is for
// an editor.
type decomposed struct {
	r      rune
	change int32
	ccc    uint8
}

func (f *form) keeps(src []byte) bool {
	for _, c := range src {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// apply works on stretches that begin and end at an ASCII character, as these
// decompose to themselves and never compose with what is before them.
func (f *form) apply(s *state, e *editor) error {
	e.skipInserted()
	for {
		src := e.left()
		i := 0
		for i < len(src) && src[i] < utf8.RuneSelf {
			i++
		}
		if i == len(src) {
			e.rest()
			return nil
		}
		i = max(i-1, 0)
		e.keep(i)
		j := i + 1
		for j < len(src) && src[j] >= utf8.RuneSelf {
			j++
		}
		s.norm = f.decompose(s.norm[:0], src[i:j])
		if f.pairs != nil {
			s.norm = f.compose(s.norm)
		}
		for _, d := range s.norm {
			e.put(d.r, int(d.change))
		}
	}
}

// decompose appends what the characters of src consist of, in canonical order.
func (f *form) decompose(dst []decomposed, src []byte) []decomposed {
	starter := 0 // behind the last one
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
		p := f.decoder.Properties(src[i : i+w])
		parts := p.Decomposition()
		switch {
		case f.chars.of(r)&unnormed != 0:
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
		}
		if f.chars.of(r)&unnormed == 0 {
			for k := 0; k < len(parts); {
				part, n := utf8.DecodeRune(parts[k:])
				push(part, f.decoder.Properties(parts[k:k+n]).CCC(), k == 0)
				k += n
			}
		}
		i += w
	}
	order()
	return dst
}

// Section 3.12 of the Unicode Standard: a Hangul syllable is computed from its
// lead, its vowel and its tail.
const (
	hangulBase, hangulCount          = 0xac00, leadCount * vowelCount * tailCount
	leadBase, vowelBase, tailBase    = 0x1100, 0x1161, 0x11a7
	leadCount, vowelCount, tailCount = 19, 21, 28
)

func (f *form) pair(a, b rune) (rune, bool) {
	switch {
	case a >= leadBase && a < leadBase+leadCount && b >= vowelBase && b < vowelBase+vowelCount:
		return hangulBase + ((a-leadBase)*vowelCount+b-vowelBase)*tailCount, true
	case a >= hangulBase && a < hangulBase+hangulCount && (a-hangulBase)%tailCount == 0 && b > tailBase && b < tailBase+tailCount:
		return a + b - tailBase, true
	}
	r, ok := f.pairs[uint64(a)<<32|uint64(b)]
	return r, ok
}

// compose puts characters together in place. What a composite swallows is added
// to its change, so that it comes from the first of its parts.
func (f *form) compose(all []decomposed) []decomposed {
	out := all[:0]
	starter := -1  // in out
	var last uint8 // class of the last one kept behind the starter
	for _, d := range all {
		if starter >= 0 {
			// What is directly behind the starter, or behind marks of a lower class
			// than its own only, isn't blocked from it.
			direct := starter == len(out)-1
			if direct || last < d.ccc {
				if r, ok := f.pair(out[starter].r, d.r); ok {
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
