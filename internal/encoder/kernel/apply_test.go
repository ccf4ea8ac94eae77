package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// shapes returns numbers of rows, inputs and outputs around tile boundaries.
func shapes() [][3]int {
	s := [][3]int{{1, 1, 1}, {3, 2, 5}, {67, 33, 65}, {128, 384, 96}, {31, 257, 31}, {29, 64, 33}, {600, 20, 40}, {40, 512, 50}}
	for rows := 1; rows <= 67; rows += 3 {
		s = append(s, [3]int{rows, 5 + rows*3, 1 + rows*5%70})
	}
	return s
}

// wantProduct returns x·wᵀ + bias in float64.
func wantProduct(x, w, bias []float32, rows, in, out int) []float64 {
	y := make([]float64, rows*out)
	for r := range rows {
		for o := range out {
			sum := 0.0
			if bias != nil {
				sum = float64(bias[o])
			}
			for i := range in {
				sum += float64(x[r*in+i]) * float64(w[o*in+i])
			}
			y[r*out+o] = sum
		}
	}
	return y
}

func TestApplyFloat32(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, workers := range []int{1, 3} {
			p := NewPool(k, workers)
			for _, s := range shapes() {
				rows, in, out := s[0], s[1], s[2]
				x, w := random(r, rows*in), random(r, out*in)
				var bias []float32
				if rows%2 == 0 {
					bias = random(r, out)
				}
				l := k.Linear(Float32, in, Part{Raw{F32: w}, bias, out})
				got := make([]float32, rows*out)
				p.Apply(l, got, x, None)
				// The error of a sum of n products of about 1 is at most some n ulps.
				checkNear(t, fmt.Sprint(s), got, wantProduct(x, w, bias, rows, in, out), 2e-7*float64(in+8))
			}
		}
	})
}

func TestMultiplyByColumns(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(9, 5))
		for _, s := range shapes() {
			rows, n := s[0], s[2]
			x, by := random(r, rows*n), random(r, n)
			got, want := make([]float32, rows*n), make([]float32, rows*n)
			for i := range want {
				want[i] = x[i] * by[i%n]
			}
			NewPool(k, 1).For(1, func(w *Worker, _ int) { w.Multiply(got, x, by) })
			checkEqual(t, fmt.Sprint(s), got, want)
		}
	})
}

// The error of each factor is at most half a quantization step.
func TestApplyInt8(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(3, 4))
		p := NewPool(k, 2)
		for _, s := range shapes() {
			rows, in, out := s[0], s[1], s[2]
			x, w, bias := random(r, rows*in), random(r, out*in), random(r, out)
			l := k.Linear(Int8, in, Part{Raw{F32: w}, bias, out})
			got := make([]float32, rows*out)
			p.Apply(l, got, x, None)
			want := wantProduct(x, w, bias, rows, in, out)
			for i := range rows {
				xs := x[i*in : (i+1)*in]
				for o := range out {
					ws := w[o*in : (o+1)*in]
					dx, dw := float64(maxAbs(xs))/254, float64(maxAbs(ws))/254
					bound := 1e-5
					for j := range xs {
						bound += math.Abs(float64(xs[j]))*dw + math.Abs(float64(ws[j]))*dx + dx*dw
					}
					if d := math.Abs(float64(got[i*out+o]) - want[i*out+o]); !(d <= bound) {
						t.Fatalf("%v: row %d, output %d: got error %g, want at most %g", s, i, o, d, bound)
					}
				}
			}
		}
	})
}

// For non-negative rows, such as activation outputs, the offset halves the
// quantization error.
func TestInt8UsesFullRangeForNonNegativeRows(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(31, 32))
		const in, out = 200, 70
		x, w := random(r, in), make([]float32, out*in)
		for i, v := range x {
			x[i] = float32(math.Abs(float64(v)))
		}
		for o := range out { // integer weights have no quantization error
			for i := range in {
				w[o*in+i] = float32(r.IntN(255) - 127)
			}
			w[o*in] = 127
		}
		got := make([]float32, out)
		NewPool(k, 1).Apply(k.Linear(Int8, in, Part{Raw{F32: w}, nil, out}), got, x, None)
		worst, step := 0.0, float64(maxAbs(x))/254
		for o, want := range wantProduct(x, w, nil, 1, in, out) {
			worst = max(worst, math.Abs(float64(got[o])-want))
		}
		// The root mean square is step/sqrt(12) for the error of a value and 73 for a
		// weight.
		if limit := 4.5 * step / math.Sqrt(12) * 73 * math.Sqrt(in); worst > limit {
			t.Errorf("got error %g, want at most %g", worst, limit)
		}
	})
}

// With a step size of 1, outputs are integer sums.
func TestInt8SumsAreExact(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(7, 8))
		p := NewPool(k, 1)
		for _, in := range []int{1, 2, 3, 4, 63, 64, 65, 130, 520} {
			rows, out := 17, 37
			x, w := make([]float32, rows*in), make([]float32, out*in)
			for _, s := range [][]float32{x, w} {
				for i := range s {
					s[i] = float32(r.IntN(255) - 127)
					switch i % in { // makes the step size 1 and the middle 0
					case 0:
						s[i] = 127
					case 1:
						s[i] = -127
					}
				}
			}
			got := make([]float32, rows*out)
			p.Apply(k.Linear(Int8, in, Part{Raw{F32: w}, nil, out}), got, x, None)
			checkNear(t, strconv.Itoa(in), got, wantProduct(x, w, nil, rows, in, out), 0)
		}
	})
}

// Weights of four bits give the sums of the same weights in int8, also if all are as large as possible.
func TestFourBitSumsAreExact(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(11, 12))
		p := NewPool(k, 1)
		for _, in := range []int{Block, 2 * Block, 17 * Block} {
			for _, extreme := range []bool{false, true} {
				rows, out, steps := 17, 37, in/Block
				x, q, s := make([]float32, rows*in), make([]int8, out*in), make([]int8, out*steps)
				for i := range x {
					x[i] = float32(r.IntN(255) - 127)
					if extreme && i%in > 1 {
						x[i] = 127
					}
					switch i % in {
					case 0:
						x[i] = 127
					case 1:
						x[i] = -127
					}
				}
				for i := range s {
					s[i] = int8(r.IntN(31) - 15)
				}
				w := make([]float32, len(q))
				for i := range q {
					q[i] = int8(r.IntN(16) - 8)
					if extreme {
						q[i] = -8
					}
					w[i] = float32(q[i]) * float32(s[i/Block])
				}
				weights := func(integers, to []int8, row int) float32 {
					copy(integers, q[row*in:])
					copy(to, s[row*steps:])
					return 1
				}
				got := make([]float32, rows*out)
				p.Apply(k.Linear(Int8, in, Part{Raw{I4: weights}, nil, out}), got, x, None)
				checkNear(t, strconv.Itoa(in), got, wantProduct(x, w, nil, rows, in, out), 0)
			}
		}
	})
}

func TestApplyPartsOfMixedFormats(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(9, 10))
		p := NewPool(k, 2)
		const in, rows = 37, 21
		sizes := []int{33, 5, 64}
		f16, bf16 := make([]uint16, sizes[1]*in), make([]uint16, sizes[2]*in)
		for i := range f16 {
			f16[i] = uint16(0x3800 + r.IntN(0x800)) // [0.5, 2)
		}
		for i := range bf16 {
			bf16[i] = uint16(math.Float32bits(float32(r.NormFloat64())) >> 16)
		}
		w := random(r, sizes[0]*in)
		bias := random(r, sizes[2])
		x := random(r, rows*in)
		flat := slices.Clone(w)
		wide := make([]float32, len(f16))
		k.f16ToF32(wide, f16)
		flat = append(flat, wide...)
		wide = make([]float32, len(bf16))
		k.bf16ToF32(wide, bf16)
		flat = append(flat, wide...)
		biases := make([]float32, sizes[0]+sizes[1])
		biases = append(biases, bias...)
		parts := []Part{{Raw{F32: w}, nil, 33}, {Raw{F16: f16}, nil, 5}, {Raw{BF16: bf16}, bias, 64}}
		want := wantProduct(x, flat, biases, rows, in, 102)
		for _, precision := range []Precision{Float32, Int8} {
			l := k.Linear(precision, in, parts...)
			if l.In != in || l.Out != 102 {
				t.Fatalf("got %d inputs and %d outputs; want %d and 102", l.In, l.Out, in)
			}
			got := make([]float32, rows*102+8)
			p.Apply(l, got, x, None)
			tolerance := 1e-5
			if precision == Int8 {
				tolerance = 0.4
			}
			checkNear(t, fmt.Sprint("precision ", precision), got, want, tolerance)
			checkEqual(t, "values after the last row", got[rows*102:], make([]float32, 8))
		}
	})
}

func TestApplyGatedActivatesTheFirstPart(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(11, 12))
		p := NewPool(k, 2)
		for _, n := range []int{1, 16, 48, 83} {
			const in, rows = 40, 30
			w, v, x := random(r, n*in), random(r, n*in), random(r, rows*in)
			for _, precision := range []Precision{Float32, Int8} {
				both := k.Linear(precision, in, Part{Raw{F32: w}, nil, n}, Part{Raw{F32: v}, nil, n}).Gate()
				one := k.Linear(precision, in, Part{Raw{F32: w}, nil, n})
				two := k.Linear(precision, in, Part{Raw{F32: v}, nil, n})
				got, a, b := make([]float32, rows*n), make([]float32, rows*n), make([]float32, rows*n)
				p.Apply(both, got, x, GeluTanh)
				p.Apply(one, a, x, GeluTanh)
				p.Apply(two, b, x, None)
				for i := range a {
					a[i] *= b[i]
				}
				checkEqual(t, strconv.Itoa(n), got, a)
			}
		}
	})
}

// Otherwise a score would depend on the other texts in its batch.
func TestRowsAreIndependent(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(13, 14))
		const in, out, rows = 71, 85, 67
		w, bias, x := random(r, out*in), random(r, out), random(r, rows*in)
		for _, precision := range []Precision{Float32, Int8} {
			l := k.Linear(precision, in, Part{Raw{F32: w}, bias, out})
			want := make([]float32, rows*out)
			for i := range rows {
				NewPool(k, 1).Apply(l, want[i*out:], x[i*in:(i+1)*in], Gelu)
			}
			for _, workers := range []int{1, 2, 5} {
				p := NewPool(k, workers)
				for n := 1; n <= rows; n += 1 + n/16 {
					got := make([]float32, n*out)
					p.Apply(l, got, x[(rows-n)*in:], Gelu)
					checkEqual(t, fmt.Sprint(n, " rows"), got, want[(rows-n)*out:])
				}
			}
		}
	})
}

func TestRowsChainsOperations(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		r := rand.New(rand.NewPCG(15, 16))
		const width, inner = 48, 80
		up := Part{Raw{F32: random(r, inner*width)}, random(r, inner), inner}
		down := Part{Raw{F32: random(r, inner*width)}, nil, width}
		norm := &Norm{Gain: random(r, width), Eps: 1e-5}
		for _, precision := range []Precision{Float32, Int8} {
			a, b := k.Linear(precision, width, up), k.Linear(precision, inner, down)
			for _, rows := range []int{0, 1, 20, 150, 700} {
				x := random(r, rows*width)
				one := NewPool(k, 1)
				h, y, want := make([]float32, rows*inner), make([]float32, rows*width), slices.Clone(x)
				one.Apply(a, h, x, Tanh)
				one.Apply(b, y, h, None)
				one.Norm(norm, want, want, y)
				for _, workers := range []int{1, 2, 4} {
					got := slices.Clone(x)
					NewPool(k, workers).Rows(precision, rows, func(w *Worker, lo, hi int) {
						x, h := got[lo*width:hi*width], w.Floats((hi-lo)*inner)
						w.Apply(a, h, x, Tanh)
						y := w.Floats(len(x))
						w.Apply(b, y, h, None)
						w.Norm(norm, x, x, y)
					})
					checkEqual(t, fmt.Sprint(rows, " rows, ", workers, " workers"), got, want)
				}
			}
		}
	})
}

func TestApplyNonFinite(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		p := NewPool(k, 1)
		const in, out = 35, 33
		w := random(rand.New(rand.NewPCG(17, 18)), in*out)
		for _, precision := range []Precision{Float32, Int8} {
			l := k.Linear(precision, in, Part{Raw{F32: w}, nil, out})
			for _, c := range []struct {
				v   float32
				nan bool
			}{
				{nan, true},
				{inf, precision == Int8},
				{-inf, precision == Int8},
				{math.MaxFloat32, false},
				{1e-45, false},
				{0, false},
			} {
				x := make([]float32, 2*in)
				x[3], x[in] = c.v, 1
				y := make([]float32, 2*out)
				p.Apply(l, y, x, None)
				if c.nan && !(y[0] != y[0]) {
					t.Errorf("%v, %g: got %g, want NaN", precision, c.v, y[0])
				}
				for _, v := range y[out:] {
					if v != v {
						t.Errorf("%v, %g: got NaN in the next row", precision, c.v)
					}
				}
			}
			bad := slices.Clone(w)
			bad[5] = nan
			y := make([]float32, out)
			p.Apply(k.Linear(precision, in, Part{Raw{F32: bad}, nil, out}), y, w[:in], None)
			if !(y[0] != y[0]) || y[1] != y[1] {
				t.Errorf("%v: NaN in the weights of output 0: got %g and %g, want NaN and a number", precision, y[0], y[1])
			}
		}
	})
}
