package encoder

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// preNorm is a network whose layers normalize their input: T5 and ModernBERT.
type preNorm struct {
	width, inner int // width of hidden states and of feed-forward layers
	heads, head  int // number of attention heads and their width
	eps          float32
	rms          bool // use RMSNorm instead of LayerNorm
	act          kernel.Activation
	scale        float32 // scale of attention scores
	words        table
	norm         norm // normalization of the embeddings; a nil gain means none
	layers       []preLayer
	final        norm
	relative     *relative  // nil except for T5
	rotations    []rotation // nil except for ModernBERT
}

// preLayer computes
//
//	x += out(attention(qkv(norm(x))))
//	x += down(gated(norm(x)))
type preLayer struct {
	attNorm          norm // a nil gain means none
	qkv, out         *dense
	ffNorm           norm
	gated, down      *dense
	window, rotation int // attention window, 0 if unlimited, and index into rotations
}

func (n *preNorm) vocabulary() int { return n.words.rows }

func (n *preNorm) check(ids, _ []int32) error { return checkIDs(ids, n.words.rows) }

// normalize sets dst to the norm of x, after adding res to x unless res is nil.
func (n *preNorm) normalize(w *kernel.Worker, dst, x, res []float32, rows int, p norm) {
	if n.rms {
		w.RMSNorm(dst, x, res, rows, n.width, p.gain, n.eps)
	} else {
		w.LayerNorm(dst, x, res, rows, n.width, p.gain, p.bias, n.eps)
	}
}

func (n *preNorm) embed(p *pass) {
	grow(&p.x, len(p.ids)*n.width)
	p.eachBlock(func(w *kernel.Worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			n.words.copy(p.x[i*n.width:(i+1)*n.width], int(p.ids[i]))
		}
		if n.norm.gain != nil {
			block := p.x[lo*n.width : hi*n.width]
			n.normalize(w, block, block, nil, hi-lo, n.norm)
		}
	})
	if n.rotations == nil {
		return
	}
	grow(&p.positions, len(p.ids))
	for s, start := range p.starts {
		for i := range p.lengths[s] {
			p.positions[start+i] = int32(i)
		}
	}
	for i := range n.rotations {
		n.rotations[i].grow(p.longest)
	}
}

// computeQKV computes the queries, keys and values of layer i for tokens lo to hi,
// whose hidden states are x. It first adds res to x unless res is nil.
func (n *preNorm) computeQKV(w *kernel.Worker, p *pass, i int, x, res []float32, lo, hi int) {
	l, rows := &n.layers[i], hi-lo
	attnWidth := n.heads * n.head
	in := x
	switch {
	case l.attNorm.gain != nil:
		in = w.Floats(rows * n.width)
		n.normalize(w, in, x, res, rows, l.attNorm)
	case res != nil:
		add(x, res)
	}
	qkv := p.qkv[lo*3*attnWidth : hi*3*attnWidth]
	l.qkv.apply(w, qkv, 3*attnWidth, in, n.width, rows, kernel.None)
	if n.rotations != nil {
		n.rotations[l.rotation].rotate(qkv, p.positions[lo:hi], 2*n.heads, n.head)
	}
}

func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

func (n *preNorm) forward(ctx context.Context, p *pass) ([]float32, error) {
	n.embed(p)
	rows, attnWidth := len(p.ids), n.heads*n.head
	x, attnOut := p.x, grow(&p.attnOut, rows*attnWidth)
	grow(&p.qkv, rows*3*attnWidth)
	p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
		n.computeQKV(w, p, 0, x[lo*n.width:hi*n.width], nil, lo, hi)
	})
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		prune := p.prune(i, len(n.layers))
		n.attend(p, i, prune)
		if prune {
			x, attnOut, rows = p.gather(x, n.width), p.gather(attnOut, attnWidth), len(p.starts)
		}
		p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
			n.finishLayer(w, p, i, x[lo*n.width:hi*n.width], attnOut[lo*attnWidth:hi*attnWidth], lo, hi)
		})
	}
	if p.first && rows > len(p.starts) {
		x = p.gather(x, n.width)
	}
	return x, nil
}

// finishLayer computes the rest of layer i after its attention, followed by the
// queries, keys and values of the next layer or, after the last layer, the final
// norm.
func (n *preNorm) finishLayer(w *kernel.Worker, p *pass, i int, x, attnOut []float32, lo, hi int) {
	l, rows := &n.layers[i], hi-lo
	t, in := w.Floats(len(x)), w.Floats(len(x))
	l.out.apply(w, t, n.width, attnOut, n.heads*n.head, rows, kernel.None)
	n.normalize(w, in, x, t, rows, l.ffNorm)
	inner := w.Floats(rows * n.inner)
	l.gated.applyGated(w, inner, n.inner, in, n.width, rows, n.act)
	l.down.apply(w, t, n.width, inner, n.inner, rows, kernel.None)
	if i+1 < len(n.layers) {
		n.computeQKV(w, p, i+1, x, t, lo, hi)
	} else {
		n.normalize(w, x, x, t, rows, n.final)
	}
}

// fold moves the smoothing factors of int8 layers into the preceding normalizations.
func (n *preNorm) fold() {
	for i := range n.layers {
		l := &n.layers[i]
		l.attNorm, l.ffNorm = l.qkv.fold(l.attNorm), l.gated.fold(l.ffNorm)
	}
}

// attend computes the attention of layer i. If firstOnly is set, it is limited to
// the first token of each sequence.
func (n *preNorm) attend(p *pass, i int, firstOnly bool) {
	attnWidth := n.heads * n.head
	a := kernel.Attention{
		Q: p.qkv, K: p.qkv[attnWidth:], V: p.qkv[2*attnWidth:], Stride: 3 * attnWidth,
		Out: p.attnOut, OutStride: attnWidth,
		Lengths: p.lengths, Heads: n.heads, HeadDim: n.head,
		Scale: n.scale, Window: n.layers[i].window, First: firstOnly,
	}
	if n.relative != nil {
		a.Relative, a.MaxLen = n.relative.biases(p.longest)
	}
	p.pool.Attend(&a)
}
