package encoder

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// table is an embedding table in the data type of the file.
type table struct {
	raw         kernel.Raw
	rows, width int
}

// copy copies a row to dst.
func (t *table) copy(dst []float32, row int) {
	start := row * t.width
	if t.raw.F32 != nil {
		copy(dst[:t.width], t.raw.F32[start:])
		return
	}
	widen(dst[:t.width], t.raw.Rows(row, row+1, t.width))
}

// row returns a row, in the file or in scratch, which has its width.
func (t *table) row(row int, scratch []float32) []float32 {
	if t.raw.F32 != nil {
		return t.raw.F32[row*t.width : (row+1)*t.width]
	}
	t.copy(scratch, row)
	return scratch
}

// add adds a row to dst.
func (t *table) add(dst []float32, row int) {
	start := row * t.width
	dst = dst[:t.width]
	switch {
	case t.raw.F32 != nil:
		for i, v := range t.raw.F32[start : start+t.width] {
			dst[i] += v
		}
	case t.raw.F16 != nil:
		for i, v := range t.raw.F16[start : start+t.width] {
			dst[i] += f16ToF32(v)
		}
	default:
		for i, v := range t.raw.BF16[start : start+t.width] {
			dst[i] += bf16ToF32(v)
		}
	}
}

// widen stores the values of raw in dst as float32.
func widen(dst []float32, raw kernel.Raw) {
	copy(dst, raw.F32)
	for i, v := range raw.F16 {
		dst[i] = f16ToF32(v)
	}
	for i, v := range raw.BF16 {
		dst[i] = bf16ToF32(v)
	}
}

func bf16ToF32(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// f16ToF32 converts an IEEE 754 binary16 number.
func f16ToF32(b uint16) float32 {
	sign := uint32(b>>15) << 31
	exponent, fraction := uint32(b>>10&0x1f), uint32(b&0x3ff)
	switch exponent {
	case 0x1f: // infinity or NaN
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
