package encoder

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// A batch is sequences of tokens that lie one after another, without padding.
type batch struct {
	ids, types []int32 // of all tokens
	lengths    []int   // of the sequences
	starts     []int   // their first tokens
	longest    int
	laid       layout // what sequences of a window and claims have besides
}

func (b *batch) reset() {
	b.ids, b.types, b.lengths, b.starts, b.longest = b.ids[:0], b.types[:0], b.lengths[:0], b.starts[:0], 0
	b.laid.reset()
}

// add appends a sequence.
func (b *batch) add(ids, types []int32) {
	b.starts = append(b.starts, len(b.ids))
	b.lengths = append(b.lengths, len(ids))
	b.ids = append(b.ids, ids...)
	b.types = append(b.types, types...)
	b.longest = max(b.longest, len(ids))
}

// A network turns the tokens of a batch into hidden states.
type network interface {
	// forward returns one row of hidden values a token, or a sequence where p.first
	// is set: that of its first token; or a claim's token, where the batch has
	// claims. They are in memory of p and good until the
	// next pass. The error is that of the context.
	forward(ctx context.Context, p *pass) ([]float32, error)
	// check refuses a token that the network has no embedding for.
	check(ids, types []int32) error
	// vocabulary is how many tokens it has embeddings for.
	vocabulary() int
	// draw adds the network to a graph and returns the hidden values of all tokens,
	// padding too: one row each.
	draw(g *drawing) ort.Value
}

// A pass is a batch on its way through a network, with the memory that all
// passes of a model use one after another.
type pass struct {
	*batch
	pool      *kernel.Pool
	precision kernel.Precision
	first     bool // only the hidden values of first tokens are wanted

	x         []float32 // hidden states
	qkv       []float32 // queries, keys and values
	mixed     []float32 // what attention makes of the values
	positions []int32
	blocks    []kernel.Block
	seen      sight
	spare     [3][]float32 // what one kind of network needs besides
	sums      []float64    // for a mean over tokens
	rows      []int        // where claims begin

	// observe is told the hidden states of all tokens after each stage. Tests set
	// it.
	observe func(stage string, x []float32)
}

// room returns a slice of n values in memory that is kept.
func room[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n+n/8)
	}
	*s = (*s)[:n]
	return *s
}

// tell passes hidden states on to whoever observes.
func (p *pass) tell(stage string, x []float32) {
	if p.observe != nil {
		p.observe(stage, x)
	}
}

// layer tells the hidden states after a layer.
func (p *pass) layer(i int, x []float32) {
	if p.observe != nil {
		p.observe(fmt.Sprintf("layer.%d", i), x)
	}
}

// some tells whether the hidden values of only some tokens are wanted: the first
// of each sequence, or those of claims.
func (p *pass) some() bool { return p.first || p.laid.any() }

// prune tells whether layer i of n need only compute the tokens that are wanted.
func (p *pass) prune(i, n int) bool { return p.some() && i == n-1 && p.observe == nil }

// firsts limits an attention to the queries of first tokens.
func (p *pass) firsts() func(s int) []kernel.Block {
	blocks := room(&p.blocks, len(p.lengths))
	for s, n := range p.lengths {
		if blocks[s].Keys == nil {
			blocks[s].Keys = make([][2]int, 1)
		}
		blocks[s].Q1 = 1
		blocks[s].Keys[0] = [2]int{0, n}
	}
	return func(s int) []kernel.Block { return blocks[s : s+1] }
}

// gather moves the rows of the tokens that are wanted to the front of x.
func (p *pass) gather(x []float32, width int) []float32 {
	if p.laid.any() {
		return p.gatherClaims(x, width)
	}
	for s, at := range p.starts {
		copy(x[s*width:(s+1)*width], x[at*width:])
	}
	return x[:len(p.starts)*width]
}

// embedRows is how many tokens a worker embeds in one piece.
const embedRows = 32

// each calls f for blocks of tokens, on all workers.
func (p *pass) each(f func(w *kernel.Worker, lo, hi int)) {
	n := len(p.ids)
	p.pool.For((n+embedRows-1)/embedRows, func(w *kernel.Worker, i int) {
		f(w, i*embedRows, min((i+1)*embedRows, n))
	})
}
