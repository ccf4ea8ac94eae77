// Package safetensors reads model weights from safetensors files without copying
// them: files are memory-mapped, and tensors are views of the mapping.
//
// A file starts with the length of a JSON header as 8 bytes in little-endian
// order, followed by the header and the bytes of all tensors. The header describes
// the type, shape and byte range of each tensor. It is checked against the size of
// the file before memory is allocated, so a malicious header cannot cause large
// allocations.
//
// See https://huggingface.co/docs/safetensors for the format.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// MaxHeader is the maximum size of a header in bytes. The reference implementation
// allows 100 MB, which takes seconds to parse, but describes a million tensors. Each
// shard of a model describes some thousand at most.
const MaxHeader = 16 << 20

// lengthSize is the size of the header length in bytes.
const lengthSize = 8

// A File is a safetensors file. Its methods except Close are safe for concurrent
// use.
type File struct {
	tensors map[string]*Tensor
	unmap   func() error
}

// Open maps the file at path and checks its header.
func Open(path string) (*File, error) {
	data, unmap, err := Map(path)
	if err != nil {
		return nil, err
	}
	file, err := Parse(filepath.Base(path), data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	file.unmap = unmap
	return file, nil
}

// NewFile returns a file of another format, whose base name is name. Close calls
// unmap.
func NewFile(name string, tensors []*Tensor, unmap func() error) *File {
	f := &File{tensors: make(map[string]*Tensor, len(tensors)), unmap: unmap}
	for _, t := range tensors {
		t.File, f.tensors[t.Name] = name, t
	}
	return f
}

// Close unmaps the file. Its tensors and their values must not be used afterwards.
func (f *File) Close() error {
	unmap := f.unmap
	f.unmap, f.tensors = func() error { return nil }, nil
	return unmap()
}

// Tensor returns the named tensor, or nil if it does not exist.
func (f *File) Tensor(name string) *Tensor { return f.tensors[name] }

// Names returns the names of all tensors, sorted.
func (f *File) Names() []string { return sortedKeys(f.tensors) }

// Map maps the file at path for reading, or reads it if mapping is not possible.
// The data must not be used after a call of unmap.
func Map(path string) (data []byte, unmap func() error, err error) {
	f, err := safefile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	size := info.Size()
	if size > math.MaxInt {
		return nil, nil, fmt.Errorf("%s: file of %d bytes is too large for this system", path, size)
	}
	if size > 0 { // an empty file cannot be mapped
		// Reading a file instead if memory is short would need even more memory.
		data, unmap, err := mapFile(f, int(size))
		if err == nil {
			return data, unmap, nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			return nil, nil, fmt.Errorf("%s: map: %w", path, err)
		}
	}
	data = make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, fmt.Errorf("%s: read: %w", path, err)
	}
	return data, func() error { return nil }, nil
}

// Parse parses a file named name. Tensors are views of data.
func Parse(name string, data []byte) (*File, error) {
	if len(data) < lengthSize {
		return nil, fmt.Errorf("file of %d bytes has no header", len(data))
	}
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/")) {
		return nil, errors.New("a pointer of Git LFS, not the file; download it with git lfs pull")
	}
	n, rest := binary.LittleEndian.Uint64(data), data[lengthSize:]
	if n > MaxHeader {
		return nil, fmt.Errorf("not a safetensors file: header length is %d bytes, more than the %d allowed", n, MaxHeader)
	}
	if n > uint64(len(rest)) {
		return nil, fmt.Errorf("truncated: header of %d bytes, but %d follow", n, len(rest))
	}
	tensors, err := parseHeader(rest[:n])
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := assignData(tensors, rest[n:]); err != nil {
		return nil, err
	}
	byName := make(map[string]*Tensor, len(tensors))
	for i := range tensors {
		tensors[i].File = name
		byName[tensors[i].Name] = &tensors[i]
	}
	return &File{tensors: byName, unmap: func() error { return nil }}, nil
}

// assignData sets the data of all tensors after checking their byte ranges. As the
// format requires, every byte must belong to exactly one tensor.
func assignData(tensors []Tensor, data []byte) error {
	order := make([]int, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		if err := t.checkRange(uint64(len(data))); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		t.data = data[t.begin:t.end:t.end]
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(tensors[a].begin, tensors[b].begin), cmp.Compare(tensors[a].end, tensors[b].end))
	})
	var end uint64
	previous := ""
	for _, i := range order {
		switch t := &tensors[i]; {
		case t.begin < end:
			return fmt.Errorf("tensor %q overlaps tensor %q", t.Name, previous)
		case t.begin > end:
			return fmt.Errorf("bytes %d to %d before tensor %q belong to no tensor", end, t.begin, t.Name)
		default:
			end, previous = t.end, t.Name
		}
	}
	if end != uint64(len(data)) {
		return fmt.Errorf("%d bytes follow the last tensor", uint64(len(data))-end)
	}
	return nil
}
