// Package checkpoint opens the weights of a model as they are published: in a
// safetensors file or in one written by torch.save.
//
// Files of torch.save contain a pickle, a program that Python runs to create the
// objects in it. This package interprets its instructions, but never calls what it
// names: a call of a function that creates a tensor is read as a description of the
// tensor, and any other call in place of a tensor is an error.
//
// Files are memory-mapped, and tensors are views of the mapping. All sizes and offsets
// are checked against the file before memory is allocated.
package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"github.com/edsrzf/mmap-go"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Files returns the names of weight files, preferred ones first.
func Files() []string { return []string{"model" + safetensorsExt, "pytorch_model.bin"} }

const (
	safetensorsExt = ".safetensors"
	// lightningExt is the extension of checkpoints of PyTorch Lightning. Their names are arbitrary.
	lightningExt = ".ckpt"
)

// A Set holds the weights of a model.
type Set struct {
	file    mmap.MMap
	tensors map[string]*Tensor
}

// OpenDir maps the weights in a directory, see Find.
func OpenDir(dir string) (*Set, error) {
	path, err := Find(dir)
	if err != nil {
		return nil, err
	}
	s := new(Set)
	if s.file, err = mapPath(path); err != nil {
		return nil, err
	}
	if s.tensors, err = Parse(path, s.file); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Find returns the path of the weights in a directory: the first of Files that exists, or
// else the only .ckpt file.
func Find(dir string) (string, error) {
	for _, name := range Files() {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == lightningExt {
			names = append(names, e.Name())
		}
	}
	switch len(names) {
	case 0:
		return "", fmt.Errorf("%s: missing %s", dir, strings.Join(Files(), " or "))
	case 1:
		return filepath.Join(dir, names[0]), nil
	}
	return "", fmt.Errorf("%s: ambiguous weights: %s", dir, strings.Join(names, ", "))
}

// Parse returns the tensors of a file by name, as views of data: of a safetensors file if
// its path has that extension, otherwise of a file written by torch.save.
func Parse(path string, data []byte) (tensors map[string]*Tensor, err error) {
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/")) {
		return nil, fmt.Errorf("%s: a pointer of Git LFS, not the file; download it with git lfs pull", path)
	}
	if filepath.Ext(path) == safetensorsExt {
		tensors, err = parseSafetensors(data)
	} else {
		tensors, err = parseTorch(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, t := range tensors {
		t.File = filepath.Base(path)
	}
	return tensors, nil
}

func mapPath(path string) (mmap.MMap, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() == 0: // cannot be mapped
		return nil, fmt.Errorf("%s: file is empty", path)
	case info.Size() > math.MaxInt:
		return nil, fmt.Errorf("%s: file of %d bytes is too large for this system", path, info.Size())
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map: %w", path, err)
	}
	return data, nil
}

// Tensor returns the named tensor, or nil if it does not exist.
func (s *Set) Tensor(name string) *Tensor { return s.tensors[name] }

// Names returns the names of all tensors, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tensors)) }

// Close unmaps the file. Tensors and their values must not be used afterwards.
func (s *Set) Close() error {
	s.tensors = nil
	return s.file.Unmap()
}

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
