package dataset

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

const (
	maxIDs        = 1 << 20        // number of ids that are checked
	idTableSize   = maxIDs / 3 * 4 // 10.7 MiB
	maxDuplicates = 5              // number of duplicates reported individually
)

// An idSet detects duplicate ids. It stores a keyed 64-bit hash of each id, so
// that crafted ids can neither slow it down nor cause false reports.
//
// The table is allocated at its final size, since growing it would temporarily
// need both the old and the new table. The operating system provides only the
// pages that are written to, so small datasets use little memory.
type idSet struct {
	seed       maphash.Seed
	table      []uint64 // hash table with open addressing; 0 marks a free slot
	used       int
	duplicates int
	full       bool
}

func newIDSet() *idSet {
	return &idSet{seed: maphash.MakeSeed(), table: make([]uint64, idTableSize)}
}

// check adds the id of a row. It returns a warning about a duplicate or a full
// set, or nil.
func (s *idSet) check(row *Row) error {
	if !s.add(s.hash(row.ID)) {
		if s.duplicates++; s.duplicates <= maxDuplicates {
			return fmt.Errorf("%s:%d: duplicate id %s", displayName(row.File), row.Line, quote(row.ID))
		}
		return nil
	}
	if s.used >= maxIDs && !s.full {
		s.full = true
		return fmt.Errorf("%s:%d: %d ids so far: later ones are not checked for duplicates", displayName(row.File), row.Line, s.used)
	}
	return nil
}

// hash returns the keyed hash of an id, which is never 0.
func (s *idSet) hash(id string) uint64 { return maphash.String(s.seed, id) | 1 }

// summary returns a warning with the number of duplicates if some were not
// reported individually, or nil.
func (s *idSet) summary() error {
	if s.duplicates <= maxDuplicates {
		return nil
	}
	return fmt.Errorf("%d rows have the id of an earlier row", s.duplicates)
}

// add reports whether a hash is new, and stores it unless the set is full. At
// least a quarter of the table stays free, so that every search terminates.
func (s *idSet) add(h uint64) bool {
	slot, _ := bits.Mul64(h, uint64(len(s.table))) // uniform below len (Lemire, arXiv:1805.10941)
	i := int(slot)
	for ; s.table[i] != 0; i++ {
		if s.table[i] == h {
			return false
		}
		if i == len(s.table)-1 {
			i = -1
		}
	}
	if !s.full {
		s.table[i] = h
		s.used++
	}
	return true
}
