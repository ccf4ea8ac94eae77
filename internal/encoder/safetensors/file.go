// Package safetensors reads the weights of a model from safetensors files
// without copying them: a file is mapped into memory, and a tensor is a view of
// the mapping.
//
// The format is 8 bytes with the length of a JSON header, least significant
// first, the header, and the bytes of all tensors. The header gives the type,
// the shape and the range of bytes of each tensor. Everything that the header
// says is checked against the size of the file before any memory is taken for
// it, so a file that lies costs no more than the bytes it has.
//
// https://huggingface.co/docs/safetensors describes the format.
package safetensors

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// MaxHeader is the longest header that is read, in bytes. The library that the
// format comes from has the same limit.
const MaxHeader = 100_000_000

// prefix is the number of bytes before the header.
const prefix = 8

// A File is one safetensors file. Its methods are safe for concurrent use, but
// for Close.
type File struct {
	tensors  map[string]*Tensor
	metadata map[string]string
	data     []byte // behind the header
	unmap    func() error
}

// Open maps the file at path and checks its header. Errors name the file, and
// the tensor that is at fault.
func Open(path string) (*File, error) {
	name := filepath.Base(path)
	f, err := safefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, unmap, err := load(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file, err := parse(name, data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	file.unmap = unmap
	return file, nil
}

// Parse is Open for a file that is in memory: tensors are views of data, which
// must not change. The name is for errors.
func Parse(name string, data []byte) (*File, error) {
	file, err := parse(name, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// Close gives back the mapping. No tensor of the file, nor a slice that it
// gave, may be used afterwards.
func (f *File) Close() error {
	unmap := f.unmap
	f.unmap, f.tensors, f.data = func() error { return nil }, nil, nil
	return unmap()
}

// Tensor returns the tensor with that name, nil where there is none.
func (f *File) Tensor(name string) *Tensor { return f.tensors[name] }

// Metadata returns a text of the header's __metadata__ and whether it is there.
func (f *File) Metadata(key string) (string, bool) {
	v, ok := f.metadata[key]
	return v, ok
}

// Data returns what follows the header: the bytes of all tensors.
func (f *File) Data() []byte { return f.data }

// Names returns the names of all tensors, sorted.
func (f *File) Names() []string { return sortedKeys(f.tensors) }

// load maps size bytes of f, or reads them where that is not possible.
func load(f *os.File, size int64) ([]byte, func() error, error) {
	if size < prefix {
		return nil, nil, fmt.Errorf("is %d bytes long, and so has no header", size)
	}
	if size > math.MaxInt {
		return nil, nil, fmt.Errorf("is %d bytes long, more than this system can address", size)
	}
	if data, unmap, err := mapFile(f, int(size)); err == nil {
		return data, unmap, nil
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, fmt.Errorf("read: %w", err)
	}
	return data, func() error { return nil }, nil
}

// parse checks a whole file. Its tensors are views of data.
func parse(name string, data []byte) (*File, error) {
	if len(data) < prefix {
		return nil, fmt.Errorf("is %d bytes long, and so has no header", len(data))
	}
	n, rest := binary.LittleEndian.Uint64(data), data[prefix:]
	if n > MaxHeader {
		return nil, fmt.Errorf("not a safetensors file: it begins with the length of a header of %d bytes, more than the %d allowed", n, MaxHeader)
	}
	if n > uint64(len(rest)) {
		return nil, fmt.Errorf("truncated: header of %d bytes, but %d follow", n, len(rest))
	}
	tensors, texts, err := parseHeader(rest[:n])
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if err := place(tensors, rest[n:]); err != nil {
		return nil, err
	}
	byName := make(map[string]*Tensor, len(tensors))
	for i := range tensors {
		tensors[i].File = name
		byName[tensors[i].Name] = &tensors[i]
	}
	return &File{
		tensors: byName, metadata: texts, data: rest[n:len(rest):len(rest)],
		unmap: func() error { return nil },
	}, nil
}

// place checks the ranges of all tensors and cuts their bytes out of data. The
// format wants every byte to belong to exactly one tensor.
func place(tensors []Tensor, data []byte) error {
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
		if c := compare(tensors[a].begin, tensors[b].begin); c != 0 {
			return c
		}
		return compare(tensors[a].end, tensors[b].end)
	})
	var at uint64
	before := ""
	for _, i := range order {
		switch t := &tensors[i]; {
		case t.begin < at:
			return fmt.Errorf("tensor %q overlaps tensor %q", t.Name, before)
		case t.begin > at:
			return fmt.Errorf("tensor %q begins at byte %d, and bytes from %d on belong to no tensor", t.Name, t.begin, at)
		default:
			at, before = t.end, t.Name
		}
	}
	if at != uint64(len(data)) {
		return fmt.Errorf("%d bytes follow the last tensor", uint64(len(data))-at)
	}
	return nil
}
