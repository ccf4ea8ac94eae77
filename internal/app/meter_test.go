package app

import (
	"testing"
	"time"
)

func TestMeterComputesForASecond(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	calls := 0
	m := &meter{now: func() time.Time { return now }}
	for range 100 {
		err := m.addPair(10, func() error {
			calls++
			now = now.Add(400 * time.Millisecond)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if calls != 4 { // one to read the weights, three of 0.4 s
		t.Errorf("got %d pairs computed, want 4", calls)
	}
	d, note := m.estimate()
	if want := 40 * time.Second; d.Round(time.Millisecond) != want || m.pairs != 100 {
		t.Errorf("got %v for %d pairs, want %v for 100", d, m.pairs, want)
	}
	if want := "estimate: 1000 tokens at 25 per second, measured here"; note != want {
		t.Errorf("note: got %q, want %q", note, want)
	}
}
