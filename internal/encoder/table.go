package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/kernel"

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

// widen stores the values of raw in dst as float32.
func widen(dst []float32, raw kernel.Raw) {
	copy(dst, raw.F32)
	kernel.F16ToFloat32(dst, raw.F16)
	kernel.BF16ToFloat32(dst, raw.BF16)
}
