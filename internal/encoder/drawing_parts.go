package encoder

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// activate applies a function to each value, by the formulas of package kernel.
func (g *drawing) activate(x ort.Value, act kernel.Activation) ort.Value {
	switch act {
	case kernel.Gelu:
		erf := g.op("Erf", g.op("Div", x, g.Scalar(math.Sqrt2)))
		return g.op("Mul", g.op("Mul", x, g.op("Add", erf, g.Scalar(1))), g.Scalar(0.5))
	case kernel.GeluTanh:
		cube := g.op("Mul", g.op("Mul", x, x), x)
		inner := g.op("Add", x, g.op("Mul", cube, g.Scalar(0.044715)))
		tanh := g.op("Tanh", g.op("Mul", inner, g.Scalar(float32(math.Sqrt(2/math.Pi)))))
		return g.op("Mul", g.op("Mul", x, g.op("Add", tanh, g.Scalar(1))), g.Scalar(0.5))
	case kernel.Relu:
		return g.op("Relu", x)
	case kernel.Silu:
		return g.op("Mul", x, g.op("Sigmoid", x))
	case kernel.Tanh:
		return g.op("Tanh", x)
	case kernel.None:
	}
	return x
}

// scaled multiplies by a number.
func (g *drawing) scaled(x ort.Value, by float32) ort.Value {
	if by == 1 {
		return x
	}
	return g.op("Mul", x, g.Scalar(by))
}

// A heads is the shape of an attention: how many heads, and the values of each.
type heads struct{ n, size int }

// split lays rows out by head: [batch, heads, length, size].
func (g *drawing) split(x ort.Value, h heads) ort.Value {
	shape := g.Op("Concat", []ort.Value{g.sizes, g.Ints(int64(h.n), int64(h.size))}, ort.Int("axis", 0))
	return g.transposed(g.op("Reshape", x, shape), 0, 2, 1, 3)
}

func (g *drawing) transposed(x ort.Value, axes ...int64) ort.Value {
	return g.Op("Transpose", []ort.Value{x}, ort.Ints("perm", axes...))
}

// attend mixes values by the scores of queries and keys, to which the biases are
// added. All three are by head; what comes out is rows.
func (g *drawing) attend(q, k, v ort.Value, h heads, biases ...ort.Value) ort.Value {
	scores := g.op("MatMul", q, g.transposed(k, 0, 1, 3, 2))
	for _, b := range biases {
		scores = g.op("Add", scores, b)
	}
	shares := g.Op("Softmax", []ort.Value{scores}, ort.Int("axis", -1))
	return g.tokens(g.transposed(g.op("MatMul", shares, v), 0, 2, 1, 3), h.n*h.size)
}

// pool makes of the rows of all tokens what a head reads: a row a sequence, or
// for eachToken the rows as they are.
func (g *drawing) pool(kind pooling, x ort.Value, width int) ort.Value {
	if kind == eachToken {
		return x
	}
	shape := g.Op("Concat", []ort.Value{g.sizes, g.Ints(int64(width))}, ort.Int("axis", 0))
	x = g.op("Reshape", x, shape) // [batch, length, width]
	switch kind {
	case firstToken, eachToken:
		x = g.Op("Gather", []ort.Value{x, g.Ints(0)}, ort.Int("axis", 1))
	case meanOfTokens:
		shares := g.feed("shares", ort.Float32, func(b *padded) ort.Tensor {
			values := make([]float32, len(b.seqs)*b.length)
			for i, s := range b.seqs {
				for j := range s.ids {
					values[i*b.length+j] = 1 / float32(len(s.ids))
				}
			}
			return ort.Of("shares", values, len(b.seqs), 1, b.length)
		}, dimBatch, "one", dimLength)
		x = g.op("MatMul", shares, x)
	case maxOfTokens:
		x = g.Op("ReduceMax", []ort.Value{g.op("Add", x, g.hidden)}, ort.Ints("axes", 1))
	}
	return g.tokens(x, width)
}

// draw adds the head to a graph.
func (h *head) draw(g *drawing, x ort.Value) ort.Value {
	x = g.pool(h.pooling, x, h.width)
	if h.dense != nil {
		x = g.activate(g.linear(x, h.dense.Linear)[0], h.act)
		if h.norm.gain != nil {
			x = g.norm(x, h.norm, h.eps)
		}
	}
	return g.linear(x, h.out)[0]
}
