package checkpoint

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
)

// parseTorch returns the tensors of the dictionary in a file written by torch.save, or
// of the dictionary state_dict in it, as PyTorch Lightning writes them. Nothing in the
// file is executed. Tensors are views of the file.
func parseTorch(data []byte) (map[string]*Tensor, error) {
	c, err := readZip(data)
	if err != nil {
		return nil, err
	}
	dict, err := members(c.root)
	if err != nil {
		return nil, err
	}
	if inner, ok := dict["state_dict"]; ok {
		if dict, err = members(inner); err != nil {
			return nil, fmt.Errorf("state_dict: %w", err)
		}
	}
	tensors := make(map[string]*Tensor)
	for _, name := range slices.Sorted(maps.Keys(dict)) {
		o, ok := dict[name].(*object)
		if !ok || o.class == dictClass || o.class == listClass {
			continue // such as a number of steps
		}
		if tensors[name], err = c.tensor(name, o); err != nil {
			return nil, fmt.Errorf("tensor %.200q: %w", name, err)
		}
	}
	if len(tensors) == 0 {
		return nil, errors.New("no tensors")
	}
	return tensors, nil
}

// members returns the members of a dictionary that have a string as key. Of equal
// keys, the last one is used.
func members(v any) (map[string]any, error) {
	o, ok := v.(*object)
	switch {
	case !ok:
		return nil, errors.New("want a dictionary of tensors")
	case o.class == listClass, o.class == persistentClass:
		return nil, fmt.Errorf("want a dictionary of tensors, got a %s", o.class)
	case o.class != dictClass && o.class != "collections.OrderedDict":
		return nil, callError(o)
	case len(o.args) > 0: // a copy of another value
		return nil, errors.New("want a dictionary of tensors, got an OrderedDict with arguments")
	}
	dict := make(map[string]any)
	for pair := range slices.Chunk(o.items, 2) {
		if key, ok := pair[0].(string); ok && len(pair) == 2 {
			dict[key] = pair[1]
		}
	}
	return dict, nil
}

func callError(o *object) error {
	if !strings.Contains(string(o.class), ".") {
		return fmt.Errorf("want a tensor, got a %s", o.class)
	}
	return fmt.Errorf("the pickle calls %s, which ragfaith does not run", o.class)
}

// tensor returns the tensor that a call of _rebuild_tensor_v2(storage, offset, size,
// stride, …) creates. The function is defined in
// https://github.com/pytorch/pytorch/blob/v2.9.1/torch/_utils.py.
func (c *content) tensor(name string, o *object) (*Tensor, error) {
	if o.class != "torch._utils._rebuild_tensor_v2" {
		return nil, callError(o)
	}
	if len(o.args) < 4 {
		return nil, fmt.Errorf("%s has %d arguments, want at least 4", o.class, len(o.args))
	}
	ref, ok := o.args[0].(*object)
	if !ok {
		return nil, errors.New("want a storage")
	}
	s, err := parseStorage(ref)
	if err != nil {
		return nil, err
	}
	data, ok := c.storages[s.key]
	if !ok {
		return nil, fmt.Errorf("storage %.40q does not exist", s.key)
	}
	if high, size := bits.Mul64(s.count, width(s.dtype)); high > 0 || size != uint64(len(data)) {
		return nil, fmt.Errorf("storage %.40q has %d bytes, want %d values of type %s", s.key, len(data), s.count, s.dtype)
	}
	offset, ok := o.args[1].(int64)
	size, sizeErr := dimensions(o.args[2])
	stride, strideErr := dimensions(o.args[3])
	if err := cmp.Or(sizeErr, strideErr); err != nil {
		return nil, err
	}
	if !ok || offset < 0 || len(size) != len(stride) {
		return nil, fmt.Errorf("invalid offset, or shape %v and strides %v", size, stride)
	}
	values, err := c.slice(data, s, uint64(offset), size, stride)
	if err != nil {
		return nil, err
	}
	return newTensor(name, s.dtype, size, values)
}

// dimensions returns the shape or the strides of a tensor.
func dimensions(v any) ([]int, error) {
	items, ok := v.(tuple)
	if !ok || len(items) > maxRank {
		return nil, fmt.Errorf("want a tuple of at most %d integers as shape and strides", maxRank)
	}
	numbers := make([]int, len(items))
	for i, item := range items {
		n, ok := item.(int64)
		if !ok || n < 0 || int64(int(n)) != n {
			return nil, errors.New("want integers of at least 0 as shape and strides")
		}
		numbers[i] = int(n)
	}
	return numbers, nil
}

// A storage is a reference to the values of one or more tensors.
type storage struct {
	dtype string
	key   string
	count uint64 // number of values
}

// parseStorage parses ("storage", class, key, location, count).
func parseStorage(o *object) (storage, error) {
	if o.class != persistentClass {
		return storage{}, callError(o)
	}
	if len(o.args) != 5 || o.args[0] != any("storage") {
		return storage{}, errors.New("invalid reference to a storage")
	}
	name, isClass := o.args[1].(class)
	key, isString := o.args[2].(string)
	count, isInt := o.args[4].(int64)
	if !isClass || !isString || !isInt || count < 0 {
		return storage{}, errors.New("invalid reference to a storage")
	}
	dtype, ok := map[class]string{
		"torch.FloatStorage": F32, "torch.HalfStorage": F16, "torch.BFloat16Storage": BF16,
		"torch.CharStorage": I8, "torch.ByteStorage": "U8", "torch.BoolStorage": "BOOL",
		"torch.ShortStorage": "I16", "torch.IntStorage": "I32", "torch.LongStorage": "I64", "torch.DoubleStorage": "F64",
	}[name]
	if !ok {
		return storage{}, fmt.Errorf("storage of type %s is not supported", name)
	}
	return storage{dtype: dtype, key: key, count: uint64(count)}, nil
}

// slice returns the values of a tensor, which must be contiguous. Offset and strides are
// numbers of values. data has s.count values.
func (c *content) slice(data []byte, s storage, offset uint64, size, stride []int) ([]byte, error) {
	if slices.Contains(size, 0) {
		return nil, nil
	}
	count, overflow := uint64(1), uint64(0)
	for i, n := range slices.Backward(size) {
		if n != 1 && uint64(stride[i]) != count {
			return nil, errors.New("is not contiguous: save it again after contiguous()")
		}
		var high uint64
		high, count = bits.Mul64(count, uint64(n))
		overflow |= high
	}
	if overflow > 0 || count > s.count || offset > s.count-count {
		return nil, fmt.Errorf("offset %d and shape %v exceed the storage of %d values", offset, size, s.count)
	}
	valueSize := width(s.dtype)
	n := count * valueSize
	if n > c.remaining {
		return nil, fmt.Errorf("tensors that share values have more than %d times the size of the file", maxShared)
	}
	c.remaining -= n
	return data[offset*valueSize:][:n:n], nil
}

// maxDirectory limits how many bytes of the directory of a zip archive are read,
// and so the memory for its entries. Each tensor needs some hundred bytes.
const maxDirectory = 16 << 20

// maxShared limits the size of all tensors, in sizes of the file. Real models have
// embeddings that up to four tensors share.
const maxShared = 16

// A content is the content of a file.
type content struct {
	root      any
	storages  map[string][]byte // data by key
	remaining uint64            // bytes that tensors may still use
}

// readZip reads the format of PyTorch 1.6 and later: a zip archive of uncompressed
// files, of which NAME/data.pkl is a pickle, and NAME/data/KEY are storages. Files
// are only looked up by name; none is written.
func readZip(data []byte) (*content, error) {
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return nil, errors.New("not a file written by torch.save of PyTorch 1.6 or later")
	}
	entries, err := zipEntries(data)
	if err != nil {
		return nil, fmt.Errorf("zip archive: %w", err)
	}
	var prefixes []string
	for name := range entries {
		if prefix, ok := strings.CutSuffix(name, "/data.pkl"); ok && !strings.Contains(prefix, "/") {
			prefixes = append(prefixes, prefix+"/")
		}
	}
	if len(prefixes) != 1 {
		return nil, fmt.Errorf("want one data.pkl in the zip archive, got %d", len(prefixes))
	}
	prefix := prefixes[0]
	if order, ok := entries[prefix+"byteorder"]; ok && string(order) != "little" {
		return nil, fmt.Errorf("byte order %.20q is not supported", order)
	}
	root, err := readPickle(entries[prefix+"data.pkl"])
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	c := &content{root: root, storages: make(map[string][]byte), remaining: maxShared * uint64(len(data))}
	for name, data := range entries {
		if key, ok := strings.CutPrefix(name, prefix+"data/"); ok {
			c.storages[key] = data
		}
	}
	return c, nil
}

// zipEntries returns the contents of the files in an archive by name. They must be
// stored without compression and within the archive.
func zipEntries(data []byte) (map[string][]byte, error) {
	r, err := zip.NewReader(&limitedReader{bytes.NewReader(data), maxDirectory}, int64(len(data)))
	if err != nil {
		return nil, err
	}
	entries := make(map[string][]byte, len(r.File))
	for _, f := range r.File {
		const encrypted = 1
		if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 || f.Flags&encrypted != 0 {
			return nil, fmt.Errorf("%.100q is compressed or encrypted", f.Name)
		}
		if _, ok := entries[f.Name]; ok {
			return nil, fmt.Errorf("%.100q exists twice", f.Name)
		}
		start, err := f.DataOffset()
		if err != nil {
			return nil, fmt.Errorf("%.100q: %w", f.Name, err)
		}
		if start < 0 || start > int64(len(data)) || f.UncompressedSize64 > uint64(len(data))-uint64(start) {
			return nil, fmt.Errorf("%.100q exceeds the archive", f.Name)
		}
		entries[f.Name] = data[start:][:f.UncompressedSize64:f.UncompressedSize64]
	}
	return entries, nil
}

// A limitedReader fails after reading a number of bytes.
type limitedReader struct {
	io.ReaderAt
	left int
}

// ReadAt implements io.ReaderAt.
func (r *limitedReader) ReadAt(p []byte, off int64) (int, error) {
	if len(p) > r.left {
		return 0, fmt.Errorf("directory is larger than %d bytes", maxDirectory)
	}
	r.left -= len(p)
	return r.ReaderAt.ReadAt(p, off)
}
