package dataset

import (
	"testing"
)

func TestTheTableOfIDsNeverGrows(t *testing.T) {
	d := newIDs()
	if len(d.table) < maxIDs/3*4 { // a search in a full one would never end
		t.Fatalf("%d places for %d ids", len(d.table), maxIDs)
	}
	if got := testing.AllocsPerRun(1, func() {
		for i := range maxIDs / 2 {
			d.add(uint64(i)*0x9E3779B97F4A7C15 | 1)
		}
	}); got != 0 || len(d.table) != idPlaces {
		t.Errorf("%v allocations, %d places", got, len(d.table))
	}
}

func TestEveryIDIsFoundAgainWhereverItStands(t *testing.T) {
	d := newIDs()
	d.table = make([]uint64, 40)
	hashes := []uint64{1, 3, 5, ^uint64(0), ^uint64(2), ^uint64(4), 1<<63 | 1} // the last ones go on at the beginning
	for i := range 20 {
		hashes = append(hashes, uint64(i)<<59|uint64(i)|9)
	}
	seen := map[uint64]bool{}
	for _, h := range hashes {
		if d.add(h) == seen[h] {
			t.Errorf("%x: new %t", h, seen[h])
		}
		seen[h] = true
		if d.add(h) {
			t.Errorf("%x is new again", h)
		}
	}
	if d.used != len(seen) {
		t.Errorf("%d of %d", d.used, len(seen))
	}
	d.full = true
	if first, again := d.add(77), d.add(77); !first || !again || d.add(hashes[0]) || d.used != len(seen) {
		t.Error("a full table takes more, or forgets")
	}
}
