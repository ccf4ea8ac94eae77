package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// forEachKernel runs f as a subtest for each supported set of kernels, in parallel.
func forEachKernel(t *testing.T, f func(t *testing.T, k *Kernels)) {
	t.Helper()
	t.Parallel()
	for _, name := range Names() {
		k := mustNew(t, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, k)
		})
	}
}

func mustNew(t *testing.T, name string) *Kernels {
	t.Helper()
	k, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func random(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// checkNear fails the test unless the error of each value, relative to max(1, |want|),
// is within tolerance.
func checkNear(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		d := math.Abs(float64(got[i]) - want[i])
		if !(d <= tolerance*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: value %d: got %g, want %g", what, i, got[i], want[i])
		}
	}
}

func checkEqual(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: value %d: got %g, want %g to the bit", what, i, got[i], want[i])
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	names := Names()
	if names[0] != "generic" {
		t.Errorf("got %v, want generic first", names)
	}
	for _, name := range names {
		if k := mustNew(t, name); k.Name() != name {
			t.Errorf("got %q, want %q", k.Name(), name)
		} else if slow := name == "generic"; k.Slow8() != slow && name != "neon" { // which depends on the processor
			t.Errorf("%s: slow in int8: got %v, want %v", name, k.Slow8(), slow)
		}
	}
	if k := mustNew(t, ""); k.Name() != names[len(names)-1] {
		t.Errorf("fastest: got %q, want %q", k.Name(), names[len(names)-1])
	}
	if _, err := New("abacus"); err == nil {
		t.Error("unknown name: got no error")
	}
}

// TestVectorKernelsAgree checks that the results do not depend on the processor, as long as it has
// vector instructions.
func TestVectorKernelsAgree(t *testing.T) {
	t.Parallel()
	names := Names()[1:]
	if len(names) < 2 {
		t.Skipf("this processor has the kernels %v only", names)
	}
	const width, heads, rows = 96, 3, 77
	results := func(name string) []float32 {
		k := mustNew(t, name)
		p, r := NewPool(k, 1), rand.New(rand.NewPCG(1, 2))
		x, bias := random(r, rows*width), random(r, width)
		var all []float32
		for _, precision := range []Precision{Float32, Int8} {
			l := k.Linear(precision, width, Part{W: Raw{F32: random(r, width*width)}, Bias: bias, Out: width})
			for act := range numActivations {
				y := make([]float32, rows*width)
				p.Apply(l, y, x, Activation(act))
				all = append(all, y...)
			}
		}
		for _, n := range []int{width, width - 1, 2*width + 5} {
			y := make([]float32, 2*n)
			p.Norm(&Norm{Gain: x[:n], Bias: x[n : 2*n], Eps: 1e-6}, y, x[:2*n:2*n], x[2*n:4*n])
			all = append(all, y...)
			p.Norm(&Norm{Gain: x[:n], Eps: 1e-6, RMS: true}, y, x[:2*n:2*n], nil)
			all = append(all, y...)
		}
		y := make([]float32, rows*width)
		p.Attend(&Attention{
			Q: x, K: x, V: x, Stride: width, Out: y, OutStride: width, Lengths: []int{5, 30, rows - 35},
			Heads: heads, HeadDim: width / heads, Scale: 0.2,
		})
		return append(all, y...)
	}
	want := results(names[0])
	for _, name := range names[1:] {
		for i, v := range results(name) {
			if v != want[i] {
				t.Fatalf("%s: value %d: got %g, %s gives %g", name, i, v, names[0], want[i])
			}
		}
	}
}

func TestHalfPrecisionConversions(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *Kernels) {
		src := make([]uint16, 1<<16)
		for i := range src {
			src[i] = uint16(i)
		}
		got := make([]float32, len(src))
		k.f16ToF32(got, src)
		for i, h := range src {
			fraction, exponent := float64(h&1023), int(h>>10&31)
			want := math.Ldexp(1+fraction/1024, exponent-15)
			switch {
			case exponent == 31 && fraction == 0:
				want = math.Inf(1)
			case exponent == 31:
				want = math.NaN()
			case exponent == 0:
				want = math.Ldexp(fraction, -24)
			}
			if h>>15 == 1 {
				want = -want
			}
			if g := float64(got[i]); g != want && !(math.IsNaN(g) && math.IsNaN(want)) {
				t.Fatalf("%#04x: got %g, want %g", h, g, want)
			}
		}
		k.bf16ToF32(got, src)
		for i, g := range got {
			want := math.Float32frombits(uint32(i) << 16)
			if g != want && !(g != g && want != want) {
				t.Fatalf("bfloat16 %#04x: got %g, want %g", i, g, want)
			}
		}
		// Lengths that are not multiples of the vector size.
		for n := range 40 {
			got := make([]float32, n+1)
			got[n] = 7
			k.f16ToF32(got[:n], src[0x3c00:0x3c00+n])
			k.bf16ToF32(got[:n], src[0x3f80:0x3f80+n])
			if got[n] != 7 || n > 0 && got[0] != 1 {
				t.Fatalf("%d values: got %v, want only value %d set to 7", n, got, n)
			}
		}
	})
}
