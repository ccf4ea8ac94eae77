// Package checkpoint opens the weights of a model as they are published: in
// safetensors files or in files written by torch.save, each also in several shards.
//
// Files of torch.save contain a pickle, a program that Python runs to create the
// objects in it. This package interprets its instructions, but never calls what it
// names: a call of a function that creates a tensor is read as a description of the
// tensor, and any other call in place of a tensor is an error. All sizes and offsets
// are checked against the file before memory is allocated.
package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A Format is a kind of weight file in a model directory.
type Format struct {
	File  string // name of a single file
	Index string // name of the index of shards
	Ext   string // extension of both kinds of files
	open  func(path string) (*safetensors.File, error)
}

// Formats returns the supported formats, preferred ones first.
func Formats() []Format {
	return []Format{
		{"model.safetensors", "model.safetensors.index.json", ".safetensors", safetensors.Open},
		{"pytorch_model.bin", "pytorch_model.bin.index.json", ".bin", OpenTorch},
	}
}

// lightningExt is the extension of checkpoints of PyTorch Lightning. Their names
// are arbitrary.
const lightningExt = ".ckpt"

// maxIndex limits the size of an index in bytes. It allows for tens of
// thousands of tensors.
const maxIndex = 8 << 20

// A Set holds the weights of a model from one or more files.
type Set struct {
	files   []*safetensors.File
	tensors map[string]*safetensors.Tensor
}

// OpenDir maps the weights in a directory: a single file or the shards of an index
// in one of Formats, or else the only .ckpt file. Shards must be in the same
// directory.
func OpenDir(dir string) (*Set, error) {
	s := &Set{tensors: make(map[string]*safetensors.Tensor)}
	if err := s.openDir(dir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Set) openDir(dir string) error {
	for _, f := range Formats() {
		err := s.openFile(f.open, filepath.Join(dir, f.File))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		index, err := safefile.ReadFile(filepath.Join(dir, f.Index), maxIndex)
		if err == nil {
			return s.openShards(f, dir, index)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == lightningExt {
			names = append(names, e.Name())
		}
	}
	switch len(names) {
	case 0:
		return fmt.Errorf("%s: missing model.safetensors, pytorch_model.bin or an index of shards", dir)
	case 1:
		return s.openFile(OpenTorch, filepath.Join(dir, names[0]))
	}
	return fmt.Errorf("%s: ambiguous weights: %s", dir, strings.Join(names, ", "))
}

func (s *Set) openFile(open func(string) (*safetensors.File, error), path string) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	for _, name := range f.Names() {
		s.tensors[name] = f.Tensor(name)
	}
	return nil
}

func (s *Set) openShards(format Format, dir string, index []byte) error {
	path := filepath.Join(dir, format.Index)
	var list struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(index, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(list.WeightMap) == 0 {
		return fmt.Errorf("%s: weight_map is empty", path)
	}
	shards := make(map[string]*safetensors.File)
	for _, name := range slices.Sorted(maps.Keys(list.WeightMap)) {
		file := list.WeightMap[name]
		if !format.isShard(file) {
			return fmt.Errorf("%s: weight_map: %q: invalid file name %q", path, name, file)
		}
		shard := shards[file]
		if shard == nil {
			var err error
			if shard, err = format.open(filepath.Join(dir, file)); err != nil {
				return err
			}
			shards[file], s.files = shard, append(s.files, shard)
		}
		t := shard.Tensor(name)
		if t == nil {
			return fmt.Errorf("%s: missing tensor %q listed in %s", filepath.Join(dir, file), name, format.Index)
		}
		s.tensors[name] = t
	}
	return nil
}

// isShard reports whether name, on any operating system, is the name of a file of
// the format without a directory.
func (f Format) isShard(name string) bool {
	return strings.HasSuffix(name, f.Ext) && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "/\\:\x00")
}

// Tensor returns the named tensor, or nil if it does not exist.
func (s *Set) Tensor(name string) *safetensors.Tensor { return s.tensors[name] }

// Names returns the names of all tensors, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tensors)) }

// Close unmaps all files. Tensors and their values must not be used afterwards.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files, s.tensors = nil, nil
	return errors.Join(errs...)
}
