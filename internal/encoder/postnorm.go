package encoder

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// postNorm is a network whose layers normalize their output: BERT, RoBERTa and
// DeBERTa.
type postNorm struct {
	width, inner int // width of hidden states and of feed-forward layers
	heads        int
	eps          float32
	act          kernel.Activation
	embed        embeddings
	layers       []postLayer
	relative     *disentangled // nil except for DeBERTa
}

// postLayer computes
//
//	x = norm(x + out(attention(qkv(x))))
//	x = norm(x + down(act(up(x))))
type postLayer struct {
	qkv, out, up, down *dense
	attNorm, ffNorm    norm
}

// embeddings holds the embedding tables. The input of the first layer is the
// normalized sum of a row of each.
type embeddings struct {
	words     table
	positions table // optional
	types     table // optional
	norm      norm
	// offset, if not 0, is the first position. Padding tokens are then not counted.
	pad    int32
	offset int
	// oneType means that all tokens have type 0, regardless of the tokenizer.
	oneType bool
}

func (n *postNorm) vocabulary() int { return n.embed.words.rows }

func (n *postNorm) check(ids, types []int32) error { return n.embed.check(ids, types) }

func (e *embeddings) check(ids, types []int32) error {
	if err := checkIDs(ids, e.words.rows); err != nil {
		return err
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

func checkIDs(ids []int32, rows int) error {
	for _, id := range ids {
		if id < 0 || int(id) >= rows {
			return fmt.Errorf("token %d, but the model has embeddings for %d: tokenizer.json belongs to another model", id, rows)
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

// run stores the input of the first layer in p.x.
func (e *embeddings) run(p *pass, eps float32) {
	width := e.words.width
	grow(&p.x, len(p.ids)*width)
	positions := grow(&p.positions, len(p.ids))
	for s, start := range p.starts {
		end := start + p.lengths[s]
		e.setPositions(positions[start:end], p.ids[start:end])
	}
	p.eachBlock(func(w *kernel.Worker, lo, hi int) {
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
		block := p.x[lo*width : hi*width]
		w.LayerNorm(block, block, nil, hi-lo, width, e.norm.gain, e.norm.bias, eps)
	})
}

func (n *postNorm) forward(ctx context.Context, p *pass) ([]float32, error) {
	width := n.width
	n.embed.run(p, n.eps)
	rows := len(p.ids)
	x, attnOut, qkv := p.x, grow(&p.attnOut, rows*width), grow(&p.qkv, rows*3*width)
	p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
		n.layers[0].qkv.apply(w, qkv[lo*3*width:], 3*width, x[lo*width:], width, hi-lo, kernel.None)
	})
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		prune := p.prune(i, len(n.layers))
		n.attend(p, i, prune)
		if prune {
			x, attnOut = p.gather(x, width), p.gather(attnOut, width)
			rows = len(x) / width
		}
		l := &n.layers[i]
		var next *dense
		if i+1 < len(n.layers) {
			next = n.layers[i+1].qkv
		}
		p.pool.Rows(p.precision, rows, func(w *kernel.Worker, lo, hi int) {
			x, m := x[lo*width:hi*width], hi-lo
			t := w.Floats(m * width)
			l.out.apply(w, t, width, attnOut[lo*width:], width, m, kernel.None)
			w.LayerNorm(x, x, t, m, width, l.attNorm.gain, l.attNorm.bias, n.eps)
			up := w.Floats(m * n.inner)
			l.up.apply(w, up, n.inner, x, width, m, n.act)
			l.down.apply(w, t, width, up, n.inner, m, kernel.None)
			w.LayerNorm(x, x, t, m, width, l.ffNorm.gain, l.ffNorm.bias, n.eps)
			if next != nil {
				next.apply(w, qkv[lo*3*width:], 3*width, x, width, m, kernel.None)
			}
		})
	}
	if p.first && rows == len(p.ids) {
		x = p.gather(x, width)
	}
	return x, nil
}

// attend computes the attention of layer i. If prune is set, it is limited to the
// first token of each sequence.
func (n *postNorm) attend(p *pass, i int, prune bool) {
	width := n.width
	a := kernel.Attention{
		Q: p.qkv, K: p.qkv[width:], V: p.qkv[2*width:], Stride: 3 * width,
		Out: p.attnOut, OutStride: width,
		Lengths: p.lengths, Heads: n.heads, HeadDim: width / n.heads, First: prune,
	}
	if n.relative != nil {
		n.relative.attend(p, i, &a)
		return
	}
	a.Scale = scale(a.HeadDim)
	p.pool.Attend(&a)
}
