package encoder

import (
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// A drawing is a network on its way to become a graph of ONNX. Its tensors have
// rows of tokens, of all sequences of a batch one after another, which are padded
// to one length; only attention and pooling see the sequences.
type drawing struct {
	ort.Graph
	parts map[*kernel.Linear][]kernel.Part
	feeds []func(b *padded) ort.Tensor

	ids    ort.Value // [batch, length], 0 for padding
	hidden ort.Value // [batch, length, 1] with the bias of padding in it
	mask   ort.Value // [batch, 1, 1, length], likewise
	sizes  ort.Value // the sizes batch and length
}

// padding is added to the scores of tokens that are none. It is finite, so that a
// row that sees nothing else comes out as a number, which nobody reads.
const padding = -1e30

// Names of dimensions.
const (
	dimBatch  = "batch"
	dimLength = "length"
)

func newDrawing(parts map[*kernel.Linear][]kernel.Part) *drawing {
	g := &drawing{parts: parts}
	g.ids = g.feed("ids", ort.Int32, func(b *padded) ort.Tensor {
		return ort.Of("ids", b.spread(func(dst []int32, s sequence) { copy(dst, s.ids) }), len(b.seqs), b.length)
	}, dimBatch, dimLength)
	bias := g.feed("padding", ort.Float32, func(b *padded) ort.Tensor {
		values := make([]float32, len(b.seqs)*b.length)
		for i, s := range b.seqs {
			for j := len(s.ids); j < b.length; j++ {
				values[i*b.length+j] = padding
			}
		}
		return ort.Of("padding", values, len(b.seqs), b.length)
	}, dimBatch, dimLength)
	g.mask = g.op("Unsqueeze", bias, g.Ints(1, 2))
	g.hidden = g.op("Unsqueeze", bias, g.Ints(2))
	g.sizes = g.op("Shape", g.ids)
	return g
}

// op is a node without attributes.
func (g *drawing) op(operator string, inputs ...ort.Value) ort.Value { return g.Op(operator, inputs) }

// feed adds an input and what makes it of a batch.
func (g *drawing) feed(name string, e ort.Element, fill func(b *padded) ort.Tensor, dims ...string) ort.Value {
	g.feeds = append(g.feeds, fill)
	return g.Input(name, e, dims...)
}

// distances returns by how much a key is behind its query: [length, length].
func (g *drawing) distances() ort.Value {
	at := g.feed("at", ort.Int64, func(b *padded) ort.Tensor {
		values := make([]int64, b.length)
		for i := range values {
			values[i] = int64(i)
		}
		return ort.Of("at", values, b.length)
	}, dimLength)
	return g.op("Sub", g.op("Unsqueeze", at, g.Ints(0)), g.op("Unsqueeze", at, g.Ints(1)))
}

// widened makes float32 of a value with the type of raw.
func (g *drawing) widened(v ort.Value, raw kernel.Raw) ort.Value {
	if raw.F32 != nil {
		return v
	}
	return g.Op("Cast", []ort.Value{v}, ort.Int("to", int64(ort.Float32)))
}

// raw adds a weight as it lies in its file.
func (g *drawing) raw(raw kernel.Raw, shape ...int) ort.Value {
	switch {
	case raw.F32 != nil:
		return g.Weight(ort.Float32, ort.Bytes(raw.F32), shape...)
	case raw.F16 != nil:
		return g.Weight(ort.Float16, ort.Bytes(raw.F16), shape...)
	default:
		return g.Weight(ort.BFloat16, ort.Bytes(raw.BF16), shape...)
	}
}

// rows gathers rows of a table, as float32.
func (g *drawing) rows(t table, indices ort.Value) ort.Value {
	return g.widened(g.op("Gather", g.raw(t.raw, t.rows, t.width), indices), t.raw)
}

// tokens lays what is [batch, length, width] out as rows.
func (g *drawing) tokens(v ort.Value, width int) ort.Value {
	return g.op("Reshape", v, g.Ints(-1, int64(width)))
}

// linear applies each part of a layer to the rows of x.
func (g *drawing) linear(x ort.Value, l *kernel.Linear) []ort.Value {
	var out []ort.Value
	for _, p := range g.parts[l] {
		inputs := []ort.Value{x, g.widened(g.raw(p.W, p.Out, l.In), p.W)}
		if p.Bias != nil {
			inputs = append(inputs, g.Floats(p.Bias, p.Out))
		}
		out = append(out, g.Op("Gemm", inputs, ort.Int("transB", 1)))
	}
	return out
}

// qkv returns queries, keys and values, whether their layer is of one part or of
// three. Each has attended values a row.
func (g *drawing) qkv(x ort.Value, l *kernel.Linear, attended int) []ort.Value {
	out := g.linear(x, l)
	if len(out) == 1 {
		n := int64(attended)
		return g.Ops("Split", 3, []ort.Value{out[0], g.Ints(n, n, n)}, ort.Int("axis", 1))
	}
	return out
}

// norm normalises rows, by LayerNorm.
func (g *drawing) norm(x ort.Value, by norm, eps float32) ort.Value {
	inputs := []ort.Value{x, g.Floats(by.gain, len(by.gain))}
	if by.bias != nil {
		inputs = append(inputs, g.Floats(by.bias, len(by.bias)))
	}
	return g.Op("LayerNormalization", inputs, ort.Int("axis", -1), ort.Float("epsilon", eps))
}

// rmsNorm normalises rows, by RMSNorm.
func (g *drawing) rmsNorm(x ort.Value, by norm, eps float32) ort.Value {
	squares := g.Op("ReduceMean", []ort.Value{g.op("Mul", x, x)}, ort.Ints("axes", -1))
	root := g.op("Sqrt", g.op("Add", squares, g.Scalar(eps)))
	return g.op("Mul", g.op("Div", x, root), g.Floats(by.gain, len(by.gain)))
}
