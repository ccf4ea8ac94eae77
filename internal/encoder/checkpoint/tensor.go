package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// Data types that can be read. A file may contain tensors of other types.
const (
	F32  = "F32"  // IEEE 754 binary32
	F16  = "F16"  // IEEE 754 binary16
	BF16 = "BF16" // upper half of a binary32
	I8   = "I8"   // 8-bit integer
)

// A Tensor is a named array of values in row-major order.
type Tensor struct {
	Name  string
	DType string // data type
	Shape []int  // empty for a scalar
	File  string // base name of the file

	data []byte // little-endian values
}

// maxRank limits the number of dimensions of a tensor. Real weights have a handful.
const maxRank = 32

// newTensor returns a tensor after comparing the size of its data with its type and
// shape. The size of unknown types cannot be checked.
func newTensor(name, dtype string, shape []int, data []byte) (*Tensor, error) {
	if len(shape) > maxRank {
		return nil, fmt.Errorf("has more than %d dimensions", maxRank)
	}
	want, overflow := width(dtype), uint64(0)
	for _, d := range shape {
		if d < 0 {
			return nil, fmt.Errorf("shape %v has a negative dimension", shape)
		}
		var high uint64
		high, want = bits.Mul64(want, uint64(d))
		overflow |= high
	}
	if overflow != 0 || want != uint64(len(data)) && width(dtype) > 0 {
		return nil, fmt.Errorf("shape %v of %s does not match %d bytes", shape, dtype, len(data))
	}
	return &Tensor{Name: name, DType: dtype, Shape: shape, data: data}, nil
}

// width returns the size in bytes of the values of a data type, or 0 if it is unknown.
func width(dtype string) uint64 {
	switch dtype {
	case "BOOL", "U8", I8, "F8_E4M3", "F8_E5M2", "F8_E8M0":
		return 1
	case "U16", "I16", F16, BF16:
		return 2
	case "U32", "I32", F32:
		return 4
	case "U64", "I64", "F64", "C64":
		return 8
	}
	return 0
}

// Float32 returns the values of an F32 tensor in row-major order. The result is a
// read-only view of the file, or a copy if the tensor is misaligned.
func (t *Tensor) Float32() ([]float32, error) {
	if t.DType != F32 {
		return nil, t.typeError(F32)
	}
	return view(t.data, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }), nil
}

// Bits16 is like Float32 for the bit patterns of an F16 or BF16 tensor.
func (t *Tensor) Bits16() ([]uint16, error) {
	if t.DType != F16 && t.DType != BF16 {
		return nil, t.typeError(F16 + " or " + BF16)
	}
	return view(t.data, binary.LittleEndian.Uint16), nil
}

// Int8 is like Float32 for an I8 tensor.
func (t *Tensor) Int8() ([]int8, error) {
	if t.DType != I8 {
		return nil, t.typeError(I8)
	}
	return view(t.data, func(b []byte) int8 { return int8(b[0]) }), nil
}

func (t *Tensor) typeError(want string) error {
	return fmt.Errorf("%s: tensor %q has type %s, want %s", t.File, t.Name, t.DType, want)
}

// view returns b as values of type T. It copies and decodes them only if alignment
// or byte order require it.
func view[T float32 | uint16 | int8](b []byte, decode func([]byte) T) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(b) / size
	if n == 0 {
		return nil
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if uintptr(p)%unsafe.Alignof(zero) == 0 && littleEndian {
		return unsafe.Slice((*T)(p), n)
	}
	values := make([]T, n)
	for i := range values {
		values[i] = decode(b[i*size:])
	}
	return values
}
