package greedy

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// A Weight is the weight of a feature for a class.
type Weight struct {
	Class uint8 // less than 128
	Value int16 // -256 to 255
}

// Weights has the nonzero weights of each feature, by key.
type Weights map[uint32][]Weight

// scorer computes the scores of classes from features.
type scorer struct {
	table  *Table   // values are places in packed, or for up to three classes the weights themselves
	packed []uint16 // weights of a feature from its value in the table: 7 bits of class, 9 bits of weight; ends with 0
}

// scores adds the weights of all features to sum, which has one place per class. The
// weight 0 of class 0 ends a list, so it can't occur in one.
func (s *scorer) scores(features []uint32, sum []int32) {
	clear(sum)
	var found [maxFeatures]uint32
	for _, at := range s.table.lookup(features, &found) {
		for _, v := range s.packed[at:] {
			if v == 0 {
				break
			}
			sum[v&127] += int32(int16(v)) >> 7
		}
	}
}

// actions adds the weights of all features for actions: three weights of 10 bits, each
// plus 512, from the lowest bits up.
func (s *scorer) actions(features []uint32) (sum [Actions]int32) {
	var values [maxFeatures]uint32
	found := s.table.lookup(features, &values)
	total := uint64(0) // lanes of 20 bits
	for _, v := range found {
		total += uint64(v&1023) | uint64(v>>10&1023)<<20 | uint64(v>>20)<<40
	}
	for a := range sum {
		sum[a] = int32(total>>(20*a)&(1<<20-1)) - int32(512*len(found))
	}
	return sum
}

// A Model has what tagging and parsing need. It is immutable.
type Model struct {
	Tags      []string // universal part of speech and Penn tag, separated by "|"; the first is empty
	Relations []string // the first is root

	classes            *Table
	tag, action, label scorer
}

// File is the content of a model file.
type File struct {
	Tags, Relations    []string
	Classes            map[uint32]uint32 // values of forms by FormKey, see ClassValue
	Tag, Action, Label Weights
}

const magic = "RFSYNTAX1"

// Bytes encodes a file. Keys are in ascending order and stored as differences.
func (f *File) Bytes() []byte {
	b := []byte(magic)
	for _, list := range [][]string{f.Tags, f.Relations} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	b = appendKeys(b, f.Classes)
	for _, key := range sortedKeys(f.Classes) {
		b = binary.AppendUvarint(b, uint64(f.Classes[key]))
	}
	for _, w := range []Weights{f.Tag, f.Action, f.Label} {
		b = appendKeys(b, w)
		keys := sortedKeys(w)
		// Counts, classes and values apart compress better.
		for _, key := range keys {
			b = binary.AppendUvarint(b, uint64(len(w[key])))
		}
		for _, key := range keys {
			for _, v := range w[key] {
				b = append(b, v.Class)
			}
		}
		for _, key := range keys {
			for _, v := range w[key] {
				b = binary.AppendVarint(b, int64(v.Value))
			}
		}
	}
	return b
}

func sortedKeys[V any](m map[uint32]V) []uint32 {
	keys := make([]uint32, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, cmp.Compare[uint32])
	return keys
}

func appendKeys[V any](b []byte, m map[uint32]V) []byte {
	b = binary.AppendUvarint(b, uint64(len(m)))
	last := uint32(0)
	for _, key := range sortedKeys(m) {
		b = binary.AppendUvarint(b, uint64(key-last))
		last = key
	}
	return b
}

// NewModel decodes a model file.
func NewModel(data []byte) (*Model, error) {
	r := reader{data: data}
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("not a model of tags and dependencies")
	}
	r.data = r.data[len(magic):]
	m := &Model{Tags: r.strings(), Relations: r.strings()}
	keys := r.keys()
	classes := make(map[uint32]uint32, len(keys))
	for _, key := range keys {
		classes[key] = uint32(r.uvarint())
	}
	r.scorer(&m.tag, false)
	r.scorer(&m.action, true)
	r.scorer(&m.label, false)
	if r.err != nil || len(r.data) > 0 {
		return nil, fmt.Errorf("model of tags and dependencies: damaged, %d bytes left", len(r.data))
	}
	m.classes = NewClasses(classes)
	return m, nil
}

// reader decodes the format of Bytes. After an error it returns zeros.
type reader struct {
	data []byte
	err  error
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.err, r.data = errors.New("truncated"), nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a number of things that take at least a byte each.
func (r *reader) count() int {
	n := r.uvarint()
	if n > uint64(len(r.data)) {
		r.err, r.data = errors.New("truncated"), nil
		return 0
	}
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.err, r.data = errors.New("truncated"), nil
		return make([]byte, n)
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) strings() []string {
	list := make([]string, r.count())
	for i := range list {
		list[i] = string(r.bytes(r.count()))
	}
	return list
}

func (r *reader) keys() []uint32 {
	keys := make([]uint32, r.count())
	last := uint32(0)
	for i := range keys {
		last += uint32(r.uvarint())
		keys[i] = last
	}
	return keys
}

// scorer reads weights; few says that they are for actions.
func (r *reader) scorer(s *scorer, few bool) {
	keys := r.keys()
	counts := make([]int, len(keys))
	total := 0
	for i := range counts {
		counts[i] = r.count()
		total += counts[i]
	}
	if total > len(r.data) {
		r.err, r.data, total = errors.New("truncated"), nil, 0
		clear(counts)
	}
	classes := r.bytes(total)
	values := make([]uint32, len(keys))
	if !few {
		s.packed = make([]uint16, 1, 1+total+len(keys))
	}
	for i := range values {
		at, three := uint32(len(s.packed)), uint32(512|512<<10|512<<20)
		for range counts[i] {
			v := r.uvarint()
			value := int64(v>>1) ^ -int64(v&1)
			if few {
				three += uint32(value) << (10 * (classes[0] % uint8(Actions)))
			} else {
				s.packed = append(s.packed, uint16(value<<7)|uint16(classes[0]&127))
			}
			classes = classes[1:]
		}
		if few {
			values[i] = three
			continue
		}
		s.packed = append(s.packed, 0)
		values[i] = at
	}
	s.table = NewTable(keys, values)
}
