// Package checkpoint opens the weights of a model as they are published: in
// safetensors files or in files written by torch.save, each also in several shards.
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
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/edsrzf/mmap-go"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A parser returns the tensors of a file by name, as views of data.
type parser func(data []byte) (map[string]*Tensor, error)

// A Format is a kind of weight file in a model directory.
type Format struct {
	File  string // name of a single file
	Index string // name of the index of shards
	Ext   string // extension of both kinds of files
	parse parser
}

// Formats returns the supported formats, preferred ones first.
func Formats() []Format {
	return []Format{
		{"model.safetensors", "model.safetensors.index.json", ".safetensors", parseSafetensors},
		{"pytorch_model.bin", "pytorch_model.bin.index.json", ".bin", parseTorch},
	}
}

// lightningExt is the extension of checkpoints of PyTorch Lightning. Their names
// are arbitrary.
const lightningExt = ".ckpt"

// maxIndex limits the size of an index in bytes. It allows for tens of
// thousands of tensors.
const maxIndex = 8 << 20

// maxFileName is the maximum length of the name of a shard in bytes.
const maxFileName = 200

// A Set holds the weights of a model from one or more files.
type Set struct {
	files   []mmap.MMap
	tensors map[string]*Tensor
}

// OpenDir maps the weights in a directory: a single file or the shards of an index
// in one of Formats, or else the only .ckpt file. Shards must be in the same
// directory.
func OpenDir(dir string) (*Set, error) {
	s := &Set{tensors: make(map[string]*Tensor)}
	if err := s.openDir(dir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Set) openDir(dir string) error {
	for _, f := range Formats() {
		err := s.openFile(f.parse, filepath.Join(dir, f.File))
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
		return s.openFile(parseTorch, filepath.Join(dir, names[0]))
	}
	return fmt.Errorf("%s: ambiguous weights: %s", dir, strings.Join(names, ", "))
}

// openFile adds all tensors of a file.
func (s *Set) openFile(parse parser, path string) error {
	tensors, err := s.mapFile(parse, path)
	maps.Copy(s.tensors, tensors)
	return err
}

// mapFile returns the tensors of a file by name. The file stays mapped until Close.
func (s *Set) mapFile(parse parser, path string) (map[string]*Tensor, error) {
	data, err := mapPath(path)
	if err != nil {
		return nil, err
	}
	s.files = append(s.files, data)
	if bytes.HasPrefix(data, []byte("version https://git-lfs.github.com/")) {
		return nil, fmt.Errorf("%s: a pointer of Git LFS, not the file; download it with git lfs pull", path)
	}
	return parseFile(parse, path, data)
}

// parseFile returns the tensors of a file by name. Errors name the file.
func parseFile(parse parser, path string, data []byte) (map[string]*Tensor, error) {
	tensors, err := parse(data)
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

func (s *Set) openShards(format Format, dir string, index []byte) error {
	path := filepath.Join(dir, format.Index)
	files, err := format.ParseIndex(index)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	shards := make(map[string]map[string]*Tensor)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		if shards[file] == nil {
			if shards[file], err = s.mapFile(format.parse, filepath.Join(dir, file)); err != nil {
				return err
			}
		}
		t := shards[file][name]
		if t == nil {
			return fmt.Errorf("%s: missing tensor %q listed in %s", filepath.Join(dir, file), name, format.Index)
		}
		s.tensors[name] = t
	}
	return nil
}

// ParseIndex returns the file of each tensor in an index of shards:
// {"weight_map":{TENSOR:FILE}}. The names are valid on any operating system and have no
// directory.
func (f *Format) ParseIndex(data []byte) (map[string]string, error) {
	var index struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, err
	}
	if len(index.WeightMap) == 0 {
		return nil, errors.New("weight_map is empty")
	}
	for name, file := range index.WeightMap {
		if !strings.HasSuffix(file, f.Ext) || strings.HasPrefix(file, ".") || len(file) > maxFileName ||
			strings.ContainsAny(file, `/\:`) || strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, fmt.Errorf("weight_map: %.100q: invalid file name %.200q", name, file)
		}
	}
	return index.WeightMap, nil
}

// Tensor returns the named tensor, or nil if it does not exist.
func (s *Set) Tensor(name string) *Tensor { return s.tensors[name] }

// Names returns the names of all tensors, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tensors)) }

// Close unmaps all files. Tensors and their values must not be used afterwards.
func (s *Set) Close() error {
	var errs []error
	for i := range s.files {
		errs = append(errs, s.files[i].Unmap())
	}
	s.files, s.tensors = nil, nil
	return errors.Join(errs...)
}
