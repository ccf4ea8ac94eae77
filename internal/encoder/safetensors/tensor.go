package safetensors

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"
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

	begin, end uint64 // byte range after the header
	data       []byte
}

// NewTensor returns a tensor of a file in another format. data holds its values in
// row-major order and little-endian byte order.
func NewTensor(name, dtype string, shape []int, data []byte) (*Tensor, error) {
	t := &Tensor{Name: name, DType: dtype, Shape: shape, end: uint64(len(data)), data: data}
	return t, t.checkRange(t.end)
}

// Len returns the number of values.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Float32 returns the values of an F32 tensor in row-major order. The result is a
// read-only view of the file, or a copy if the tensor is misaligned.
func (t *Tensor) Float32() ([]float32, error) {
	if t.DType != F32 {
		return nil, t.typeError(F32)
	}
	return view(t.data, func(b []byte) float32 {
		bits := binary.LittleEndian.Uint32(b)
		return *(*float32)(unsafe.Pointer(&bits))
	}), nil
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
	if uintptr(p)%unsafe.Alignof(zero) == 0 && littleEndian() {
		return unsafe.Slice((*T)(p), n)
	}
	values := make([]T, n)
	for i := range values {
		values[i] = decode(b[i*size:])
	}
	return values
}

func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// sizes returns the size in bytes of the data types whose values are whole bytes.
func sizes() map[string]uint64 {
	return map[string]uint64{
		"BOOL": 1, "U8": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
		"U16": 2, "I16": 2, F16: 2, BF16: 2,
		"U32": 4, "I32": 4, F32: 4,
		"U64": 8, "I64": 8, "F64": 8, "C64": 8,
	}
}

// Width returns the size in bytes of the values of a data type, or 0 if it is
// unknown.
func Width(dtype string) uint64 { return sizes()[dtype] }

// checkRange checks the byte range of t against its type and shape, and against
// the size of the data. The size of unknown types cannot be checked.
func (t *Tensor) checkRange(size uint64) error {
	if t.begin > t.end {
		return fmt.Errorf("data_offsets [%d,%d] are reversed", t.begin, t.end)
	}
	width, known := sizes()[t.DType]
	want, overflow := width, uint64(0)
	for _, d := range t.Shape {
		var high uint64
		high, want = bits.Mul64(want, uint64(d))
		overflow |= high
	}
	if overflow != 0 {
		return fmt.Errorf("shape %v of %s is too large", t.Shape, t.DType)
	}
	if known && want != t.end-t.begin {
		return fmt.Errorf("shape %v of %s is %d bytes, but data_offsets span %d", t.Shape, t.DType, want, t.end-t.begin)
	}
	if t.end > size {
		return fmt.Errorf("truncated: ends at byte %d of the data, which has %d", t.end, size)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
