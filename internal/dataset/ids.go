package dataset

import (
	"fmt"
	"hash/maphash"
)

const (
	maxIDs        = 1 << 20 // number of ids that later ones are compared with
	maxDuplicates = 5       // number of duplicates reported individually
)

// An idSet detects duplicate ids. It stores a keyed 64-bit hash of each id, so
// that long ids need no memory and crafted ids cause no false reports.
type idSet struct {
	seed       maphash.Seed
	hashes     map[uint64]struct{}
	duplicates int
}

func newIDSet() *idSet {
	return &idSet{seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}}
}

// check adds the id of a row, which is its index if it has none. It returns a warning about a
// duplicate, or nil.
func (s *idSet) check(row *Row, missing bool) error {
	h := maphash.String(s.seed, row.ID)
	if _, known := s.hashes[h]; known {
		s.duplicates++
		switch {
		case s.duplicates > maxDuplicates:
			return nil
		case missing:
			return fmt.Errorf("%s:%d: no id; its index %s is used, which is the id of an earlier row", DisplayName(row.File), row.Line, row.ID)
		default:
			return fmt.Errorf("%s:%d: duplicate id %s", DisplayName(row.File), row.Line, quote(row.ID))
		}
	}
	if len(s.hashes) < maxIDs {
		s.hashes[h] = struct{}{}
	}
	return nil
}

// summary returns a warning with the number of duplicates if some were not
// reported individually, or nil.
func (s *idSet) summary() error {
	if s.duplicates <= maxDuplicates {
		return nil
	}
	return fmt.Errorf("%d rows have the id of an earlier row", s.duplicates)
}
