package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// wantAttention computes a in float64 by definition.
func wantAttention(a *Attention) []float64 {
	var starts []int
	rows := 0
	for _, n := range a.Lengths {
		starts = append(starts, rows)
		rows += n
	}
	out := make([]float64, rows*a.OutStride)
	for s, n := range a.Lengths {
		start, before := starts[s], 0
		if a.Prefix != nil && a.Prefix[s] >= 0 {
			before = a.Lengths[a.Prefix[s]]
		}
		keyRow := func(j int) int {
			if j < before {
				return starts[a.Prefix[s]] + j
			}
			return start + j - before
		}
		for h := range a.Heads {
			for i := range n {
				if a.First && i > 0 {
					break
				}
				weights, sum := make([]float64, before+n), 0.0
				for j := range weights {
					if a.Window != 0 && max(i-j, j-i) > a.Window {
						continue
					}
					dot := 0.0
					for d := range a.HeadDim {
						dot += float64(a.Q[(start+i)*a.Stride+h*a.HeadDim+d]) * float64(a.K[keyRow(j)*a.Stride+h*a.HeadDim+d])
					}
					dot *= float64(a.Scale)
					if a.Bias != nil {
						var b [1]float32
						a.Bias(nil, []float32{float32(h)}, s, i, j, j+1, b[:])
						dot += float64(b[0])
					}
					weights[j] = math.Exp(dot)
					sum += weights[j]
				}
				for d := range a.HeadDim {
					y := 0.0
					for j, weight := range weights {
						y += weight * float64(a.V[keyRow(j)*a.Stride+h*a.HeadDim+d])
					}
					if sum > 0 {
						y /= sum
					}
					out[(start+i)*a.OutStride+h*a.HeadDim+d] = y
				}
			}
		}
	}
	return out
}

// randomAttention returns an attention over random rows that contain q, k and v.
func randomAttention(r *rand.Rand, heads, dim int, lengths ...int) *Attention {
	rows := 0
	for _, n := range lengths {
		rows += n
	}
	width := heads * dim
	x := random(r, rows*3*width)
	return &Attention{
		Q: x, K: x[min(width, len(x)):], V: x[min(2*width, len(x)):], Stride: 3 * width,
		Out: make([]float32, rows*width), OutStride: width,
		Lengths: lengths, Heads: heads, HeadDim: dim, Scale: float32(1 / math.Sqrt(float64(dim))),
	}
}

// attentionOptions returns combinations of the optional parameters of an attention.
func attentionOptions() map[string]func(a *Attention) {
	first := func(a *Attention) { a.First = true }
	bias := func(a *Attention) {
		a.Prepare = func(w *Worker, _, h, _, _ int) []float32 {
			prepared := w.Floats(10)
			for i := range prepared {
				prepared[i] = float32(h)
			}
			return prepared
		}
		a.Bias = func(_ *Worker, prepared []float32, s, i, lo, hi int, dst []float32) {
			for j := lo; j < hi; j++ {
				dst[j-lo] = float32((s+3*int(prepared[0])+7*i+11*j)%13) / 4
			}
		}
	}
	prefix := func(a *Attention) {
		a.Prefix = make([]int, len(a.Lengths))
		a.Prefix[0] = -1
	}
	return map[string]func(a *Attention){
		"global":      func(*Attention) {},
		"window":      func(a *Attention) { a.Window = 5 },
		"wide window": func(a *Attention) { a.Window = 40 },
		"bias":        bias,
		"first":       first,
		"prefix":      prefix,
		"prefix bias": func(a *Attention) {
			prefix(a)
			bias(a)
		},
		"first window bias": func(a *Attention) {
			first(a)
			bias(a)
			a.Window = 20
		},
	}
}

func TestAttend(t *testing.T) {
	type attention struct {
		name string
		a    *Attention
		want []float64
	}
	var cases []attention
	r := rand.New(rand.NewPCG(31, 32))
	for name, set := range attentionOptions() {
		for _, dim := range []int{32, 64, 80, 5} {
			for _, lengths := range [][]int{{1}, {17, 33, 1, 70}, {130}} {
				if dim > 64 && len(lengths) == 1 {
					continue
				}
				a := randomAttention(r, 2, dim, lengths...)
				set(a)
				cases = append(cases, attention{fmt.Sprint(name, dim, lengths), a, wantAttention(a)})
			}
		}
	}
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		for _, workers := range []int{1, 3} {
			p := NewPool(k, workers)
			for _, c := range cases {
				a := *c.a
				a.Out = make([]float32, len(a.Out))
				p.Attend(&a)
				checkNear(t, c.name, a.Out, c.want, 1e-5)
			}
		}
	})
}

func TestAttendSequencesAreIndependent(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(33, 34))
		a := randomAttention(r, 3, 32, 40, 77, 13)
		NewPool(k, 7).Attend(a)
		start := 0
		for _, n := range a.Lengths {
			b := *a
			b.Q, b.K, b.V = a.Q[start*a.Stride:], a.K[start*a.Stride:], a.V[start*a.Stride:]
			b.Lengths, b.Out = []int{n}, make([]float32, n*a.OutStride)
			NewPool(k, 1).Attend(&b)
			checkEqual(t, fmt.Sprint(n, " tokens"), b.Out, a.Out[start*a.OutStride:(start+n)*a.OutStride])
			start += n
		}
	})
}

func TestAttendNonFinite(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(35, 36))
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30} {
			a := randomAttention(r, 2, 32, 20, 20)
			a.Q[5*a.Stride] = float32(v)
			NewPool(k, 2).Attend(a)
			for _, y := range a.Out[20*a.OutStride:] {
				if y != y {
					t.Fatalf("%g in the first sequence: got NaN in the second", v)
				}
			}
		}
	})
}
