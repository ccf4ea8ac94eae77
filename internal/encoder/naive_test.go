package encoder

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// naive computes models in float64, following the formulas of their papers. It
// generates weights from their names when they are first used, and records them in
// tensors.
type naive struct {
	config  map[string]any
	round   func(float64) float64 // rounds to the data type of the file
	tensors map[string]tensor
}

type tensor struct {
	shape  []int
	values []float64
}

type matrix [][]float64

func toFloat32(x float64) float64 { return float64(float32(x)) }

func toBF16(x float64) float64 {
	return float64(math.Float32frombits(math.Float32bits(float32(x)) &^ 0xffff))
}

// toF16 rounds to 11 significant bits and flushes subnormal values to zero.
func toF16(x float64) float64 {
	if math.Abs(x) < 1.0/(1<<14) {
		return 0
	}
	f, e := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(f, 11)), e-11)
}

func newNaive(config map[string]any) *naive {
	return &naive{config: config, round: toFloat32, tensors: make(map[string]tensor)}
}

func (n *naive) size(key string) int { return n.config[key].(int) }

// get returns a tensor with normally distributed values with standard deviation
// 0.4 and mean 0 or, for the gain of a norm, 1.
func (n *naive) get(name string, shape ...int) []float64 {
	if t, ok := n.tensors[name]; ok {
		return t.values
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 7))
	count := 1
	for _, d := range shape {
		count *= d
	}
	middle := 0.0
	if strings.HasSuffix(name, "orm.weight") {
		middle = 1
	}
	v := make([]float64, count)
	for i := range v {
		v[i] = n.round(middle + 0.4*r.NormFloat64())
	}
	n.tensors[name] = tensor{shape, v}
	return v
}

func (n *naive) rows(name string, rows, width int) matrix {
	return slices.Collect(slices.Chunk(n.get(name, rows, width), width))
}

// linear computes x·Wᵀ + b.
func (n *naive) linear(x matrix, name string, out int, bias bool) matrix {
	w := n.rows(name+".weight", out, len(x[0]))
	b := make([]float64, out)
	if bias {
		b = n.get(name+".bias", out)
	}
	y := make(matrix, len(x))
	for i := range x {
		y[i] = slices.Clone(b)
		for o := range out {
			for k, v := range x[i] {
				y[i][o] += v * w[o][k]
			}
		}
	}
	return y
}

func (n *naive) layerNorm(x matrix, name string, bias bool, eps float64) matrix {
	width := len(x[0])
	gain, shift := n.get(name+".weight", width), make([]float64, width)
	if bias {
		shift = n.get(name+".bias", width)
	}
	return each(x, func(row []float64) []float64 {
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(width)
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(width)
		}
		y := make([]float64, width)
		for i, v := range row {
			y[i] = (v-mean)/math.Sqrt(variance+eps)*gain[i] + shift[i]
		}
		return y
	})
}

func (n *naive) rmsNorm(x matrix, name string, eps float64) matrix {
	gain := n.get(name+".weight", len(x[0]))
	return each(x, func(row []float64) []float64 {
		squares := 0.0
		for _, v := range row {
			squares += v * v / float64(len(row))
		}
		y := make([]float64, len(row))
		for i, v := range row {
			y[i] = v / math.Sqrt(squares+eps) * gain[i]
		}
		return y
	})
}

func each(x matrix, f func(row []float64) []float64) matrix {
	y := make(matrix, len(x))
	for i := range x {
		y[i] = f(x[i])
	}
	return y
}

func values(x matrix, f func(float64) float64) matrix {
	return each(x, func(row []float64) []float64 {
		y := make([]float64, len(row))
		for i, v := range row {
			y[i] = f(v)
		}
		return y
	})
}

func zip(x, y matrix, f func(a, b float64) float64) matrix {
	z := make(matrix, len(x))
	for i := range x {
		for j := range x[i] {
			z[i] = append(z[i], f(x[i][j], y[i][j]))
		}
	}
	return z
}

func plus(x, y matrix) matrix { return zip(x, y, func(a, b float64) float64 { return a + b }) }

func gelu(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) }

func geluTanh(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// attention computes softmax(score)·v for each head. visible, if not nil, reports
// whether query i attends to key j.
func attention(v matrix, heads int, score func(h, i, j int) float64, visible func(i, j int) bool) matrix {
	d := len(v[0]) / heads
	y := make(matrix, len(v))
	for i := range v {
		y[i] = make([]float64, len(v[0]))
		for h := range heads {
			var keys []int
			var scores []float64
			for j := range v {
				if visible == nil || visible(i, j) {
					keys, scores = append(keys, j), append(scores, score(h, i, j))
				}
			}
			for k, p := range softmax(scores) {
				for c := h * d; c < (h+1)*d; c++ {
					y[i][c] += p * v[keys[k]][c]
				}
			}
		}
	}
	return y
}

// dot returns the product of head h of two rows.
func dot(a, b []float64, h, d int) float64 {
	sum := 0.0
	for c := h * d; c < (h+1)*d; c++ {
		sum += a[c] * b[c]
	}
	return sum
}
