package kernel

import (
	"sync/atomic"
	"testing"
)

func TestForCallsEachIndexOnce(t *testing.T) {
	t.Parallel()
	k := mustNew(t, "")
	for _, workers := range []int{0, 1, 2, 7} {
		p := NewPool(k, workers)
		for _, n := range []int{0, 1, 2, 3, 100} {
			for range 20 {
				calls := make([]atomic.Int32, n)
				p.For(n, func(w *Worker, i int) {
					x := w.Floats(100 + 50*i)
					for j := range x {
						x[j] = float32(i)
					}
					calls[i].Add(1)
					for _, v := range x {
						if v != float32(i) {
							t.Error("scratch memory is shared")
							return
						}
					}
				})
				for i := range calls {
					if c := calls[i].Load(); c != 1 {
						t.Fatalf("%d workers, call %d of %d: got %d calls, want 1", workers, i, n, c)
					}
				}
			}
		}
	}
}
