package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool runs operations on a fixed number of workers, one of which is the
// calling goroutine. It is safe for concurrent use; operations run one after
// another. Code that runs inside an operation must not call the pool's methods
// but those of its [Worker].
type Pool struct {
	k       *Kernels
	mu      sync.Mutex
	workers []*Worker

	task    task
	n       int64
	next    atomic.Int64 // the next piece of the task
	pending atomic.Int64 // running helpers, plus parked
	done    chan struct{}
	fault   atomic.Pointer[runtime.Error] // fault of a piece

	// Tasks are reused so that operations do not allocate.
	callTask   callTask
	applyTask  applyTask
	normTask   normTask
	attendTask attendTask
}

// task is work divided into pieces that any worker may run in any order.
type task interface{ run(w *Worker, i int) }

// parked is added to Pool.pending when the caller stops spinning and sleeps.
const parked = 1 << 32

// States of a helper.
const (
	stateIdle     int32 = iota // no goroutine
	stateCalled                // has work that it has not started
	stateWorking               // running
	stateSpinning              // spinning while it waits for more work
)

// maxSpins is the number of pauses before a helper or the caller gives up its
// thread, after some hundreds of microseconds. Parking and waking a thread
// costs as much as a short operation, and a single sequence has dozens of
// those.
const maxSpins = 20000

// NewPool returns a pool of at least one worker.
func NewPool(k *Kernels, workers int) *Pool {
	p := &Pool{k: k, done: make(chan struct{}, 1)}
	for range max(workers, 1) {
		w := &Worker{pool: p, k: k}
		w.loopFunc = w.loop
		p.workers = append(p.workers, w)
	}
	return p
}

// Kernels returns the kernels of the pool.
func (p *Pool) Kernels() *Kernels { return p.k }

// For calls f for each i in [0, n) on all workers, in no particular order, and
// returns when all calls have. f must not panic, except for faults of mapped
// memory; see run. Scratch memory allocated by f is released when f returns.
func (p *Pool) For(n int, f func(w *Worker, i int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.callTask = callTask{each: f}
	p.run(&p.callTask, n)
	p.callTask = callTask{}
}

// Rows divides rows into blocks and calls f for each block [lo, hi) on all
// workers, in no particular order. Use it for chains of operations that are
// independent per row, so that intermediate results stay in the cache. The
// block size depends on the precision of the linear layers in the chain. A
// small number of rows may form a single block, in which case the worker's
// operations use the whole pool.
func (p *Pool) Rows(precision Precision, rows int, f func(w *Worker, lo, hi int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.blocks(precision, rows)
	p.callTask = callTask{block: f, rows: rows, blocks: n}
	if n == 1 {
		w := p.workers[0]
		w.wholePool = true
		defer func() {
			w.release(scratchMark{})
			w.wholePool = false
		}()
		p.callTask.run(w, 0)
	} else {
		p.run(&p.callTask, n)
	}
	p.callTask = callTask{}
}

// callTask is the task of For and Rows.
type callTask struct {
	each         func(w *Worker, i int)
	block        func(w *Worker, lo, hi int)
	rows, blocks int
}

func (c *callTask) run(w *Worker, i int) {
	if c.each != nil {
		c.each(w, i)
		return
	}
	c.block(w, c.rows*i/c.blocks, c.rows*(i+1)/c.blocks)
}

// run executes n pieces of t. The caller must hold p.mu or be the only running
// piece. If a piece faults while reading memory, such as a truncated mapped
// file, run panics with that fault once all workers have stopped. The pool
// remains usable.
func (p *Pool) run(t task, n int) {
	defer func() {
		p.task = nil
		if bad := p.fault.Swap(nil); bad != nil {
			panic(*bad)
		}
	}()
	p.task, p.n = t, int64(n)
	p.next.Store(0)
	helpers := p.workers[1:max(1, min(len(p.workers), n))]
	p.pending.Store(int64(len(helpers)))
	for _, w := range helpers {
		if !w.state.CompareAndSwap(stateSpinning, stateCalled) {
			w.state.Store(stateCalled)
			go w.loopFunc()
		}
	}
	p.workers[0].work()
	for _, w := range helpers {
		// All pieces are done, so helpers that have not started need not.
		if w.state.CompareAndSwap(stateCalled, stateSpinning) {
			p.pending.Add(-1)
		}
	}
	for range maxSpins {
		if p.pending.Load() == 0 {
			return
		}
		p.k.pause()
	}
	if p.pending.Add(parked) != parked {
		<-p.done
	}
}

// work runs pieces of the pool's task until none is left.
func (w *Worker) work() {
	p := w.pool
	base := w.mark()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch bad := recover().(type) {
		case nil:
		case interface {
			runtime.Error
			Addr() uintptr
		}:
			err := runtime.Error(bad)
			p.fault.Store(&err)
			p.next.Store(p.n) // stop the other workers
			w.release(base)
		default:
			panic(bad)
		}
	}()
	for i := p.next.Add(1) - 1; i < p.n; i = p.next.Add(1) - 1 {
		p.task.run(w, int(i))
		w.release(base)
	}
}

// loop is the goroutine of a helper. It is only started for an idle helper and
// sets the state back to idle when it returns, so there is at most one per
// helper.
func (w *Worker) loop() {
	for {
		for range maxSpins {
			if w.state.Load() == stateCalled {
				break
			}
			w.k.pause()
		}
		if w.state.CompareAndSwap(stateCalled, stateWorking) {
			w.work()
			w.state.Store(stateSpinning)
			if w.pool.pending.Add(-1) == parked {
				w.pool.done <- struct{}{}
			}
			continue
		}
		if w.state.CompareAndSwap(stateSpinning, stateIdle) {
			return
		}
	}
}

// Block sizes of Rows. A block of int8 rows keeps the intermediate results of a
// feed-forward layer in the second-level cache beside the weights. Float32
// blocks are larger because packing the weights for each block costs about as
// much as four rows.
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
	if precision == Int8 && rows >= workers*p.k.mr {
		return workers
	}
	return 1
}
