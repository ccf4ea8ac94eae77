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

// The names that the weights of a model have in its folder: one file, or a list
// of the shards that they are cut into.
const (
	SingleFile = "model.safetensors"
	IndexFile  = "model.safetensors.index.json"
)

// maxIndex is the longest list of shards that is read, in bytes: hundreds of
// thousands of tensors.
const maxIndex = 64 << 20

// A Set is the weights of a model, in one file or several.
type Set struct {
	files   []*File
	tensors map[string]*Tensor
}

// OpenDir maps the weights in a folder: model.safetensors, or else the shards
// that model.safetensors.index.json lists. Shards must lie in the same folder.
func OpenDir(dir string) (*Set, error) {
	f, err := Open(filepath.Join(dir, SingleFile))
	if err == nil {
		return &Set{[]*File{f}, f.tensors}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, indexErr := readIndex(filepath.Join(dir, IndexFile))
	if errors.Is(indexErr, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has neither %s nor %s", dir, SingleFile, IndexFile)
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

func readIndex(path string) ([]byte, error) {
	return safefile.ReadFile(path, maxIndex)
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
		return fmt.Errorf("%s: weight_map lists no tensor", path)
	}
	shards := make(map[string]*File)
	for _, name := range sortedKeys(list.WeightMap) {
		file := list.WeightMap[name]
		if !plain(file) {
			return fmt.Errorf("%s: weight_map: %q: %q is not the name of a file in this folder", path, name, file)
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
			return fmt.Errorf("%s: tensor %q is missing, though %s says that it is there", filepath.Join(dir, file), name, IndexFile)
		}
		s.tensors[name] = t
	}
	return nil
}

// plain tells whether name can only be that of a file in the folder itself, on
// any operating system.
func plain(name string) bool {
	return strings.HasSuffix(name, ".safetensors") && !strings.HasPrefix(name, ".") &&
		!strings.ContainsAny(name, "/\\:\x00")
}

// Tensor returns the tensor with that name, nil where there is none.
func (s *Set) Tensor(name string) *Tensor { return s.tensors[name] }

// Names returns the names of all tensors, sorted.
func (s *Set) Names() []string { return sortedKeys(s.tensors) }

// Close gives back all mappings. No tensor of the set, nor a slice that it
// gave, may be used afterwards.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	s.files, s.tensors = nil, nil
	return errors.Join(errs...)
}
