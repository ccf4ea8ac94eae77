package encoder

import (
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// buildGraph adds the network to a graph and returns the hidden values of all tokens
// including padding, one row each.
func (n *network) buildGraph(g *graphBuilder) ort.Value {
	shape := heads{n.heads, n.head}
	x := n.embed.buildGraph(g)
	in := x
	if n.first.Gain != nil {
		in = g.norm(x, n.first)
	}
	biases := n.biases(g, shape)
	var angles [][2]ort.Value
	for i := range n.rotations {
		angles = append(angles, n.rotations[i].buildGraph(g, "angles"+string(rune('0'+i))))
	}
	for i := range n.layers {
		l := &n.layers[i]
		qkv := g.linear(in, l.qkv.Linear)
		q, k, v := g.split(g.multiply(qkv[0], n.scale), shape), g.split(qkv[1], shape), g.split(qkv[2], shape)
		if n.rotations != nil {
			q, k = g.rotate(q, angles[l.rotation], n.head/2), g.rotate(k, angles[l.rotation], n.head/2)
		}
		x = g.op("Add", x, g.linear(g.attend(q, k, v, shape, biases(l, q, k)...), l.out.Linear)[0])
		in = g.norm(x, l.afterAttention)
		if !n.preNorm {
			x = in
		}
		up := g.linear(in, l.up.Linear)
		inner := g.activate(up[0], n.act)
		if l.up.Gated {
			inner = g.op("Mul", inner, up[1])
		}
		x = g.op("Add", x, g.linear(inner, l.down.Linear)[0])
		in = g.norm(x, l.afterFeed)
		if !n.preNorm {
			x = in
		}
	}
	return in
}

func (e *embeddings) buildGraph(g *graphBuilder) ort.Value {
	x := g.rows(e.words, g.ids)
	switch {
	case e.types.rows == 0:
	case e.oneType:
		x = g.op("Add", x, g.rows(e.types, g.Ints(0)))
	default:
		x = g.op("Add", x, g.rows(e.types, g.feedTokens("types", func(dst []int32, s sequence) { copy(dst, s.types) })))
	}
	if e.positions.rows > 0 {
		positions := g.feedTokens("positions", func(dst []int32, s sequence) { e.setPositions(dst, s.ids) })
		x = g.op("Add", x, g.rows(e.positions, positions))
	}
	x = g.tokens(x, e.words.width)
	if e.norm.Gain != nil {
		x = g.norm(x, e.norm)
	}
	return x
}

// biases returns a function that returns the biases of the attention scores of a layer
// with queries q and keys k. They cover padding, relative distance and window.
func (n *network) biases(g *graphBuilder, shape heads) func(l *layer, q, k ort.Value) []ort.Value {
	if n.disentangled != nil {
		table := n.disentangled.buildGraph(g)
		return func(l *layer, q, k ort.Value) []ort.Value {
			return append(n.disentangled.layerBiases(g, &table, l, shape, q, k), g.mask)
		}
	}
	byWindow := map[int]ort.Value{0: g.mask}
	var distances ort.Value
	if n.relative != nil || n.rotations != nil {
		distances = g.distances()
	}
	if n.relative != nil {
		byWindow[0] = g.op("Add", g.mask, n.relative.buildGraph(g, distances))
	}
	return func(l *layer, _, _ ort.Value) []ort.Value {
		if _, ok := byWindow[l.window]; !ok {
			absDistance := g.op("Abs", g.Op("Cast", []ort.Value{distances}, ort.Int("to", int64(ort.Float32))))
			hidden := g.op("Greater", absDistance, g.Scalar(float32(l.window)))
			byWindow[l.window] = g.op("Add", byWindow[0], g.op("Where", hidden, g.Scalar(padding), g.Scalar(0)))
		}
		return []ort.Value{byWindow[l.window]}
	}
}

// buildGraph adds the biases of all distances to a graph: [heads, length, length].
func (r *relative) buildGraph(g *graphBuilder, distances ort.Value) ort.Value {
	buckets := g.feed("buckets", ort.Int64, func(b *paddedBatch) ort.Tensor {
		// Negative distances index from the end.
		values := make([]int64, 2*b.length-1)
		for i := range values {
			distance := i
			if i >= b.length {
				distance -= len(values)
			}
			values[i] = int64(kernel.DistanceBucket(distance, r.buckets))
		}
		return ort.NewTensor("buckets", values, len(values))
	})
	byDistance := g.op("Gather", g.Floats(r.values, r.buckets, r.heads), buckets)
	return g.transpose(g.op("Gather", byDistance, distances), 2, 0, 1)
}

// buildGraph adds the cosines and sines of all positions to a graph, [length, half] each.
func (r *rotation) buildGraph(g *graphBuilder, name string) [2]ort.Value {
	both := g.feed(name, ort.Float32, func(b *paddedBatch) ort.Tensor {
		r.grow(b.length)
		return ort.NewTensor(name, r.angles[:b.length*2*r.half], b.length, 2*r.half)
	})
	n := int64(r.half)
	angles := g.Ops("Split", 2, []ort.Value{both, g.Ints(n, n)}, ort.Int("axis", 1))
	return [2]ort.Value{angles[0], angles[1]}
}

// rotate applies rotary position embedding to x: [batch, heads, length, 2*half].
func (g *graphBuilder) rotate(x ort.Value, angles [2]ort.Value, half int) ort.Value {
	n := int64(half)
	halves := g.Ops("Split", 2, []ort.Value{x, g.Ints(n, n)}, ort.Int("axis", 3))
	a, b, cos, sin := halves[0], halves[1], angles[0], angles[1]
	first := g.op("Sub", g.op("Mul", a, cos), g.op("Mul", b, sin))
	second := g.op("Add", g.op("Mul", b, cos), g.op("Mul", a, sin))
	return g.Op("Concat", []ort.Value{first, second}, ort.Int("axis", 3))
}

// graphDistances holds the graph values shared by all DeBERTa layers.
type graphDistances struct {
	table    ort.Value // normalized distance embeddings
	c2p, p2c ort.Value // indices into table by distance, seen from query and key
	length   ort.Value // sequence length, shape [1]
	last     ort.Value // length-1
}

// buildGraph adds the distance embeddings to a graph. A product with all distances
// of a sequence has 2*length columns, as slide expects; the last column is unused.
func (d *disentangled) buildGraph(g *graphBuilder) graphDistances {
	t := graphDistances{table: g.norm(g.weight(d.table.raw, d.table.rows, d.table.width), d.norm)}
	rows := func(name string, sign int) ort.Value {
		return g.feed(name, ort.Int64, func(b *paddedBatch) ort.Tensor {
			values := make([]int64, 2*b.length)
			for r := range values {
				values[r] = int64(d.row(sign * (r - b.length + 1)))
			}
			return ort.NewTensor(name, values, len(values))
		})
	}
	t.c2p, t.p2c = rows("c2p", -1), rows("p2c", 1)
	t.length = g.op("Gather", g.sizes, g.Ints(1))
	t.last = g.op("Sub", t.length, g.Ints(1))
	return t
}

// layerBiases returns the attention biases of a layer: the products of its scaled queries with the
// projected keys of distances, and of its keys with the projected queries of distances.
func (d *disentangled) layerBiases(g *graphBuilder, t *graphDistances, l *layer, shape heads, q, k ort.Value) []ort.Value {
	parts := g.parts[l.qkv.Linear]
	// The projection depends on no input, so ONNX Runtime computes it only once.
	project := func(rows ort.Value, part int, factor float32) ort.Value {
		p := parts[part]
		x := g.Op("Gemm", []ort.Value{t.table, g.weight(p.W, p.Out, l.qkv.In), g.Floats(p.Bias, p.Out)}, ort.Int("transB", 1))
		x = g.op("Reshape", g.multiply(x, factor), g.Ints(-1, int64(shape.n), int64(shape.size)))
		x = g.Op("Gather", []ort.Value{g.transpose(x, 1, 0, 2), rows}, ort.Int("axis", 1))
		return g.transpose(x, 0, 2, 1) // [heads, size, distances]
	}
	c2p := t.slide(g, g.op("MatMul", q, project(t.c2p, 1, 1)))
	p2c := t.slide(g, g.op("MatMul", k, project(t.p2c, 0, d.scale)))
	return []ort.Value{c2p, g.transpose(p2c, 0, 1, 3, 2)}
}

// slide selects columns length-1-i to 2*length-1-i of each row i of x, whose shape
// is [batch, heads, length, 2*length]. In the flattened matrix, these ranges start
// at length-1 and repeat every 2*length-1 values. Dropping length-1 values and
// reshaping to rows of 2*length-1 aligns them.
func (t *graphDistances) slide(g *graphBuilder, x ort.Value) ort.Value {
	x = g.op("Reshape", x, g.Ints(0, 0, -1))
	x = g.op("Slice", x, t.last, g.Ints(-1), g.Ints(2))
	shape := g.Op("Concat", []ort.Value{g.Ints(0, 0), t.length, g.Ints(-1)}, ort.Int("axis", 0))
	return g.op("Slice", g.op("Reshape", x, shape), g.Ints(0), t.length, g.Ints(3))
}

func (h *head) buildGraph(g *graphBuilder, x ort.Value) ort.Value {
	x = g.pool(h.pooling, x, h.width)
	if h.out == nil {
		return x
	}
	if h.dense != nil {
		x = g.activate(g.linear(x, h.dense.Linear)[0], h.act)
		if h.norm.Gain != nil {
			x = g.norm(x, h.norm)
		}
	}
	return g.linear(x, h.out)[0]
}
