package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// exact computes an activation in float64.
func exact(a Activation, x float64) float64 {
	switch a {
	case Gelu:
		return x / 2 * math.Erfc(-x/math.Sqrt2)
	case GeluTanh:
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	case Tanh:
		return math.Tanh(x)
	case None:
	}
	return x
}

func activate(k *Kernels, x []float32, act Activation) {
	if act != None && len(x) > 0 {
		k.activate[act](x, len(x), 1, len(x))
	}
}

func TestActivations(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		var xs []float32
		for x := -12.0; x <= 12; x += 1.0 / 512 {
			xs = append(xs, float32(x))
		}
		xs = append(xs, 1e-30, -1e-30, 88, -88, 100, -100, 1e9, -1e9, 3e38, -3e38)
		for act := None; act < numActivations; act++ {
			got, want := slices.Clone(xs), make([]float64, len(xs))
			for i, x := range xs {
				want[i] = exact(act, float64(x))
			}
			activate(k, got, act)
			checkNear(t, fmt.Sprint("activation ", act), got, want, 1e-6)
			for n := range 70 {
				part := slices.Clone(xs[:n+1])
				activate(k, part[:n], act)
				checkEqual(t, fmt.Sprint("activation ", act, " of ", n), part, append(slices.Clone(got[:n]), xs[n]))
			}
			special := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1}
			activate(k, special, act)
			if special[0] == special[0] {
				t.Errorf("activation %d of NaN: got %g, want NaN", act, special[0])
			}
			if act != None && float64(special[1]) != exact(act, math.Inf(1)) {
				t.Errorf("activation %d of infinity: got %g, want %g", act, special[1], exact(act, math.Inf(1)))
			}
			checkNear(t, "next to non-finite values", special[3:], []float64{exact(act, 1)}, 1e-6)
		}
	})
}

// norms returns LayerNorm and RMSNorm in float64, and the standard deviation of
// the row.
func norms(x, gain, bias []float32, eps float64) (layer, rms []float64, deviation float64) {
	n := float64(len(x))
	mean, squares, variance := 0.0, 0.0, 0.0
	for _, v := range x {
		mean += float64(v) / n
		squares += float64(v) * float64(v) / n
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / n
	}
	for i, v := range x {
		y := (float64(v) - mean) / math.Sqrt(variance+eps) * float64(gain[i])
		if bias != nil {
			y += float64(bias[i])
		}
		layer = append(layer, y)
		rms = append(rms, float64(v)/math.Sqrt(squares+eps)*float64(gain[i]))
	}
	return layer, rms, math.Sqrt(variance + eps)
}

func TestNorms(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(21, 22))
		p := NewPool(k, 2)
		for _, width := range []int{1, 2, 7, 16, 33, 64, 100, 384, 771} {
			const rows = 37
			x, res, gain, bias := random(r, rows*width), random(r, rows*width), random(r, width), random(r, width)
			for i := range x {
				x[i] += 3
			}
			sum := slices.Clone(x)
			for i := range sum {
				sum[i] += res[i]
			}
			for _, res := range [][]float32{nil, res} {
				for _, bias := range [][]float32{nil, bias} {
					in := slices.Clone(x)
					layer, rms := make([]float32, len(x)), make([]float32, len(x))
					p.Norm(&Norm{Gain: gain, Bias: bias, Eps: 1e-5}, layer, in, res)
					from := x
					if res != nil {
						from = sum
					}
					checkEqual(t, "x after LayerNorm", in, from)
					in = slices.Clone(x)
					p.Norm(&Norm{Gain: gain, Eps: 1e-5, RMS: true}, in, in, res)
					copy(rms, in)
					for i := range rows {
						row := from[i*width : (i+1)*width]
						a, b, deviation := norms(row, gain, bias, 1e-5)
						// The float32 error of x-mean grows with the distance of the row from 0.
						tolerance := 5e-6 + 4e-7*float64(maxAbs(row))/deviation
						checkNear(t, fmt.Sprint("layer norm of ", width), layer[i*width:], a, tolerance)
						checkNear(t, fmt.Sprint("RMS norm of ", width), rms[i*width:], b, 5e-6)
					}
				}
			}
		}
	})
}

func TestExtremesAtEachPosition(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		for n := 1; n < 140; n++ {
			for at := range n {
				x := make([]float32, n+1)
				x[n], x[n-1-at] = 100, 2
				x[at] = -3
				high := float32(2)
				if at == n-1-at {
					high = 0
				}
				if lo, hi := k.minMax(x[:n]); lo != -3 || hi != high {
					t.Fatalf("%d values, -3 at %d: got %g and %g, want -3 and %g", n, at, lo, hi, high)
				}
				if got := k.maxAbs(x[:n]); got != 3 {
					t.Fatalf("%d values, -3 at %d: got %g, want 3", n, at, got)
				}
				x[at] = float32(math.NaN())
				if got := k.maxAbs(x[:n]); got == got {
					t.Fatalf("%d values, NaN at %d: got %g, want NaN", n, at, got)
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(23, 24))
		for n := 1; n < 200; n += 1 + n/20 {
			for _, bias := range [][]float32{nil, random(r, n)} {
				s := random(r, n+1)
				for i := range s {
					s[i] *= 20
				}
				if n > 3 && bias != nil {
					bias[2] = float32(math.Inf(-1))
				}
				const scale = 0.3
				want := make([]float64, n)
				maximum, sum := math.Inf(-1), 0.0
				for i := range want {
					want[i] = float64(s[i]) * scale
					if bias != nil {
						want[i] += float64(bias[i])
					}
					maximum = max(maximum, want[i])
				}
				for i := range want {
					want[i] = math.Exp(want[i] - maximum)
					sum += want[i]
				}
				beyond := s[n]
				got := k.softmax(s[:n], scale, bias)
				checkNear(t, fmt.Sprint("softmax of ", n), s, want, 2e-6)
				checkNear(t, fmt.Sprint("sum of ", n), []float32{got}, []float64{sum}, 3e-6)
				if s[n] != beyond {
					t.Fatalf("%d values: got %g after the end, want %g", n, s[n], beyond)
				}
			}
		}
	})
}

func TestGatherAdd(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(51, 52))
		const ld = 40
		for n := range 70 {
			for _, step := range []int{0, ld} {
				src, dst := random(r, (n+1)*ld), random(r, n+1)
				columns, want := make([]int32, n), slices.Clone(dst)
				for j := range columns {
					columns[j] = r.Int32N(ld)
					want[j] += src[j*step+int(columns[j])]
				}
				k.gatherAdd(dst, src, columns, step)
				checkEqual(t, fmt.Sprint(n, " values, step ", step), dst, want)
			}
		}
	})
}
