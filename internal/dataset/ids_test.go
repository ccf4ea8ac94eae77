package dataset

import (
	"testing"
)

func TestIDSetNeverGrows(t *testing.T) {
	d := newIDSet()
	if len(d.table) < maxIDs/3*4 { // a search in a full table would not terminate
		t.Fatalf("got %d slots for %d ids, want at least %d", len(d.table), maxIDs, maxIDs/3*4)
	}
	first := &d.table[0]
	for i := range maxIDs / 2 {
		d.add(uint64(i)*0x9E3779B97F4A7C15 | 1)
	}
	if &d.table[0] != first || len(d.table) != idTableSize {
		t.Errorf("got a new table or %d slots, want the first one with %d", len(d.table), idTableSize)
	}
}

func TestIDSetFindsEveryHash(t *testing.T) {
	d := newIDSet()
	d.table = make([]uint64, 40)
	hashes := []uint64{1, 3, 5, ^uint64(0), ^uint64(2), ^uint64(4), 1<<63 | 1} // the largest hashes wrap around
	for i := range 20 {
		hashes = append(hashes, uint64(i)<<59|uint64(i)|9)
	}
	seen := map[uint64]bool{}
	for _, h := range hashes {
		if got := d.add(h); got == seen[h] {
			t.Errorf("add(%x): got %t, want %t", h, got, !seen[h])
		}
		seen[h] = true
		if d.add(h) {
			t.Errorf("second add(%x): got true, want false", h)
		}
	}
	if d.used != len(seen) {
		t.Errorf("got %d used slots, want %d", d.used, len(seen))
	}
	d.full = true
	if first, second := d.add(77), d.add(77); !first || !second || d.add(hashes[0]) || d.used != len(seen) {
		t.Errorf("full set: got add = %t, %t and %d used slots, want true, true and %d", first, second, d.used, len(seen))
	}
}
