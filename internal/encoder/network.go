package encoder

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// A network computes hidden states for the tokens of a pass. Layers of BERT, RoBERTa
// and DeBERTa normalize their output:
//
//	x = norm(x + out(attention(qkv(x))))
//	x = norm(x + down(act(up(x))))
//
// Those of T5 and ModernBERT (preNorm) normalize the input of each half instead, and so
// does the network with its output:
//
//	x += out(attention(qkv(norm(x))))
//	x += down(act(up(norm(x))))
type network struct {
	width, inner int // width of hidden states and of feed-forward layers
	heads, head  int // number of attention heads and their width
	scale        float32
	act          kernel.Activation
	preNorm      bool
	embed        embeddings
	first        kernel.Norm // of the input of the first layer if preNorm; a nil gain means none
	layers       []layer

	disentangled *disentangled // nil except for DeBERTa
	relative     *relative     // nil except for T5
	rotations    []rotation    // nil except for ModernBERT
}

// A layer is stored in the order of computation: each norm follows the addition to x, and
// with preNorm, afterFeed is that of the next layer or of the network.
type layer struct {
	qkv, out         *dense
	afterAttention   kernel.Norm
	up, down         *dense // up is gated in T5 and ModernBERT
	afterFeed        kernel.Norm
	window, rotation int // attention window, 0 if unlimited, and index into rotations
}

// next returns where the norm belongs that follows the last layer.
func (n *network) next() *kernel.Norm {
	if len(n.layers) == 0 {
		return &n.first
	}
	return &n.layers[len(n.layers)-1].afterFeed
}

// forward returns one row of hidden values per token. If p.first is set, it returns
// only the rows of first tokens. The result is valid until the next pass. If ctx is
// done, forward returns its error.
func (n *network) forward(ctx context.Context, p *pass) ([]float32, error) {
	n.embed.run(p)
	for i := range n.rotations {
		n.rotations[i].grow(p.longest)
	}
	rows, width, attnWidth := len(p.ids), n.width, n.heads*n.head
	x, attnOut := p.x, grow(&p.attnOut, rows*attnWidth)
	grow(&p.qkv, rows*3*attnWidth)
	p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
		in := x[lo*width : hi*width]
		if n.first.Gain != nil {
			in = w.Floats(len(in))
			w.Norm(&n.first, in, x[lo*width:hi*width], nil)
		}
		n.computeQKV(w, p, 0, in, lo, hi)
	})
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		prune := p.first && i == len(n.layers)-1 // skip all but the first token of each sequence
		n.attend(p, i, prune)
		if prune {
			x, attnOut, rows = p.gather(x, width), p.gather(attnOut, attnWidth), len(p.starts)
		}
		p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
			n.finishLayer(w, p, i, x[lo*width:hi*width], attnOut[lo*attnWidth:hi*attnWidth], lo, hi)
		})
	}
	return x, nil
}

// computeQKV computes the queries, keys and values of layer i for tokens lo to hi.
func (n *network) computeQKV(w *kernel.Worker, p *pass, i int, in []float32, lo, hi int) {
	l, stride := &n.layers[i], 3*n.heads*n.head
	qkv := p.qkv[lo*stride : hi*stride]
	l.qkv.apply(w, qkv, in, kernel.None)
	if n.rotations != nil {
		n.rotations[l.rotation].rotate(qkv, p.positions[lo:hi], 2*n.heads, n.head)
	}
}

// attend computes the attention of layer i. If firstOnly is set, it is limited to
// the first token of each sequence.
func (n *network) attend(p *pass, i int, firstOnly bool) {
	attnWidth := n.heads * n.head
	a := kernel.Attention{
		Q: p.qkv, K: p.qkv[attnWidth:], V: p.qkv[2*attnWidth:], Stride: 3 * attnWidth,
		Out: p.attnOut, OutStride: attnWidth,
		Lengths: p.lengths, Heads: n.heads, HeadDim: n.head,
		Scale: n.scale, Window: n.layers[i].window, First: firstOnly,
	}
	switch {
	case n.relative != nil:
		n.relative.addBiases(p.longest, &a)
	case n.disentangled != nil:
		n.disentangled.addBiases(p, i, &a)
	}
	p.pool.Attend(&a)
}

// finishLayer computes the rest of layer i after its attention, followed by the
// queries, keys and values of the next layer.
func (n *network) finishLayer(w *kernel.Worker, p *pass, i int, x, attnOut []float32, lo, hi int) {
	l, last := &n.layers[i], i == len(n.layers)-1
	t, in := w.Floats(len(x)), x
	if n.preNorm {
		in = w.Floats(len(x))
	}
	l.out.apply(w, t, attnOut, kernel.None)
	w.Norm(&l.afterAttention, in, x, t)
	up := w.Floats((hi - lo) * n.inner)
	l.up.apply(w, up, in, n.act)
	l.down.apply(w, t, up, kernel.None)
	if last {
		in = x
	}
	w.Norm(&l.afterFeed, in, x, t)
	if !last {
		n.computeQKV(w, p, i+1, in, lo, hi)
	}
}

// fold moves the smoothing factors of int8 layers into the preceding normalizations,
// whose output no other layer reads if preNorm.
func (n *network) fold() {
	if !n.preNorm {
		return
	}
	before := &n.first
	for i := range n.layers {
		l := &n.layers[i]
		l.qkv.fold(before)
		l.up.fold(&l.afterAttention)
		before = &l.afterFeed
	}
}

// embeddings holds the embedding tables. The input of the network is the normalized sum
// of a row of each.
type embeddings struct {
	words     table
	positions table       // optional
	types     table       // optional
	norm      kernel.Norm // a nil gain means none
	// offset, if not 0, is the first position. Padding tokens are then not counted.
	pad    int32
	offset int
	// oneType means that all tokens have type 0, regardless of the tokenizer.
	oneType bool
}

// check rejects tokens that have no embedding.
func (e *embeddings) check(ids, types []int32) error {
	for _, id := range ids {
		if id < 0 || int(id) >= e.words.rows {
			return fmt.Errorf("token %d, but the model has embeddings for %d: tokenizer.json belongs to another model", id, e.words.rows)
		}
	}
	if e.types.rows == 0 || e.oneType {
		return nil
	}
	for _, t := range types {
		if t < 0 || int(t) >= e.types.rows {
			return fmt.Errorf("token type %d, but the model has %d types: tokenizer.json belongs to another model", t, e.types.rows)
		}
	}
	return nil
}

// setPositions sets the indexes of the tokens of one sequence in the position table.
func (e *embeddings) setPositions(positions, ids []int32) {
	count := 0
	for i, id := range ids {
		switch {
		case e.offset == 0:
			positions[i] = int32(i)
		case id == e.pad:
			positions[i] = int32(e.offset - 1)
		default:
			positions[i] = int32(e.offset + count)
			count++
		}
	}
}

// run stores the input of the network in p.x.
func (e *embeddings) run(p *pass) {
	width := e.words.width
	grow(&p.x, len(p.ids)*width)
	positions := grow(&p.positions, len(p.ids))
	for s, start := range p.starts {
		end := start + p.lengths[s]
		e.setPositions(positions[start:end], p.ids[start:end])
	}
	p.pool.Rows(p.precision, len(p.ids), func(w *kernel.Worker, lo, hi int) {
		scratch := w.Floats(width)
		for i := lo; i < hi; i++ {
			row := p.x[i*width : (i+1)*width]
			e.words.copy(row, int(p.ids[i]))
			if e.types.rows > 0 {
				t := 0
				if !e.oneType {
					t = int(p.types[i])
				}
				add(row, e.types.row(t, scratch))
			}
			if e.positions.rows > 0 {
				add(row, e.positions.row(int(positions[i]), scratch))
			}
		}
		if e.norm.Gain != nil {
			block := p.x[lo*width : hi*width]
			w.Norm(&e.norm, block, block, nil)
		}
	})
}

func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

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
