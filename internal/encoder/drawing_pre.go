package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/ort"

func (n *preNorm) draw(g *drawing) ort.Value {
	shape := heads{n.heads, n.head}
	x := g.tokens(g.rows(n.words, g.ids), n.width)
	if n.norm.gain != nil {
		x = n.drawNorm(g, x, n.norm)
	}
	bias := n.bias(g)
	var angles [][2]ort.Value
	for i := range n.turns {
		angles = append(angles, n.turns[i].draw(g, "angles"+string(rune('0'+i))))
	}
	for i := range n.layers {
		l := &n.layers[i]
		in := x
		if l.attNorm.gain != nil {
			in = n.drawNorm(g, x, l.attNorm)
		}
		qkv := g.qkv(in, l.qkv.Linear, n.heads*n.head)
		q, k, v := g.split(g.scaled(qkv[0], n.scale), shape), g.split(qkv[1], shape), g.split(qkv[2], shape)
		if n.turns != nil {
			q, k = g.turn(q, angles[l.rotated], n.head/2), g.turn(k, angles[l.rotated], n.head/2)
		}
		x = g.op("Add", x, g.linear(g.attend(q, k, v, shape, bias(l.window)), l.out.Linear)[0])
		gated := g.linear(n.drawNorm(g, x, l.ffNorm), l.gated.Linear)
		inner := g.op("Mul", g.activate(gated[0], n.act), gated[1])
		x = g.op("Add", x, g.linear(inner, l.down.Linear)[0])
	}
	return n.drawNorm(g, x, n.final)
}

func (n *preNorm) drawNorm(g *drawing, x ort.Value, by norm) ort.Value {
	if n.rms {
		return g.rmsNorm(x, by, n.eps)
	}
	return g.norm(x, by, n.eps)
}

// bias returns what gives the bias of all scores in a layer with a window: that
// of padding, with that of distances where there is one.
func (n *preNorm) bias(g *drawing) func(window int) ort.Value {
	if n.relative == nil && n.turns == nil {
		return func(int) ort.Value { return g.mask }
	}
	distances := g.distances()
	all := g.mask
	if n.relative != nil {
		all = g.op("Add", g.mask, n.relative.draw(g, distances))
	}
	known := map[int]ort.Value{0: all}
	return func(window int) ort.Value {
		if _, ok := known[window]; !ok {
			apart := g.op("Abs", g.Op("Cast", []ort.Value{distances}, ort.Int("to", int64(ort.Float32))))
			hidden := g.op("Greater", apart, g.Scalar(float32(window)))
			known[window] = g.op("Add", all, g.op("Where", hidden, g.Scalar(padding), g.Scalar(0)))
		}
		return known[window]
	}
}

// draw adds the biases by distance to a graph: [heads, length, length].
func (r *relative) draw(g *drawing, distances ort.Value) ort.Value {
	buckets := g.feed("buckets", ort.Int64, func(b *padded) ort.Tensor {
		// Distances below zero count from the end.
		values := make([]int64, 2*b.length-1)
		for i := range values {
			distance := i
			if i >= b.length {
				distance -= len(values)
			}
			values[i] = int64(r.bucket(distance))
		}
		return ort.Of("buckets", values, len(values))
	}, "distances")
	byDistance := g.op("Gather", g.Floats(r.values, r.buckets, r.heads), buckets)
	return g.transposed(g.op("Gather", byDistance, distances), 2, 0, 1)
}

// draw adds the cosines and sines of all positions to a graph, [length, half]
// each.
func (r *rotation) draw(g *drawing, name string) [2]ort.Value {
	both := g.feed(name, ort.Float32, func(b *padded) ort.Tensor {
		r.grow(b.length)
		return ort.Of(name, r.turned[:b.length*2*r.half], b.length, 2*r.half)
	}, dimLength, name)
	n := int64(r.half)
	turned := g.Ops("Split", 2, []ort.Value{both, g.Ints(n, n)}, ort.Int("axis", 1))
	return [2]ort.Value{turned[0], turned[1]}
}

// turn rotates the halves of x, [batch, heads, length, 2*half].
func (g *drawing) turn(x ort.Value, angles [2]ort.Value, half int) ort.Value {
	n := int64(half)
	halves := g.Ops("Split", 2, []ort.Value{x, g.Ints(n, n)}, ort.Int("axis", 3))
	a, b, cos, sin := halves[0], halves[1], angles[0], angles[1]
	first := g.op("Sub", g.op("Mul", a, cos), g.op("Mul", b, sin))
	second := g.op("Add", g.op("Mul", b, cos), g.op("Mul", a, sin))
	return g.Op("Concat", []ort.Value{first, second}, ort.Int("axis", 3))
}
