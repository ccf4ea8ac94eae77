package encoder

import (
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// A batch is a list of sequences stored one after another, without padding.
type batch struct {
	ids, types []int32 // id and type of each token
	lengths    []int   // length of each sequence
	starts     []int   // index of the first token of each sequence
	longest    int     // maximum of lengths
}

func (b *batch) reset() {
	b.ids, b.types, b.lengths, b.starts, b.longest = b.ids[:0], b.types[:0], b.lengths[:0], b.starts[:0], 0
}

// add appends a sequence.
func (b *batch) add(ids, types []int32) {
	b.starts = append(b.starts, len(b.ids))
	b.lengths = append(b.lengths, len(ids))
	b.ids = append(b.ids, ids...)
	b.types = append(b.types, types...)
	b.longest = max(b.longest, len(ids))
}

// A pass is the evaluation of a batch by a network. Its buffers are reused by all
// passes of a model.
type pass struct {
	batch
	pool      *kernel.Pool
	precision kernel.Precision
	first     bool // compute only the first token of each sequence

	x         []float32 // hidden states
	qkv       []float32 // queries, keys and values
	attnOut   []float32 // attention output
	positions []int32
	scratch   [3][]float32 // buffers for networks and heads
	sums      []float64    // sums for means over tokens
}

// grow returns *s with length n, reallocated if its capacity is too small.
func grow[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n+n/8)
	}
	*s = (*s)[:n]
	return *s
}

// gather moves the rows of first tokens to the front of x and returns them.
func (p *pass) gather(x []float32, width int) []float32 {
	for s, start := range p.starts {
		copy(x[s*width:(s+1)*width], x[start*width:])
	}
	return x[:len(p.starts)*width]
}

// embedRows is the number of tokens that a worker embeds at a time.
const embedRows = 32

// eachBlock calls f for blocks of tokens, in parallel.
func (p *pass) eachBlock(f func(w *kernel.Worker, lo, hi int)) {
	n := len(p.ids)
	p.pool.For((n+embedRows-1)/embedRows, func(w *kernel.Worker, i int) {
		f(w, i*embedRows, min((i+1)*embedRows, n))
	})
}
