package dataset

import (
	"fmt"
	"hash/maphash"
)

const (
	maxIDs      = 1 << 20 // ids watched for duplicates: 16 MiB at most
	maxIDReport = 5       // duplicates that are named one by one
)

// ids watches for ids that come twice. It holds a keyed 64-bit hash of each, so
// that no choice of ids can make it slow or name a duplicate that is none.
type ids struct {
	seed  maphash.Seed
	table []uint64 // open addressing; 0 is a free place
	used  int
	twice int
	full  bool
}

func newIDs() *ids {
	return &ids{seed: maphash.MakeSeed(), table: make([]uint64, 1<<8)}
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

// add reports whether the hash is new. A full table takes no more.
func (d *ids) add(h uint64) bool {
	mask := uint64(len(d.table) - 1)
	i := (h >> 1) & mask
	for ; d.table[i] != 0; i = (i + 1) & mask {
		if d.table[i] == h {
			return false
		}
	}
	if d.full {
		return true
	}
	d.table[i] = h
	if d.used++; d.used*2 > len(d.table) {
		d.grow()
	}
	return true
}

func (d *ids) grow() {
	old := d.table
	d.table = make([]uint64, 2*len(old))
	mask := uint64(len(d.table) - 1)
	for _, h := range old {
		if h == 0 {
			continue
		}
		i := (h >> 1) & mask
		for d.table[i] != 0 {
			i = (i + 1) & mask
		}
		d.table[i] = h
	}
}
