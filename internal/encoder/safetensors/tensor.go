package safetensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"unsafe"
)

// The types of values that are read. A file may hold others; they are refused
// only when they are used.
const (
	F32  = "F32"  // IEEE 754 binary32
	F16  = "F16"  // IEEE 754 binary16
	BF16 = "BF16" // the upper half of a binary32
	I8   = "I8"   // whole numbers from -128 to 127
	U8   = "U8"   // bytes
)

// A Tensor is a named array of values in row-major order.
type Tensor struct {
	Name  string
	DType string // as the file has it
	Shape []int  // empty for a single value
	File  string // the name of the file, without its folder

	begin, end uint64 // range of bytes behind the header
	data       []byte
}

// Len returns the number of values.
func (t *Tensor) Len() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Float32 returns the values of a tensor of type F32, row-major. They lie in
// the mapped file and can't be written to, unless the file has them at an
// address that a float32 can't have; then they are a copy.
func (t *Tensor) Float32() ([]float32, error) {
	if t.DType != F32 {
		return nil, t.unfit(F32)
	}
	return view(t.data, func(b []byte) float32 {
		bits := binary.LittleEndian.Uint32(b)
		return *(*float32)(unsafe.Pointer(&bits))
	}), nil
}

// Bits16 returns the bit patterns of the values of a tensor of type F16 or
// BF16, row-major, as Float32 does.
func (t *Tensor) Bits16() ([]uint16, error) {
	if t.DType != F16 && t.DType != BF16 {
		return nil, t.unfit(F16 + " or " + BF16)
	}
	return view(t.data, binary.LittleEndian.Uint16), nil
}

// Int8 returns the values of a tensor of type I8, row-major. They lie in the file
// and can't be written to.
func (t *Tensor) Int8() ([]int8, error) {
	if t.DType != I8 {
		return nil, t.unfit(I8)
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(t.data))), len(t.data)), nil
}

// Bytes returns the values of a tensor of type U8, as Int8 does.
func (t *Tensor) Bytes() ([]byte, error) {
	if t.DType != U8 {
		return nil, t.unfit(U8)
	}
	return t.data, nil
}

func (t *Tensor) unfit(want string) error {
	return fmt.Errorf("%s: tensor %q has type %s, want %s", t.File, t.Name, t.DType, want)
}

// view reinterprets b where the address allows it and the processor has the
// byte order of the file, and decodes it value by value otherwise.
func view[T float32 | uint16](b []byte, decode func([]byte) T) []T {
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

// sizes returns the bytes of one value of each type whose values are whole
// bytes long.
func sizes() map[string]uint64 {
	return map[string]uint64{
		"BOOL": 1, U8: 1, I8: 1, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
		"U16": 2, "I16": 2, F16: 2, BF16: 2,
		"U32": 4, "I32": 4, F32: 4,
		"U64": 8, "I64": 8, "F64": 8, "C64": 8,
	}
}

// checkRange checks the range of bytes of t against its type and shape, and
// against the bytes that there are. A type that is not known can't be checked
// that closely, nor used.
func (t *Tensor) checkRange(have uint64) error {
	if t.begin > t.end {
		return fmt.Errorf("data_offsets [%d,%d] end before they begin", t.begin, t.end)
	}
	size, known := sizes()[t.DType]
	if !known {
		size = 0
	}
	want, overflow := size, uint64(0)
	for _, d := range t.Shape {
		var high uint64
		high, want = bits.Mul64(want, uint64(d))
		overflow |= high
	}
	if overflow != 0 {
		return fmt.Errorf("shape %v of %s is more than any file holds", t.Shape, t.DType)
	}
	if known && want != t.end-t.begin {
		return fmt.Errorf("shape %v of %s takes %d bytes, data_offsets have %d", t.Shape, t.DType, want, t.end-t.begin)
	}
	if t.end > have {
		return fmt.Errorf("truncated: ends at byte %d of the data, which has %d", t.end, have)
	}
	return nil
}

func compare(a, b uint64) int { return cmp.Compare(a, b) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
