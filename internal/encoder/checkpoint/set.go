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
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/edsrzf/mmap-go"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// Files returns the names of weight files, preferred ones first.
func Files() []string { return []string{"model" + safetensorsExt, "pytorch_model.bin"} }

const (
	safetensorsExt = ".safetensors"
	// lightningExt is the extension of checkpoints of PyTorch Lightning. Their names are
	// arbitrary.
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

// mapPath maps the file at path for reading.
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
