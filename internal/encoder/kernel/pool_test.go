package kernel

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
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

func TestPoolConcurrentUse(t *testing.T) {
	t.Parallel()
	k := mustNew(t, "")
	p := NewPool(k, 3)
	r := rand.New(rand.NewPCG(41, 42))
	const in, out, rows = 64, 64, 100
	l := k.Linear(Float32, in, Part{Raw{F32: random(r, in*out)}, nil, out})
	x, want := random(r, rows*in), make([]float32, rows*out)
	p.Apply(l, want, out, x, in, rows, None)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				got := make([]float32, rows*out)
				p.Apply(l, got, out, x, in, rows, None)
				if !slices.Equal(got, want) {
					t.Errorf("got %g, want %g", got, want)
				}
			}
		})
	}
	group.Wait()
}

// TestMain also checks that the goroutines of a pool exit. They spin for a while after an
// operation, longer on a busy machine.
func TestMain(m *testing.M) {
	code := m.Run()
	err := goleak.Find()
	for i := 0; err != nil && i < 20; i++ {
		err = goleak.Find()
	}
	if code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func TestOperationsDoNotAllocate(t *testing.T) {
	k := mustNew(t, "")
	r := rand.New(rand.NewPCG(43, 44))
	for _, workers := range []int{1, 2} {
		p := NewPool(k, workers)
		const in, out, rows = 96, 40, 300
		w, x, gain := random(r, in*out), random(r, rows*in), random(r, in)
		y := make([]float32, rows*out)
		a := randomAttention(r, 2, 32, 150, 150)
		a.Relative, a.MaxLen = random(r, 2*299), 150
		f := k.Linear(Float32, in, Part{Raw{F32: w}, nil, out})
		q := k.Linear(Int8, in, Part{Raw{F32: w}, nil, out})
		chain := func(w *Worker, lo, hi int) {
			z := w.Floats((hi - lo) * out)
			w.Apply(q, z, out, x[lo*in:], in, hi-lo, Gelu)
		}
		for name, op := range map[string]func(){
			"float32": func() { p.Apply(f, y, out, x, in, rows, Gelu) },
			"int8":    func() { p.Apply(q, y, out, x, in, rows, Gelu) },
			"norm":    func() { p.LayerNorm(x, x, nil, rows, in, gain, gain, 1e-5) },
			"attend":  func() { p.Attend(a) },
			"rows":    func() { p.Rows(Int8, rows, chain) },
		} {
			for range 10 {
				op()
			}
			if n := testing.AllocsPerRun(50, op); n > 0 {
				t.Errorf("%d workers, %s: got %g allocations, want 0", workers, name, n)
			}
		}
	}
}
