package greedy

import (
	"encoding/binary"
	"math/bits"
)

// A Table maps keys to values. A key is permuted; its highest bits number a bucket, and
// the entries of a bucket are distinguished by the other bits, at most 16.
type Table struct {
	starts []uint32 // index of the first entry of each bucket, and the number of entries
	rests  []byte   // two bytes by entry, sorted by bucket; ends with 8 unused bytes
	values []uint32 // by entry
	shift  uint     // number of bits in rests
}

// NewTable returns a table with a value for each key. Keys are distinct.
func NewTable(keys, values []uint32) *Table {
	size := max(bits.Len(uint(len(keys)))-1, 16)
	t := &Table{
		starts: make([]uint32, 1<<size+1),
		rests:  make([]byte, 2*len(keys)+8),
		values: make([]uint32, len(keys)),
		shift:  uint(32 - size),
	}
	// Count the entries of each bucket, then fill the buckets from their ends.
	for _, key := range keys {
		t.starts[permute(key)>>t.shift]++
	}
	end := uint32(0)
	for b := range t.starts {
		end += t.starts[b]
		t.starts[b] = end
	}
	for i, key := range keys {
		h := permute(key)
		start := &t.starts[h>>t.shift]
		*start--
		binary.LittleEndian.PutUint16(t.rests[2**start:], t.rest(h))
		t.values[*start] = values[i]
	}
	return t
}

// permute maps keys one to one, so that the highest bits depend on all.
func permute(key uint32) uint32 { return key * multiplier }

const (
	multiplier uint32 = 0x9e3779b1
	inverse    uint32 = 0x0e8b2f51 // permute(key) * inverse == key
)

func (t *Table) rest(h uint32) uint16 { return uint16(h & (1<<t.shift - 1)) }

// Find returns the value of a key, or 0.
func (t *Table) Find(key uint32) uint32 {
	b := permute(key) >> t.shift
	start := t.starts[b]
	i := t.search(key, t.four(start), start, t.starts[b+1])
	if i < 0 {
		return 0
	}
	return t.values[i]
}

// four returns the rests of four entries.
func (t *Table) four(start uint32) uint64 { return binary.LittleEndian.Uint64(t.rests[2*start:]) }

// search returns the entry of a key, or -1. The entries of its bucket are those from
// start to end; four has the first of them.
func (t *Table) search(key uint32, four uint64, start, end uint32) int {
	const ones = 0x0001_0001_0001_0001
	rest := uint64(t.rest(permute(key))) * ones
	for start < end {
		x := four ^ rest
		// The lowest bit that is set is in the first entry that is equal.
		if x = (x - ones) &^ x & (ones << 15); x != 0 {
			if i := start + uint32(bits.TrailingZeros64(x)/16); i < end {
				return int(i)
			}
			return -1
		}
		if start += 4; start < end {
			four = t.four(start)
		}
	}
	return -1
}

// maxFeatures is the maximum number of features of a decision.
const maxFeatures = 128

// lookup returns the values of those of keys that have one. It reads the buckets of all
// keys, then their entries, then the values, so that waits for memory overlap.
func (t *Table) lookup(keys []uint32, values *[maxFeatures]uint32) []uint32 {
	var spans [maxFeatures]struct{ start, end uint32 }
	for i, key := range keys {
		b := permute(key) >> t.shift
		s := &spans[i&(maxFeatures-1)]
		s.start, s.end = t.starts[b], t.starts[b+1]
	}
	var fours [maxFeatures]uint64
	for i := range keys {
		fours[i&(maxFeatures-1)] = t.four(spans[i&(maxFeatures-1)].start)
	}
	n := 0
	for i, key := range keys {
		s := &spans[i&(maxFeatures-1)]
		if j := t.search(key, fours[i&(maxFeatures-1)], s.start, s.end); j >= 0 {
			values[n&(maxFeatures-1)] = uint32(j)
			n++
		}
	}
	for i, j := range values[:n] {
		values[i] = t.values[j]
	}
	return values[:n]
}
