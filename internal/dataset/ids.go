package dataset

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

const (
	maxIDs      = 1 << 20        // ids watched for duplicates
	idPlaces    = maxIDs / 3 * 4 // of the table: 10.7 MiB
	maxIDReport = 5              // duplicates that are named one by one
)

// ids watches for ids that come twice. It holds a keyed 64-bit hash of each, so
// that no choice of ids can make it slow or name a duplicate that is none.
//
// The table has its full size from the start, so that a run needs as much
// memory for a hundred thousand rows as for ten million; a table that grew would
// need both its sizes at once. The system gives memory to the pages of it that
// are written to, and few rows write to few.
type ids struct {
	seed  maphash.Seed
	table []uint64 // open addressing; 0 is a free place
	used  int
	twice int
	full  bool
}

func newIDs() *ids {
	return &ids{seed: maphash.MakeSeed(), table: make([]uint64, idPlaces)}
}

// see notes the id of a row and returns what is to be told about it, or nil.
func (d *ids) see(row *Row) error {
	if !d.add(d.hash(row.ID)) {
		if d.twice++; d.twice <= maxIDReport {
			return fmt.Errorf("%s:%d: duplicate id %s", displayName(row.File), row.Line, short(row.ID))
		}
		return nil
	}
	if d.used >= maxIDs && !d.full {
		d.full = true
		return fmt.Errorf("%s:%d: %d ids so far: later ones are not checked for duplicates", displayName(row.File), row.Line, d.used)
	}
	return nil
}

// hash is the keyed hash of an id, never 0.
func (d *ids) hash(id string) uint64 { return maphash.String(d.seed, id) | 1 }

// rest returns what is to be told about the duplicates that were not named, or
// nil.
func (d *ids) rest() error {
	if d.twice <= maxIDReport {
		return nil
	}
	return fmt.Errorf("%d rows have an id that an earlier row has", d.twice)
}

// add reports whether the hash, which is not 0, is new. A full table takes no
// more; a quarter of its places stays free, so that a search ends.
func (d *ids) add(h uint64) bool {
	place, _ := bits.Mul64(h, uint64(len(d.table))) // below len, as likely as any other (Lemire, arXiv:1805.10941)
	i := int(place)
	for ; d.table[i] != 0; i++ {
		if d.table[i] == h {
			return false
		}
		if i == len(d.table)-1 {
			i = -1
		}
	}
	if !d.full {
		d.table[i] = h
		d.used++
	}
	return true
}
