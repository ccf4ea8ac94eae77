package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/ort"

func (n *postNorm) draw(g *drawing) ort.Value {
	shape := heads{n.heads, n.width / n.heads}
	x := n.embed.draw(g, n.eps)
	var table relativeTable
	if n.relative != nil {
		table = n.relative.draw(g)
	}
	for i := range n.layers {
		l := &n.layers[i]
		qkv := g.qkv(x, l.qkv.Linear, n.width)
		by := scale(shape.size)
		if n.relative != nil {
			by = n.relative.scale
		}
		q, k, v := g.split(g.scaled(qkv[0], by), shape), g.split(qkv[1], shape), g.split(qkv[2], shape)
		biases := []ort.Value{g.mask}
		if n.relative != nil {
			biases = append(n.relative.drawLayer(g, &table, l, shape, q, k), g.mask)
		}
		mixed := g.linear(g.attend(q, k, v, shape, biases...), l.out.Linear)[0]
		x = g.norm(g.op("Add", x, mixed), l.attNorm, n.eps)
		up := g.activate(g.linear(x, l.up.Linear)[0], n.act)
		x = g.norm(g.op("Add", x, g.linear(up, l.down.Linear)[0]), l.ffNorm, n.eps)
	}
	return x
}

func (e *embeddings) draw(g *drawing, eps float32) ort.Value {
	x := g.rows(e.words, g.ids)
	switch {
	case e.types.rows == 0:
	case e.oneType:
		x = g.op("Add", x, g.rows(e.types, g.Ints(0)))
	default:
		types := g.feed("types", ort.Int32, func(b *padded) ort.Tensor {
			return ort.Of("types", b.spread(func(dst []int32, s sequence) { copy(dst, s.types) }), len(b.seqs), b.length)
		}, dimBatch, dimLength)
		x = g.op("Add", x, g.rows(e.types, types))
	}
	if e.positions.rows > 0 {
		positions := g.feed("positions", ort.Int32, func(b *padded) ort.Tensor {
			return ort.Of("positions", b.spread(func(dst []int32, s sequence) { e.count(dst, s.ids) }), len(b.seqs), b.length)
		}, dimBatch, dimLength)
		x = g.op("Add", x, g.rows(e.positions, positions))
	}
	return g.norm(g.tokens(x, e.words.width), e.norm, eps)
}
