package encoder

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// preNorm is a network whose layers normalise what they read and not what they
// add up to, as T5 and ModernBERT do.
type preNorm struct {
	width, inner int // hidden and feed-forward values of a token
	heads, head  int // attention heads, and the values of each
	eps          float32
	rms          bool // norms are RMSNorm, else LayerNorm
	act          kernel.Activation
	scale        float32 // of queries by keys
	words        table
	norm         norm // of the embeddings; without gain there is none
	layers       []preLayer
	final        norm
	relative     *relative  // biases by distance, of T5
	turns        []rotation // of ModernBERT, which layers refer to
}

// preLayer is x += out(attention(qkv(norm(x)))), x += down(gated(norm(x))).
type preLayer struct {
	attNorm         norm // without gain there is none
	qkv, out        *dense
	ffNorm          norm
	gated, down     *dense
	window, rotated int // 0: all tokens are seen; index into turns
}

func (n *preNorm) vocabulary() int { return n.words.rows }

func (n *preNorm) check(ids, _ []int32) error { return checkIDs(ids, n.words.rows) }

// normalise sets dst to the norm of x, after x += res where res is not nil.
func (n *preNorm) normalise(w *kernel.Worker, dst, x, res []float32, rows int, by norm) {
	if n.rms {
		w.RMSNorm(dst, x, res, rows, n.width, by.gain, n.eps)
	} else {
		w.LayerNorm(dst, x, res, rows, n.width, by.gain, by.bias, n.eps)
	}
}

func (n *preNorm) embed(p *pass) {
	room(&p.x, len(p.ids)*n.width)
	p.each(func(w *kernel.Worker, lo, hi int) {
		for i := lo; i < hi; i++ {
			n.words.copy(p.x[i*n.width:(i+1)*n.width], int(p.ids[i]))
		}
		if n.norm.gain != nil {
			block := p.x[lo*n.width : hi*n.width]
			n.normalise(w, block, block, nil, hi-lo, n.norm)
		}
	})
	p.tell("embeddings", p.x)
	if n.turns == nil {
		return
	}
	room(&p.positions, len(p.ids))
	for s, at := range p.starts {
		for i := range p.lengths[s] {
			p.positions[at+i] = int32(i)
		}
	}
	for i := range n.turns {
		n.turns[i].grow(p.longest)
	}
}

// begin computes queries, keys and values of tokens lo to hi for layer i; x is
// their hidden states, to which res is added first.
func (n *preNorm) begin(w *kernel.Worker, p *pass, i int, x, res []float32, lo, hi int) {
	l, rows := &n.layers[i], hi-lo
	attended := n.heads * n.head
	in := x
	switch {
	case l.attNorm.gain != nil:
		in = w.Floats(rows * n.width)
		n.normalise(w, in, x, res, rows, l.attNorm)
	case res != nil:
		add(x, res)
	}
	qkv := p.qkv[lo*3*attended : hi*3*attended]
	l.qkv.apply(w, qkv, 3*attended, in, n.width, rows, kernel.None)
	if n.turns != nil {
		n.turns[l.rotated].turn(qkv, p.positions[lo:hi], 2*n.heads, n.head)
	}
}

// add adds y to x.
func add(x, y []float32) {
	y = y[:len(x)]
	for i := range x {
		x[i] += y[i]
	}
}

func (n *preNorm) forward(ctx context.Context, p *pass) ([]float32, error) {
	n.embed(p)
	rows, attended := len(p.ids), n.heads*n.head
	x, mixed := p.x, room(&p.mixed, rows*attended)
	room(&p.qkv, rows*3*attended)
	p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
		n.begin(w, p, 0, x[lo*n.width:hi*n.width], nil, lo, hi)
	})
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		prune := p.prune(i, len(n.layers))
		n.attend(p, i, prune)
		if prune {
			x, mixed, rows = p.gather(x, n.width), p.gather(mixed, attended), len(p.starts)
		}
		p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
			n.block(w, p, i, x[lo*n.width:hi*n.width], mixed[lo*attended:hi*attended], lo, hi)
		})
		p.layer(i, x)
	}
	if p.observe != nil {
		// block has left this out, so that the last layer could be seen.
		if n.rms {
			p.pool.RMSNorm(x, x, nil, rows, n.width, n.final.gain, n.eps)
		} else {
			p.pool.LayerNorm(x, x, nil, rows, n.width, n.final.gain, n.final.bias, n.eps)
		}
		p.tell("final_norm", x)
	}
	if p.first && rows > len(p.starts) {
		x = p.gather(x, n.width)
	}
	return x, nil
}

// block is what layer i does behind the attention, and what the next one does
// before its own.
func (n *preNorm) block(w *kernel.Worker, p *pass, i int, x, mixed []float32, lo, hi int) {
	l, rows := &n.layers[i], hi-lo
	t, in := w.Floats(len(x)), w.Floats(len(x))
	l.out.apply(w, t, n.width, mixed, n.heads*n.head, rows, kernel.None)
	n.normalise(w, in, x, t, rows, l.ffNorm)
	inner := w.Floats(rows * n.inner)
	l.gated.applyGated(w, inner, n.inner, in, n.width, rows, n.act)
	l.down.apply(w, t, n.width, inner, n.inner, rows, kernel.None)
	switch {
	case i+1 < len(n.layers):
		n.begin(w, p, i+1, x, t, lo, hi)
	case p.observe != nil:
		add(x, t)
	default:
		n.normalise(w, x, x, t, rows, n.final)
	}
}

// fold spares layers a step that was made for int8.
func (n *preNorm) fold() {
	for i := range n.layers {
		l := &n.layers[i]
		l.attNorm, l.ffNorm = l.qkv.fold(l.attNorm), l.gated.fold(l.ffNorm)
	}
}

// attend computes the attention of layer i, or of its first tokens only.
func (n *preNorm) attend(p *pass, i int, firsts bool) {
	attended := n.heads * n.head
	a := kernel.Attention{
		Q: p.qkv, K: p.qkv[attended:], V: p.qkv[2*attended:], Stride: 3 * attended,
		Out: p.mixed, OutStride: attended,
		Lengths: p.lengths, Heads: n.heads, HeadDim: n.head,
		Scale: n.scale, Window: n.layers[i].window,
	}
	if firsts {
		a.Visible = p.firsts()
	}
	if n.relative != nil {
		a.Relative, a.MaxLen = n.relative.upTo(p.longest)
	}
	p.pool.Attend(&a)
}
