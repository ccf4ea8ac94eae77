package encoder

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// paddedBatch is a batch of sequences padded to the same length.
type paddedBatch struct {
	seqs   []sequence
	length int
}

// A graphBuilder builds the ONNX graph of a network. Sequences are padded to the
// same length, and activations are matrices with one row per token. Only attention
// and pooling distinguish sequences.
type graphBuilder struct {
	ort.Graph
	parts map[*kernel.Linear][]kernel.Part  // weights of the linear layers
	feeds []func(b *paddedBatch) ort.Tensor // functions that compute the inputs

	ids   ort.Value // [batch, length], token ids, 0 for padding
	mask  ort.Value // [batch, 1, 1, length], padding bias
	sizes ort.Value // shape of ids
}

// padding is added to the attention scores of padding tokens. It is finite so that
// fully masked rows, which are never read, do not become NaN.
const padding = -1e30

func newGraphBuilder(parts map[*kernel.Linear][]kernel.Part) *graphBuilder {
	g := &graphBuilder{parts: parts}
	g.ids = g.feedTokens("ids", func(dst []int32, s sequence) { copy(dst, s.ids) })
	bias := g.feed("padding", ort.Float32, func(b *paddedBatch) ort.Tensor {
		values := make([]float32, len(b.seqs)*b.length)
		for i, s := range b.seqs {
			for j := len(s.ids); j < b.length; j++ {
				values[i*b.length+j] = padding
			}
		}
		return ort.NewTensor("padding", values, len(b.seqs), b.length)
	})
	g.mask = g.op("Unsqueeze", bias, g.Ints(1, 2))
	g.sizes = g.op("Shape", g.ids)
	return g
}

// op adds a node without attributes.
func (g *graphBuilder) op(operator string, inputs ...ort.Value) ort.Value {
	return g.Op(operator, inputs)
}

// feed adds an input and the function that computes it from a batch.
func (g *graphBuilder) feed(name string, e ort.Element, fill func(b *paddedBatch) ort.Tensor) ort.Value {
	g.feeds = append(g.feeds, fill)
	return g.Input(name, e)
}

// feedTokens adds an input with a zero-padded row for each sequence. It calls set to fill in
// the tokens.
func (g *graphBuilder) feedTokens(name string, set func(dst []int32, s sequence)) ort.Value {
	return g.feed(name, ort.Int32, func(b *paddedBatch) ort.Tensor {
		values := make([]int32, len(b.seqs)*b.length)
		for i, s := range b.seqs {
			set(values[i*b.length:][:len(s.ids)], s)
		}
		return ort.NewTensor(name, values, len(b.seqs), b.length)
	})
}

// distances returns a [length, length] matrix of key position minus query position.
func (g *graphBuilder) distances() ort.Value {
	index := g.feed("index", ort.Int64, func(b *paddedBatch) ort.Tensor {
		values := make([]int64, b.length)
		for i := range values {
			values[i] = int64(i)
		}
		return ort.NewTensor("index", values, b.length)
	})
	return g.op("Sub", g.op("Unsqueeze", index, g.Ints(0)), g.op("Unsqueeze", index, g.Ints(1)))
}

// weight adds a weight matrix, as float32.
func (g *graphBuilder) weight(raw kernel.Raw, rows, columns int) ort.Value {
	values := raw.F32
	if values == nil {
		values = make([]float32, rows*columns)
		widen(values, raw)
	}
	return g.Weight(values, rows, columns)
}

// rows adds a lookup of rows of an embedding table.
func (g *graphBuilder) rows(t table, indices ort.Value) ort.Value {
	return g.op("Gather", g.weight(t.raw, t.rows, t.width), indices)
}

// tokens reshapes [batch, length, width] to one row per token.
func (g *graphBuilder) tokens(v ort.Value, width int) ort.Value {
	return g.op("Reshape", v, g.Ints(-1, int64(width)))
}

// linear applies a layer to the rows of x and returns one output per part.
func (g *graphBuilder) linear(x ort.Value, l *kernel.Linear) []ort.Value {
	var out []ort.Value
	for _, p := range g.parts[l] {
		inputs := []ort.Value{x, g.weight(p.W, p.Out, l.In)}
		if p.Bias != nil {
			inputs = append(inputs, g.Floats(p.Bias, p.Out))
		}
		out = append(out, g.Op("Gemm", inputs, ort.Int("transB", 1)))
	}
	return out
}

func (g *graphBuilder) norm(x ort.Value, n kernel.Norm) ort.Value {
	gain := g.Floats(n.Gain, len(n.Gain))
	if n.RMS {
		squares := g.Op("ReduceMean", []ort.Value{g.op("Mul", x, x)}, ort.Ints("axes", -1))
		root := g.op("Sqrt", g.op("Add", squares, g.Scalar(n.Eps)))
		return g.op("Mul", g.op("Div", x, root), gain)
	}
	inputs := []ort.Value{x, gain}
	if n.Bias != nil {
		inputs = append(inputs, g.Floats(n.Bias, len(n.Bias)))
	}
	return g.Op("LayerNormalization", inputs, ort.Int("axis", -1), ort.Float("epsilon", n.Eps))
}

// activate applies an activation function, using the formulas of package kernel.
func (g *graphBuilder) activate(x ort.Value, act kernel.Activation) ort.Value {
	switch act {
	case kernel.Gelu:
		erf := g.op("Erf", g.op("Div", x, g.Scalar(math.Sqrt2)))
		return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.Scalar(1))), g.Scalar(0.5))
	case kernel.GeluTanh:
		cube := g.op("Mul", g.op("Mul", x, x), x)
		inner := g.op("Add", x, g.op("Mul", cube, g.Scalar(0.044715)))
		tanh := g.op("Tanh", g.op("Mul", inner, g.Scalar(float32(math.Sqrt(2/math.Pi)))))
		return g.op("Mul", g.op("Mul", x, g.op("Add", tanh, g.Scalar(1))), g.Scalar(0.5))
	case kernel.Tanh:
		return g.op("Tanh", x)
	case kernel.None:
	}
	return x
}

func (g *graphBuilder) multiply(x ort.Value, factor float32) ort.Value {
	if factor == 1 {
		return x
	}
	return g.op("Mul", x, g.Scalar(factor))
}

// heads holds the number of attention heads and the width of each.
type heads struct{ n, size int }

// split reshapes rows to [batch, heads, length, size].
func (g *graphBuilder) split(x ort.Value, h heads) ort.Value {
	shape := g.Op("Concat", []ort.Value{g.sizes, g.Ints(int64(h.n), int64(h.size))}, ort.Int("axis", 0))
	return g.transpose(g.op("Reshape", x, shape), 0, 2, 1, 3)
}

func (g *graphBuilder) transpose(x ort.Value, axes ...int64) ort.Value {
	return g.Op("Transpose", []ort.Value{x}, ort.Ints("perm", axes...))
}

// attend computes attention, adding biases to the scores. q, k and v are split by
// head; the result has one row per token.
func (g *graphBuilder) attend(q, k, v ort.Value, h heads, biases ...ort.Value) ort.Value {
	scores := g.op("MatMul", q, g.transpose(k, 0, 1, 3, 2))
	for _, b := range biases {
		scores = g.op("Add", scores, b)
	}
	probs := g.Op("Softmax", []ort.Value{scores}, ort.Int("axis", -1))
	return g.tokens(g.transpose(g.op("MatMul", probs, v), 0, 2, 1, 3), h.n*h.size)
}

// pool reduces token rows to one row per sequence, or returns them unchanged for eachToken.
func (g *graphBuilder) pool(kind pooling, x ort.Value, width int) ort.Value {
	if kind == eachToken {
		return x
	}
	shape := g.Op("Concat", []ort.Value{g.sizes, g.Ints(int64(width))}, ort.Int("axis", 0))
	x = g.op("Reshape", x, shape) // [batch, length, width]
	if kind == firstToken {
		x = g.Op("Gather", []ort.Value{x, g.Ints(0)}, ort.Int("axis", 1))
	} else {
		weights := g.feed("weights", ort.Float32, func(b *paddedBatch) ort.Tensor {
			values := make([]float32, len(b.seqs)*b.length)
			for i, s := range b.seqs {
				for j := range s.ids {
					values[i*b.length+j] = 1 / float32(len(s.ids))
				}
			}
			return ort.NewTensor("weights", values, len(b.seqs), 1, b.length)
		})
		x = g.op("MatMul", weights, x)
	}
	return g.tokens(x, width)
}

// onnxModel runs a network, including its head or sentence pooling, on ONNX Runtime.
type onnxModel struct {
	library   *ort.Library
	session   *ort.Session
	feeds     []func(b *paddedBatch) ort.Tensor
	maxTokens int // maximum tokens of a batch including padding; a single text may exceed it
}

// batchSize returns the number of sequences in the next batch. order must be sorted by descending
// length. A batch has up to d.maxTokens tokens, and each row is at most a quarter padding.
func (d *onnxModel) batchSize(seqs []sequence, order []int) int {
	longest, n := len(seqs[order[0]].ids), 1
	for n < len(order) && (n+1)*longest <= d.maxTokens && 4*len(seqs[order[n]].ids) >= 3*longest {
		n++
	}
	return n
}
