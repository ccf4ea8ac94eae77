package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool runs operations on a fixed number of workers, one of which is the calling
// goroutine. Its operations must not be called concurrently. Code that runs inside an
// operation must not call the pool's methods but those of its [Worker].
type Pool struct {
	k       *Kernels
	workers []*Worker
}

// NewPool returns a pool of at least one worker.
func NewPool(k *Kernels, workers int) *Pool {
	p := &Pool{k: k}
	for range max(workers, 1) {
		p.workers = append(p.workers, &Worker{pool: p, k: k})
	}
	return p
}

// Kernels returns the kernels of the pool.
func (p *Pool) Kernels() *Kernels { return p.k }

// For calls f for each i in [0, n) on all workers, in no particular order, and
// returns when all calls have. f must not panic, except for faults of mapped
// memory, such as a truncated file: For then panics with that fault once all workers
// have stopped. Scratch memory allocated by f is released when f returns.
func (p *Pool) For(n int, f func(w *Worker, i int)) {
	var next atomic.Int64
	var fault atomic.Pointer[memoryFault]
	work := func(w *Worker) {
		base := w.mark()
		w.inPiece = true
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			w.release(base)
			w.inPiece = false
			switch bad := recover().(type) {
			case nil:
			case memoryFault:
				fault.Store(&bad)
				next.Store(int64(n)) // stop the other workers
			default:
				panic(bad)
			}
		}()
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(w, int(i))
			w.release(base)
		}
	}
	var helpers sync.WaitGroup
	for _, w := range p.workers[1:max(1, min(len(p.workers), n))] {
		helpers.Go(func() { work(w) })
	}
	work(p.workers[0])
	helpers.Wait()
	if bad := fault.Load(); bad != nil {
		panic(*bad)
	}
}

// A memoryFault is the error of reading memory that can't be read.
type memoryFault interface {
	runtime.Error
	Addr() uintptr
}

// Rows divides rows into blocks and calls f for each block [lo, hi) on all workers, in no
// particular order. Use it for chains of operations that are independent per row, so that
// intermediate results stay in the cache. The block size depends on the precision of the linear
// layers in the chain. A small number of rows may form a single block, in which case the worker's
// operations use the whole pool.
func (p *Pool) Rows(precision Precision, rows int, f func(w *Worker, lo, hi int)) {
	n := p.blocks(precision, rows)
	if n == 1 {
		w := p.workers[0]
		defer w.release(scratchMark{})
		f(w, 0, rows)
		return
	}
	p.For(n, func(w *Worker, i int) { f(w, rows*i/n, rows*(i+1)/n) })
}

// Block sizes of Rows. A block of int8 rows keeps the intermediate results of a feed-forward layer
// in the second-level cache beside the weights. Float32 blocks are larger because packing the
// weights for each block costs about as much as four rows.
const (
	int8Block    = 128
	float32Block = 512
)

// blocks returns the number of blocks into which Rows divides rows.
func (p *Pool) blocks(precision Precision, rows int) int {
	workers := len(p.workers)
	size := float32Block
	if precision == Int8 {
		size = int8Block
	}
	n := (rows + size - 1) / size
	if n >= workers {
		return (n + workers - 1) / workers * workers
	}
	if precision == Int8 && rows >= workers*p.k.mr8 {
		return workers
	}
	return 1
}

// Worker is one of the workers of a [Pool] with its scratch memory. A function
// called by the pool may use its worker until it returns.
type Worker struct {
	pool    *Pool
	k       *Kernels
	inPiece bool // running a function of Pool.For; otherwise its operations use the whole pool

	floats arena[float32]
	bytes  arena[byte]
}

// Floats returns n uninitialized values of scratch memory, valid until the
// function called by the pool returns.
func (w *Worker) Floats(n int) []float32 { return w.floats.alloc(n, 16) }

// scratchMark is a position in a worker's scratch memory.
type scratchMark struct{ floats, bytes int }

func (w *Worker) mark() scratchMark { return scratchMark{w.floats.used, w.bytes.used} }

func (w *Worker) release(m scratchMark) {
	w.floats.release(m.floats)
	w.bytes.release(m.bytes)
}

// arena is a stack of scratch memory. It grows to the largest size in use at
// once, after which it no longer allocates.
type arena[T any] struct {
	memory  []T
	used    int
	maxUsed int
}

// alloc returns n values at an offset that is a multiple of align. Values that do not fit are
// allocated separately until everything is released and the arena can grow.
func (s *arena[T]) alloc(n, align int) []T {
	at := (s.used + align - 1) / align * align
	s.used = at + n
	s.maxUsed = max(s.maxUsed, s.used)
	if s.used > len(s.memory) {
		return make([]T, n)
	}
	return s.memory[at:s.used:s.used]
}

func (s *arena[T]) release(used int) {
	s.used = used
	if used == 0 && s.maxUsed > len(s.memory) {
		s.memory = make([]T, s.maxUsed+s.maxUsed/8)
	}
}
