package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/ort"

// A relativeTable is what the layers of DeBERTa share in a graph.
type relativeTable struct {
	names    ort.Value // of distances, normalised: a row each
	c2p, p2c ort.Value // rows by distance, as queries and as keys see it
	length   ort.Value // of sequences, a list of one
	first    ort.Value // that less one
}

// draw adds the table of distances to a graph. A product with all distances of a
// sequence has twice its length of columns, of which the last means nothing: see
// slide.
func (d *disentangled) draw(g *drawing) relativeTable {
	t := relativeTable{names: g.widened(g.raw(d.names.raw, d.names.rows, d.names.width), d.names.raw)}
	if d.normed.gain != nil {
		t.names = g.norm(t.names, d.normed, d.eps)
	}
	// A key's distances are counted from the other side.
	rows := func(name string, sign int) ort.Value {
		return g.feed(name, ort.Int64, func(b *padded) ort.Tensor {
			values := make([]int64, 2*b.length)
			for r := range values {
				values[r] = int64(d.row(sign * (r - b.length + 1)))
			}
			return ort.Of(name, values, len(values))
		}, "distances")
	}
	if d.c2p {
		t.c2p = rows("c2p", -1)
	}
	if d.p2c {
		t.p2c = rows("p2c", 1)
	}
	t.length = g.op("Gather", g.sizes, g.Ints(1))
	t.first = g.op("Sub", t.length, g.Ints(1))
	return t
}

// drawLayer adds the biases of a layer: the products of its queries, scaled
// already, with the keys of distances, and of its keys with the queries of
// distances.
func (d *disentangled) drawLayer(g *drawing, t *relativeTable, l *postLayer, shape heads, q, k ort.Value) []ort.Value {
	var biases []ort.Value
	parts := g.parts[l.qkv.Linear]
	// All rows of the table are projected, which the library does once and for all,
	// as it depends on no input.
	project := func(rows ort.Value, part int, by float32) ort.Value {
		p := parts[part]
		weight := g.widened(g.raw(p.W, p.Out, l.qkv.In), p.W)
		x := g.Op("Gemm", []ort.Value{t.names, weight, g.Floats(p.Bias, p.Out)}, ort.Int("transB", 1))
		x = g.op("Reshape", g.scaled(x, by), g.Ints(-1, int64(shape.n), int64(shape.size)))
		x = g.Op("Gather", []ort.Value{g.transposed(x, 1, 0, 2), rows}, ort.Int("axis", 1))
		return g.transposed(x, 0, 2, 1) // [heads, size, distances]
	}
	if d.c2p {
		biases = append(biases, t.slide(g, g.op("MatMul", q, project(t.c2p, 1, 1))))
	}
	if d.p2c {
		of := t.slide(g, g.op("MatMul", k, project(t.p2c, 0, d.scale)))
		biases = append(biases, g.transposed(of, 0, 1, 3, 2))
	}
	return biases
}

// slide takes of each row i of x, [batch, heads, length, 2*length], the columns
// from length-1-i to 2*length-1-i. Where these rows are read as one, what is
// wanted begins at length-1, and 2*length-1 later each time: rows that are one
// shorter begin where the wanted values do.
func (t *relativeTable) slide(g *drawing, x ort.Value) ort.Value {
	x = g.op("Reshape", x, g.Ints(0, 0, -1))
	x = g.op("Slice", x, t.first, g.Ints(-1), g.Ints(2))
	shape := g.Op("Concat", []ort.Value{g.Ints(0, 0), t.length, g.Ints(-1)}, ort.Int("axis", 0))
	return g.op("Slice", g.op("Reshape", x, shape), g.Ints(0), t.length, g.Ints(3))
}
