package encoder

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// table is a table of embeddings as it lies in a file: rows of width values.
type table struct {
	raw         kernel.Raw
	rows, width int
}

// copy sets dst to a row.
func (t *table) copy(dst []float32, row int) {
	at := row * t.width
	if t.raw.F32 != nil {
		copy(dst[:t.width], t.raw.F32[at:])
		return
	}
	widen(dst[:t.width], t.raw.Rows(row, row+1, t.width))
}

// add adds a row to dst.
func (t *table) add(dst []float32, row int) {
	at := row * t.width
	dst = dst[:t.width]
	switch {
	case t.raw.F32 != nil:
		for i, v := range t.raw.F32[at : at+t.width] {
			dst[i] += v
		}
	case t.raw.F16 != nil:
		for i, v := range t.raw.F16[at : at+t.width] {
			dst[i] += half(v)
		}
	case t.raw.I8 != nil:
		step := t.raw.Scales[row]
		for i, v := range t.raw.I8[at : at+t.width] {
			dst[i] += float32(v) * step
		}
	default:
		for i, v := range t.raw.BF16[at : at+t.width] {
			dst[i] += brain(v)
		}
	}
}

// widen sets dst to the values of a weight.
func widen(dst []float32, raw kernel.Raw) {
	copy(dst, raw.F32)
	for i, v := range raw.F16 {
		dst[i] = half(v)
	}
	for i, v := range raw.BF16 {
		dst[i] = brain(v)
	}
	for r, step := range raw.Scales {
		width := len(dst) / len(raw.Scales)
		for i, v := range raw.I8[r*width : (r+1)*width] {
			dst[r*width+i] = float32(v) * step
		}
	}
}

// brain is the value of a bfloat16, the upper half of a float32.
func brain(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// half is the value of an IEEE 754 binary16: a sign, 5 bits of exponent with a
// bias of 15, and 10 bits of fraction.
func half(b uint16) float32 {
	sign := uint32(b>>15) << 31
	exponent, fraction := uint32(b>>10&0x1f), uint32(b&0x3ff)
	switch exponent {
	case 0x1f: // infinite, or not a number
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case 0: // subnormal: a multiple of 2^-24
		v := float32(fraction) / (1 << 24)
		if sign != 0 {
			v = -v
		}
		return v
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
