package greedy

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
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

const magic = "RFSYNTAX2"

// Bytes encodes a file. Keys are in the order of a [Table], so that reading fills it from
// start to end, and stored as differences.
func (f *File) Bytes() []byte {
	b := []byte(magic)
	for _, list := range [][]string{f.Tags, f.Relations} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	b, keys := appendKeys(b, f.Classes)
	values := make([]uint32, len(keys))
	for i, key := range keys {
		values[i] = f.Classes[key]
	}
	b = appendBytes(b, values, classBytes)
	for _, w := range []Weights{f.Tag, f.Action, f.Label} {
		b, keys = appendKeys(b, w)
		var counts, classes, values []uint32
		for _, key := range keys {
			counts = append(counts, uint32(len(w[key])))
			for _, v := range w[key] {
				classes = append(classes, uint32(v.Class))
				values = append(values, uint32(v.Value+offset))
			}
		}
		b = appendBytes(b, counts, 1)
		b = appendBytes(b, classes, 1)
		b = appendBytes(b, values, 2)
	}
	return b
}

const (
	classBytes = 3   // of a value of the table of classes, without clusters
	offset     = 256 // added to weights
)

// appendBytes appends the lowest bytes of all numbers, then the next ones, n in all. This
// compresses well and is fast to read.
func appendBytes(b []byte, numbers []uint32, n int) []byte {
	for i := range n {
		for _, v := range numbers {
			b = append(b, byte(v>>(8*i)))
		}
	}
	return b
}

// appendKeys appends the keys of a map and returns them in their order.
func appendKeys[V any](b []byte, m map[uint32]V) (data []byte, keys []uint32) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(k, l uint32) int { return cmp.Compare(permute(k), permute(l)) })
	differences := make([]uint32, len(keys))
	last := uint32(0)
	for i, key := range keys {
		differences[i] = permute(key) - last
		last = permute(key)
	}
	return appendBytes(binary.AppendUvarint(b, uint64(len(keys))), differences, 4), keys
}

// NewModel decodes a model file.
func NewModel(data []byte) (*Model, error) {
	r := reader{data: data}
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("not a model of tags and dependencies")
	}
	r.data = r.data[len(magic):]
	m := &Model{Tags: r.strings(), Relations: r.strings()}
	build := []func(){r.classes(m), r.scorer(&m.tag, false), r.scorer(&m.action, true), r.scorer(&m.label, false)}
	if r.err != nil || len(r.data) > 0 {
		return nil, fmt.Errorf("model of tags and dependencies: damaged, %d bytes left", len(r.data))
	}
	var building sync.WaitGroup
	for _, f := range build {
		building.Go(f)
	}
	building.Wait()
	return m, nil
}

// reader decodes the format of Bytes. After an error it returns zeros.
type reader struct {
	data []byte
	err  error
}

// count reads a number of things that take at least a byte each.
func (r *reader) count() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > uint64(len(r.data)-n) {
		r.err, r.data = errors.New("truncated"), nil
		return 0
	}
	r.data = r.data[n:]
	return int(v)
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

// numbers decodes what appendBytes appends.
func numbers(data []byte, size int) []uint32 {
	list := make([]uint32, len(data)/size)
	for i := range size {
		for k, b := range data[i*len(list) : (i+1)*len(list)] {
			list[k] |= uint32(b) << (8 * i)
		}
	}
	return list
}

// keys decodes what appendKeys appends after the number of keys.
func keys(data []byte) []uint32 {
	list := numbers(data, 4)
	permuted := uint32(0)
	for i, difference := range list {
		permuted += difference
		list[i] = permuted * inverse
	}
	return list
}

// classes reads the table of classes and returns a function that builds it.
func (r *reader) classes(m *Model) func() {
	n := r.count()
	packed, values := r.bytes(4*n), r.bytes(classBytes*n)
	return func() {
		classes := make(map[uint32]uint32, n)
		list := keys(packed)
		for i, value := range numbers(values, classBytes) {
			classes[list[i]] = value
		}
		m.classes = NewClasses(classes)
	}
}

// scorer reads weights and returns a function that builds their table; few says that they
// are for actions.
func (r *reader) scorer(s *scorer, few bool) func() {
	n := r.count()
	packed, counts := r.bytes(4*n), r.bytes(n)
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	classes, weights := r.bytes(total), r.bytes(2*total)
	return func() { s.build(keys(packed), counts, classes, numbers(weights, 2), few) }
}

// build sets the weights of each key.
func (s *scorer) build(keys []uint32, counts, classes []byte, weights []uint32, few bool) {
	values := make([]uint32, len(keys))
	if !few {
		s.packed = make([]uint16, 1, 1+len(weights)+len(keys))
	}
	for i, n := range counts {
		if few {
			values[i] = 512 | 512<<10 | 512<<20
			for k, class := range classes[:n] {
				values[i] += (weights[k] - offset) << (10 * (class % uint8(Actions)))
			}
		} else {
			values[i] = uint32(len(s.packed))
			for k, class := range classes[:n] {
				s.packed = append(s.packed, uint16(weights[k]-offset)<<7|uint16(class&127))
			}
			s.packed = append(s.packed, 0)
		}
		classes, weights = classes[n:], weights[n:]
	}
	s.table = NewTable(keys, values)
}
