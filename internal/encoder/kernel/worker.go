package kernel

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

// alloc returns n values at an offset that is a multiple of align. Values that
// do not fit are allocated separately until everything is released and the
// arena can grow.
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
