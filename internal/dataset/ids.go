package dataset

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

const (
	maxIDs        = 1 << 20        // ids that are checked
	idTableSize   = maxIDs / 3 * 4 // 10.7 MiB
	maxDuplicates = 5              // duplicates that are reported one by one
)

// An idSet detects duplicate ids. It stores a keyed 64-bit hash of each id, so that
// no choice of ids can slow it down or cause a false report.
//
// The table has its final size from the start: a growing table would need its old
// and new size at once. The operating system only provides the pages that are
// written to, so short datasets use little memory.
type idSet struct {
	seed       maphash.Seed
	table      []uint64 // open addressing; 0 is a free slot
	used       int
	duplicates int
	full       bool
}

func newIDSet() *idSet {
	return &idSet{seed: maphash.MakeSeed(), table: make([]uint64, idTableSize)}
}

// check adds the id of a row and returns a warning, or nil.
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
// reported, or nil.
func (s *idSet) summary() error {
	if s.duplicates <= maxDuplicates {
		return nil
	}
	return fmt.Errorf("%d rows have the id of an earlier row", s.duplicates)
}

// add reports whether a hash is new, and stores it unless the set is full. A quarter
// of the table always stays free, so that every search ends.
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
