package encoder

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// An engine is a network, and the memory that its passes use one after another.
type engine struct {
	network network
	gate    chan struct{}                             // holds one token, which a pass takes
	waiting func(ctx context.Context) (resume func()) // see Options; nil for none
	closed  bool                                      // guarded by gate
	pass    pass                                      // likewise
	batch   batch                                     // likewise
}

func newEngine(k *kernel.Kernels, o Options) engine {
	return engine{
		gate:    make(chan struct{}, 1),
		waiting: o.Waiting,
		pass:    pass{pool: kernel.NewPool(k, o.Threads), precision: kernel.Float32},
	}
}

// enter takes the token of the gate, when the passes before are done. The error
// is that of ctx.
func (e *engine) enter(ctx context.Context) error {
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

// errClosed says that a model was closed before a call.
func errClosed() error { return errors.New("the model is closed") }

// close frees the memory, when the pass that may be under way is done, and calls
// release the first time.
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

// longestFirst returns the numbers of n sequences by their lengths, so that memory
// grows once and not by and by.
func longestFirst(n int, length func(i int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(b), length(a)) })
	return order
}

// passes cuts an order of sequences into passes of some thousand tokens.
func passes(order []int, length func(i int) int, run func(numbers []int) error) error {
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

// errGone says that a mapped file got shorter.
func errGone() error {
	return errors.New("the file of weights can't be read any more: it was changed while the model was in use")
}

// unmapped makes the panic of a fault the error that a method returns.
func unmapped(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = errGone()
	default:
		panic(r)
	}
}

// once computes the pass of a batch that fill makes. first says that only the
// hidden values of first tokens are needed.
func (e *engine) once(ctx context.Context, first bool, fill func(b *batch), done func(p *pass, hidden []float32) error) (err error) {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer func() { <-e.gate }()
	if e.closed {
		return errClosed()
	}
	defer unmapped(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	e.batch.reset()
	fill(&e.batch)
	p := &e.pass
	p.batch, p.first = &e.batch, first
	if len(e.batch.ids) > passTokens {
		// What a text of unusual length took is not kept for ever.
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
