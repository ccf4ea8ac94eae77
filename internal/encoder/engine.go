package encoder

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// An engine runs the passes of a network, one at a time.
type engine struct {
	network network
	gate    chan struct{}                             // semaphore of size 1, held during a pass
	onWait  func(ctx context.Context) (resume func()) // optional, see Options.Waiting
	closed  bool                                      // guarded by gate
	pass    pass                                      // guarded by gate
	batch   batch                                     // guarded by gate
}

func newEngine(k *kernel.Kernels, o Options) engine {
	return engine{
		gate:   make(chan struct{}, 1),
		onWait: o.Waiting,
		pass:   pass{pool: kernel.NewPool(k, o.Threads), precision: kernel.Float32},
	}
}

// acquire waits for the current pass to finish. It returns the error of ctx if
// that is done first.
func (e *engine) acquire(ctx context.Context) error {
	select {
	case e.gate <- struct{}{}:
		return nil
	default:
	}
	if e.onWait != nil {
		defer e.onWait(ctx)()
	}
	select {
	case e.gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func errClosed() error { return errors.New("the model is closed") }

// close waits for the current pass, frees the buffers and calls release. Later calls
// do nothing.
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

// byLengthDescending returns the indices of n sequences, longest first. In this
// order, the first pass allocates buffers that are large enough for the others.
func byLengthDescending(n int, length func(i int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	return order
}

// forEachPass splits order into passes of up to passTokens tokens and calls run for
// each. A longer sequence gets its own pass.
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
	return errors.New("the weight file can't be read: it was changed while the model was in use")
}

// recoverFault recovers from a memory fault and stores an error in err. Reading a
// mapped file that was truncated causes such a fault.
func recoverFault(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = errFileChanged()
	default:
		panic(r)
	}
}

// runPass computes one pass. It calls fill to add the sequences and done with their
// hidden values. If first is set, only the first token of each sequence is computed.
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
			e.pass = pass{pool: p.pool, precision: p.precision}
			e.batch = batch{}
		}()
	}
	hidden, err := e.network.forward(ctx, p)
	if err != nil {
		return err
	}
	return done(p, hidden)
}
