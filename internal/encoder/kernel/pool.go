package kernel

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool runs operations on a fixed number of workers, of which the calling
// goroutine is one. Many goroutines may use a pool; their operations follow one
// another. An operation of a pool must not be called from inside another of the
// same pool: there, use the [Worker]'s.
type Pool struct {
	k       *Kernels
	mu      sync.Mutex
	workers []*Worker

	task task
	n    int64
	next atomic.Int64 // the next piece of the task
	left atomic.Int64 // helpers at work, and parked
	done chan struct{}
	bad  atomic.Pointer[runtime.Error] // why a piece could not be done

	// The tasks of operations, kept so that calls need no new memory.
	calls   calls
	applies applying
	norms   norming
	attends attending
}

// task is work in pieces that may be done in any order, by any worker.
type task interface{ run(w *Worker, i int) }

// parked is added to Pool.left when the caller no longer spins but sleeps.
const parked = 1 << 32

// What a helper is doing.
const (
	absent   int32 = iota // it has no goroutine
	called                // work was given to it that it did not begin
	working               // it is at work
	lingerer              // it spins for a while, in case more work comes
)

// linger is how many rests a helper or the caller takes before it gives up its
// thread: some hundreds of microseconds. To put a thread to sleep and wake it
// costs as much as a short operation, which a single sequence has dozens of.
const linger = 20000

// NewPool returns a pool of at least one worker.
func NewPool(k *Kernels, workers int) *Pool {
	p := &Pool{k: k, done: make(chan struct{}, 1)}
	for range max(workers, 1) {
		w := &Worker{pool: p, k: k}
		w.help = w.loop
		p.workers = append(p.workers, w)
	}
	return p
}

// Kernels returns the kernels that the pool computes with.
func (p *Pool) Kernels() *Kernels { return p.k }

// Workers returns the number of workers.
func (p *Pool) Workers() int { return len(p.workers) }

// For calls f once for each i in [0,n), on all workers and in no certain order,
// and returns when all calls have. f must not panic, but for a
// fault of mapped memory: see run. Memory that f takes of its
// worker is free again when f returns.
func (p *Pool) For(n int, f func(w *Worker, i int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = calls{each: f}
	p.run(&p.calls, n)
	p.calls = calls{}
}

// Rows cuts rows into blocks and calls f for each block [lo,hi), on all workers
// and in no certain order. It is for chains of operations in which each row goes
// its own way, so that what one writes is still near when the next reads it. The
// blocks' size fits the precision of the linear layers in the chain. Few rows
// may come as a single block; the worker's operations then spread over the pool.
func (p *Pool) Rows(precision Precision, rows int, f func(w *Worker, lo, hi int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.blocks(precision, rows)
	p.calls = calls{block: f, rows: rows, blocks: n}
	if n == 1 {
		w := p.workers[0]
		w.spread = true
		defer func() {
			w.release(marker{})
			w.spread = false
		}()
		p.calls.run(w, 0)
	} else {
		p.run(&p.calls, n)
	}
	p.calls = calls{}
}

// calls is the task of For and Rows.
type calls struct {
	each         func(w *Worker, i int)
	block        func(w *Worker, lo, hi int)
	rows, blocks int
}

func (c *calls) run(w *Worker, i int) {
	if c.each != nil {
		c.each(w, i)
		return
	}
	c.block(w, c.rows*i/c.blocks, c.rows*(i+1)/c.blocks)
}

// run does n pieces of t. The pool is locked, or the caller is the one piece of
// work that goes on. Where memory can't be read that a piece needs, as that of a
// mapped file that got shorter, run panics with the fault when no worker is at
// work any more. The pool can be used again.
func (p *Pool) run(t task, n int) {
	defer func() {
		p.task = nil
		if bad := p.bad.Swap(nil); bad != nil {
			panic(*bad)
		}
	}()
	p.task, p.n = t, int64(n)
	p.next.Store(0)
	helpers := p.workers[1:max(1, min(len(p.workers), n))]
	p.left.Store(int64(len(helpers)))
	for _, w := range helpers {
		if !w.state.CompareAndSwap(lingerer, called) {
			w.state.Store(called)
			go w.help()
		}
	}
	p.workers[0].work()
	for _, w := range helpers {
		// Nothing is left to do, so who did not begin need not.
		if w.state.CompareAndSwap(called, lingerer) {
			p.left.Add(-1)
		}
	}
	for range linger {
		if p.left.Load() == 0 {
			return
		}
		p.k.relax()
	}
	if p.left.Add(parked) != parked {
		<-p.done
	}
}

// work does pieces of the pool's task until none is left.
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
			p.bad.Store(&err)
			p.next.Store(p.n) // the others need do no more
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

// loop is a helper's goroutine, of which there is at most one: it is started only
// where the helper is absent, and marks it so as the last thing it does.
func (w *Worker) loop() {
	for {
		for range linger {
			if w.state.Load() == called {
				break
			}
			w.k.relax()
		}
		if w.state.CompareAndSwap(called, working) {
			w.work()
			w.state.Store(lingerer)
			if w.pool.left.Add(-1) == parked {
				w.pool.done <- struct{}{}
			}
			continue
		}
		if w.state.CompareAndSwap(lingerer, absent) {
			return
		}
	}
}
