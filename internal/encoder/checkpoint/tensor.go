package checkpoint

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
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
func (t *Tensor) Float32() ([]float32, error) { return view[float32](t, F32) }

// Bits16 is like Float32 for the bit patterns of an F16 or BF16 tensor.
func (t *Tensor) Bits16() ([]uint16, error) { return view[uint16](t, F16, BF16) }

// Int8 is like Float32 for an I8 tensor.
func (t *Tensor) Int8() ([]int8, error) { return view[int8](t, I8) }

// view returns the values of a tensor of one of the given types. It copies and decodes
// them only if alignment or byte order require it.
func view[T float32 | uint16 | int8](t *Tensor, types ...string) ([]T, error) {
	if !slices.Contains(types, t.DType) {
		return nil, fmt.Errorf("%s: tensor %q has type %s, want %s", t.File, t.Name, t.DType, strings.Join(types, " or "))
	}
	var zero T
	n := len(t.data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil, nil
	}
	p := unsafe.Pointer(unsafe.SliceData(t.data))
	littleEndian := binary.NativeEndian.Uint16([]byte{1, 0}) == 1
	if uintptr(p)%unsafe.Alignof(zero) == 0 && littleEndian {
		return unsafe.Slice((*T)(p), n), nil
	}
	values := make([]T, n)
	_, err := binary.Decode(t.data, binary.LittleEndian, values)
	return values, err
}
