package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

// Limits on the tensors of a file. Real models have some hundred tensors of a
// handful of dimensions, and embeddings that up to four tensors share.
const (
	maxTensors = 100_000
	maxRank    = 32
	maxShared  = 16 // size of all tensors, in sizes of the file
)

// OpenTorch maps a file written by torch.save and reads the tensors of its
// dictionary, or of the dictionary state_dict in it, as PyTorch Lightning writes
// them. Nothing in the file is executed. Tensors are views of the file. Those that
// are not contiguous are copied, which takes at most as much memory as the file has
// bytes; misaligned ones, as in the format before PyTorch 1.6, are copied when they
// are used.
func OpenTorch(path string) (*safetensors.File, error) {
	data, unmap, err := safetensors.Map(path)
	if err != nil {
		return nil, err
	}
	tensors, err := parseTorch(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), unmap())
	}
	return safetensors.NewFile(filepath.Base(path), tensors, unmap), nil
}

// parseTorch returns the tensors of a file.
func parseTorch(data []byte) ([]*safetensors.Tensor, error) {
	read := readLegacy
	if isZip(data) {
		read = readZip
	}
	c, err := read(data)
	if err != nil {
		return nil, err
	}
	c.copies, c.size = uint64(len(data)), maxShared*uint64(len(data))
	return c.stateDict()
}

// A content is the content of a file.
type content struct {
	pickle
	storages map[string][]byte // data by key
	copies   uint64            // number of bytes that may still be copied
	size     uint64            // number of bytes that tensors may still have
}

// stateDict returns the tensors of the state dictionary.
func (c *content) stateDict() ([]*safetensors.Tensor, error) {
	dict, err := members(c.root)
	if err != nil {
		return nil, err
	}
	if inner, ok := dict["state_dict"]; ok {
		if dict, err = members(inner); err != nil {
			return nil, fmt.Errorf("state_dict: %w", err)
		}
	}
	var tensors []*safetensors.Tensor
	for _, name := range slices.Sorted(maps.Keys(dict)) {
		o, ok := dict[name].(*object)
		if !ok || o.class == dictClass || o.class == listClass {
			continue // such as a number of steps
		}
		t, err := c.tensor(name, o)
		if err != nil {
			return nil, fmt.Errorf("tensor %.200q: %w", name, err)
		}
		if tensors = append(tensors, t); len(tensors) > maxTensors {
			return nil, fmt.Errorf("more than %d tensors", maxTensors)
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
		return nil, fmt.Errorf("want a dictionary of tensors, got %s", describe(v))
	case o.class == listClass, o.class == setClass, o.class == persistentClass:
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

// tensor returns the tensor that a call creates. The functions are defined in
// https://github.com/pytorch/pytorch/blob/v2.9.1/torch/_utils.py:
//
//	_rebuild_parameter(tensor, …), _rebuild_parameter_with_state(tensor, …)
//	_rebuild_tensor_v2(storage, offset, size, stride, …)
func (c *content) tensor(name string, o *object) (*safetensors.Tensor, error) {
	if strings.HasPrefix(string(o.class), "torch._utils._rebuild_parameter") && len(o.args) > 0 {
		if inner, ok := o.args[0].(*object); ok {
			o = inner
		}
	}
	if o.class != "torch._utils._rebuild_tensor_v2" {
		return nil, callError(o)
	}
	if len(o.args) < 4 {
		return nil, fmt.Errorf("%s has %d arguments, want at least 4", o.class, len(o.args))
	}
	ref, ok := o.args[0].(*object)
	if !ok {
		return nil, fmt.Errorf("want a storage, got %s", describe(o.args[0]))
	}
	s, err := parseStorage(ref)
	if err != nil {
		return nil, err
	}
	data, ok := c.storages[s.key]
	if !ok {
		return nil, fmt.Errorf("storage %.40q does not exist", s.key)
	}
	if high, size := bits.Mul64(s.count, s.width); high > 0 || size != uint64(len(data)) {
		return nil, fmt.Errorf("storage %.40q has %d bytes, want %d values of type %s", s.key, len(data), s.count, s.dtype)
	}
	offset, ok := o.args[1].(int64)
	size, sizeErr := dimensions(o.args[2])
	stride, strideErr := dimensions(o.args[3])
	if err := errors.Join(sizeErr, strideErr); err != nil {
		return nil, err
	}
	if !ok || offset < 0 || len(size) != len(stride) {
		return nil, fmt.Errorf("invalid offset, or shape %v and strides %v", size, stride)
	}
	values, err := c.slice(data, s, uint64(offset), size, stride)
	if err != nil {
		return nil, err
	}
	return safetensors.NewTensor(name, s.dtype, size, values)
}

// dimensions returns the shape or the strides of a tensor.
func dimensions(v any) ([]int, error) {
	if o, ok := v.(*object); ok && o.class == "torch.Size" && len(o.args) == 1 {
		v = o.args[0]
	}
	items, ok := v.(tuple)
	if !ok || len(items) > maxRank {
		return nil, fmt.Errorf("want a tuple of at most %d integers as shape and strides", maxRank)
	}
	numbers := make([]int, len(items))
	for i, item := range items {
		n, ok := item.(int64)
		if !ok || n < 0 || int64(int(n)) != n {
			return nil, fmt.Errorf("want integers as shape and strides, got %s", describe(item))
		}
		numbers[i] = int(n)
	}
	return numbers, nil
}

// A storage is a reference to the values of one or more tensors.
type storage struct {
	dtype string
	width uint64 // size of a value in bytes
	key   string
	count uint64 // number of values
}

// parseStorage parses ("storage", class, key, location, count), to which old
// versions add a view, which is always None in published models.
func parseStorage(o *object) (storage, error) {
	if o.class != persistentClass {
		return storage{}, callError(o)
	}
	if len(o.args) < 5 || o.args[0] != any("storage") || len(o.args) > 5 && o.args[5] != nil {
		return storage{}, errors.New("invalid reference to a storage")
	}
	name, isClass := o.args[1].(class)
	key, isString := o.args[2].(string)
	count, isInt := o.args[4].(int64)
	if !isClass || !isString || !isInt || count < 0 {
		return storage{}, errors.New("invalid reference to a storage")
	}
	dtype, ok := map[class]string{
		"torch.FloatStorage": safetensors.F32, "torch.HalfStorage": safetensors.F16, "torch.BFloat16Storage": safetensors.BF16,
		"torch.CharStorage": "I8", "torch.ByteStorage": "U8", "torch.BoolStorage": "BOOL",
		"torch.ShortStorage": "I16", "torch.IntStorage": "I32", "torch.LongStorage": "I64", "torch.DoubleStorage": "F64",
	}[name]
	if !ok {
		return storage{}, fmt.Errorf("storage of type %s is not supported", name)
	}
	return storage{dtype: dtype, width: safetensors.Width(dtype), key: key, count: uint64(count)}, nil
}

// slice returns the values of a tensor in row-major order. Offset and strides are
// numbers of values. data has s.count values.
func (c *content) slice(data []byte, s storage, offset uint64, size, stride []int) ([]byte, error) {
	if slices.Contains(size, 0) {
		return nil, nil
	}
	// count is the number of values, last the index of the last one.
	count, last, overflow, contiguous := uint64(1), offset, uint64(0), true
	for i, n := range slices.Backward(size) {
		contiguous = contiguous && (n == 1 || uint64(stride[i]) == count)
		high, span := bits.Mul64(uint64(n-1), uint64(stride[i]))
		sum, carry := bits.Add64(last, span, 0)
		product, values := bits.Mul64(count, uint64(n))
		overflow |= high | carry | product
		count, last = values, sum
	}
	if overflow > 0 || last >= s.count {
		return nil, fmt.Errorf("offset %d, shape %v and strides %v exceed the storage of %d values", offset, size, stride, s.count)
	}
	high, n := bits.Mul64(count, s.width)
	if contiguous && n > c.size {
		return nil, fmt.Errorf("tensors that share values have more than %d times the size of the file", maxShared)
	}
	if contiguous {
		c.size -= n
		return data[offset*s.width : (last+1)*s.width : (last+1)*s.width], nil
	}
	if high > 0 || n > c.copies {
		return nil, errors.New("tensors that are not contiguous are larger than the file")
	}
	c.copies -= n
	values := make([]byte, 0, n)
	return gather(values, data, int(s.width), int(offset), size, stride), nil
}

// gather appends the values of a tensor to dst.
func gather(dst, data []byte, width, offset int, size, stride []int) []byte {
	if len(size) == 0 {
		return append(dst, data[offset*width:][:width]...)
	}
	for i := range size[0] {
		dst = gather(dst, data, width, offset+i*stride[0], size[1:], stride[1:])
	}
	return dst
}
