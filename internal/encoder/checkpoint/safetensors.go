package checkpoint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
)

// maxHeader is the maximum size of a header in bytes. The reference implementation
// allows 100 MB, which describes a million tensors. Those of encoders have some hundred.
const maxHeader = 2 << 20

// A headerEntry describes a tensor. Offsets are its byte range after the header.
type headerEntry struct {
	DType   *string    `json:"dtype"`
	Shape   []int      `json:"shape"`
	Offsets *[2]uint64 `json:"data_offsets"`
}

// parseSafetensors returns the tensors of a safetensors file as views of data.
//
// The file starts with the length of a JSON header as 8 bytes in little-endian order,
// followed by the header and the bytes of all tensors. As the format requires, every
// byte must belong to exactly one tensor. See https://huggingface.co/docs/safetensors.
func parseSafetensors(data []byte) (map[string]*Tensor, error) {
	const lengthSize = 8
	if len(data) < lengthSize {
		return nil, fmt.Errorf("file of %d bytes has no header", len(data))
	}
	n, data := binary.LittleEndian.Uint64(data), data[lengthSize:]
	if n > maxHeader {
		return nil, fmt.Errorf("not a safetensors file: header length is %d bytes, more than the %d allowed", n, maxHeader)
	}
	if n > uint64(len(data)) {
		return nil, fmt.Errorf("truncated: header of %d bytes, but %d follow", n, len(data))
	}
	var header map[string]headerEntry
	if err := json.Unmarshal(data[:n], &header); err != nil {
		return nil, fmt.Errorf("header: %.500s", err.Error())
	}
	data = data[n:]
	delete(header, "__metadata__")
	for name, e := range header {
		if e.DType == nil || e.Shape == nil || e.Offsets == nil {
			return nil, fmt.Errorf("tensor %.200q: want dtype, shape and data_offsets", name)
		}
		if e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > uint64(len(data)) {
			return nil, fmt.Errorf("tensor %.200q: data_offsets %v exceed the %d bytes of data", name, *e.Offsets, len(data))
		}
	}
	names := slices.SortedFunc(maps.Keys(header), func(a, b string) int {
		return cmp.Or(slices.Compare(header[a].Offsets[:], header[b].Offsets[:]), cmp.Compare(a, b))
	})
	var end uint64
	tensors := make(map[string]*Tensor, len(names))
	for _, name := range names {
		e := header[name]
		if e.Offsets[0] != end {
			return nil, fmt.Errorf("tensor %.200q starts at byte %d of the data, want %d", name, e.Offsets[0], end)
		}
		end = e.Offsets[1]
		var err error
		if tensors[name], err = newTensor(name, *e.DType, e.Shape, data[e.Offsets[0]:end:end]); err != nil {
			return nil, fmt.Errorf("tensor %.200q: %w", name, err)
		}
	}
	if end != uint64(len(data)) {
		return nil, errors.New("bytes follow the last tensor")
	}
	return tensors, nil
}
