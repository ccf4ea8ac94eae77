package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/kernel"

// A sequence is a tokenized text or pair.
type sequence struct{ ids, types []int32 }

// A pass is the evaluation of a batch of sequences by a network. The sequences are stored
// one after another, without padding. The buffers are reused by all passes of a model.
type pass struct {
	ids, types []int32 // id and type of each token
	lengths    []int   // length of each sequence
	starts     []int   // index of the first token of each sequence
	longest    int     // maximum of lengths
	first      bool    // compute only the first token of each sequence

	pool      *kernel.Pool
	precision kernel.Precision

	x         []float32 // hidden states
	qkv       []float32 // queries, keys and values
	attnOut   []float32 // attention output
	positions []int32
	scratch   [3][]float32 // buffers for networks and heads
	sums      []float64    // sums for means over tokens
}

func (p *pass) reset() {
	p.ids, p.types, p.lengths, p.starts, p.longest = p.ids[:0], p.types[:0], p.lengths[:0], p.starts[:0], 0
}

// add appends a sequence.
func (p *pass) add(ids, types []int32) {
	p.starts = append(p.starts, len(p.ids))
	p.lengths = append(p.lengths, len(ids))
	p.ids = append(p.ids, ids...)
	p.types = append(p.types, types...)
	p.longest = max(p.longest, len(ids))
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
