package kernel

import "sync/atomic"

// Worker is one of a [Pool]'s threads of work, with scratch memory of its own.
// It is given to the functions that a pool calls and is theirs until they return.
type Worker struct {
	pool   *Pool
	k      *Kernels
	help   func() // loop, as a value that is made once
	state  atomic.Int32
	spread bool // its operations run on all workers

	floats stack[float32]
	bytes  stack[byte]
	_      [64]byte // workers do not share a cache line
}

// Kernels returns the kernels that the worker computes with.
func (w *Worker) Kernels() *Kernels { return w.k }

// Floats returns n values of scratch memory, not cleared. They are the caller's
// until the function that the pool called returns.
func (w *Worker) Floats(n int) []float32 { return w.floats.take(n, 16) }

// octets returns n bytes of scratch memory, not cleared.
func (w *Worker) octets(n int) []byte { return w.bytes.take(n, 64) }

// marker is a state of a worker's scratch memory to return to.
type marker struct{ floats, bytes int }

func (w *Worker) mark() marker { return marker{w.floats.used, w.bytes.used} }

func (w *Worker) release(m marker) {
	w.floats.release(m.floats)
	w.bytes.release(m.bytes)
}

// stack is memory that is taken and given back in order. It grows to the most
// that was in use at once and then needs no more.
type stack[T any] struct {
	memory []T
	used   int
	most   int
}

// take returns n values that begin at a multiple of align from the start of the
// memory. What does not fit gets memory of its own until all is given back and
// the stack can grow.
func (s *stack[T]) take(n, align int) []T {
	at := (s.used + align - 1) / align * align
	s.used = at + n
	s.most = max(s.most, s.used)
	if s.used > len(s.memory) {
		return make([]T, n)
	}
	return s.memory[at:s.used:s.used]
}

func (s *stack[T]) release(used int) {
	s.used = used
	if used == 0 && s.most > len(s.memory) {
		s.memory = make([]T, s.most+s.most/8)
	}
}
