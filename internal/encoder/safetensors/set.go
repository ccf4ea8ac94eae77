package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/safefile"
)

// File names of the weights of a model: a single file, or the index of shards.
const (
	SingleFile = "model.safetensors"
	IndexFile  = "model.safetensors.index.json"
)

// maxIndex limits the size of an index in bytes. It allows for hundreds of
// thousands of tensors.
const maxIndex = 64 << 20

// A Set holds the weights of a model from one or more files.
type Set struct {
	files   []*File
	tensors map[string]*Tensor
}

// OpenDir maps the weights in a directory: model.safetensors or else the shards
// that model.safetensors.index.json lists, which must be in the same directory.
func OpenDir(dir string) (*Set, error) {
	f, err := Open(filepath.Join(dir, SingleFile))
	if err == nil {
		return &Set{[]*File{f}, f.tensors}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, indexErr := safefile.ReadFile(filepath.Join(dir, IndexFile), maxIndex)
	if errors.Is(indexErr, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: missing %s or %s", dir, SingleFile, IndexFile)
	}
	if indexErr != nil {
		return nil, indexErr
	}
	s := &Set{tensors: make(map[string]*Tensor)}
	if err := s.openShards(dir, data); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Set) openShards(dir string, index []byte) error {
	path := filepath.Join(dir, IndexFile)
	var list struct {
		WeightMap map[string]string `json:"weight_map"`
	}
	if err := json.Unmarshal(index, &list); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(list.WeightMap) == 0 {
		return fmt.Errorf("%s: weight_map is empty", path)
	}
	shards := make(map[string]*File)
	for _, name := range sortedKeys(list.WeightMap) {
		file := list.WeightMap[name]
		if !isFileName(file) {
			return fmt.Errorf("%s: weight_map: %q: invalid file name %q", path, name, file)
		}
		shard := shards[file]
		if shard == nil {
			var err error
			if shard, err = Open(filepath.Join(dir, file)); err != nil {
				return err
			}
			shards[file], s.files = shard, append(s.files, shard)
		}
		t := shard.Tensor(name)
		if t == nil {
			return fmt.Errorf("%s: missing tensor %q listed in %s", filepath.Join(dir, file), name, IndexFile)
		}
		s.tensors[name] = t
	}
	return nil
}

// isFileName reports whether name, on any operating system, is the name of a
// safetensors file without a directory.
func isFileName(name string) bool {
	return strings.HasSuffix(name, ".safetensors") && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "/\\:\x00")
}

// Tensor returns the named tensor, or nil if it does not exist.
func (s *Set) Tensor(name string) *Tensor { return s.tensors[name] }

// Names returns the names of all tensors, sorted.
func (s *Set) Names() []string { return sortedKeys(s.tensors) }

// Close unmaps all files. Tensors and their values must not be used afterwards.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files, s.tensors = nil, nil
	return errors.Join(errs...)
}
