package encoder

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// An engine is a network and the memory that its passes share.
type engine struct {
	network network
	gate    chan struct{}                             // semaphore of size 1, held during a pass
	waiting func(ctx context.Context) (resume func()) // Options.Waiting
	closed  bool                                      // guarded by gate
	pass    pass                                      // guarded by gate
	batch   batch                                     // guarded by gate
}

func newEngine(k *kernel.Kernels, o Options) engine {
	return engine{
		gate:    make(chan struct{}, 1),
		waiting: o.Waiting,
		pass:    pass{pool: kernel.NewPool(k, o.Threads), precision: kernel.Float32},
	}
}

// acquire waits for the current pass to finish. The error is that of ctx.
func (e *engine) acquire(ctx context.Context) error {
	select {
	case e.gate <- struct{}{}:
		return nil
	default:
	}
	if e.waiting != nil {
		defer e.waiting(ctx)()
	}
	select {
	case e.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func errClosed() error { return errors.New("the model is closed") }

// close waits for the current pass, frees the memory and, on the first call, calls
// release.
func (e *engine) close(release func() error) error {
	e.gate <- struct{}{}
	defer func() { <-e.gate }()
	if e.closed {
		return nil
	}
	e.closed = true
	e.pass, e.batch = pass{}, batch{}
	return release()
}

// byLengthDescending returns the indices of n sequences, the longest first, so
// that buffers are allocated once.
func byLengthDescending(n int, length func(i int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	return order
}

// forEachPass calls run with consecutive parts of order of up to passTokens tokens
// each.
func forEachPass(order []int, length func(i int) int, run func(indices []int) error) error {
	for len(order) > 0 {
		n, tokens := 1, length(order[0])
		for n < len(order) && tokens+length(order[n]) <= passTokens {
			tokens += length(order[n])
			n++
		}
		if err := run(order[:n]); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

func errFileChanged() error {
	return errors.New("the file of weights can't be read any more: it was changed while the model was in use")
}

// recoverFault turns the panic of a memory fault, caused by a mapped file that
// shrank, into an error.
func recoverFault(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = errFileChanged()
	default:
		panic(r)
	}
}

// runPass computes one pass: fill adds the sequences and done receives the hidden
// values. If first is set, only the hidden values of first tokens are needed.
func (e *engine) runPass(ctx context.Context, first bool, fill func(b *batch), done func(p *pass, hidden []float32) error) (err error) {
	if err := e.acquire(ctx); err != nil {
		return err
	}
	defer func() { <-e.gate }()
	if e.closed {
		return errClosed()
	}
	defer recoverFault(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	e.batch.reset()
	fill(&e.batch)
	p := &e.pass
	p.batch, p.first = &e.batch, first
	if len(e.batch.ids) > passTokens {
		// Free the memory that an unusually long text needed.
		defer func() {
			e.pass = pass{pool: p.pool, precision: p.precision, observe: p.observe}
			e.batch = batch{}
		}()
	}
	hidden, err := e.network.forward(ctx, p)
	if err != nil {
		return err
	}
	return done(p, hidden)
}
