package kernel

import "math"

// Activation is an element-wise function applied to the output of a layer.
type Activation int

const (
	// None is the identity.
	None Activation = iota
	// Gelu is x*Φ(x), where Φ is the normal distribution function.
	Gelu
	// GeluTanh approximates Gelu by x/2*(1+tanh(sqrt(2/π)*(x+0.044715x³))).
	GeluTanh
	// Tanh is the hyperbolic tangent.
	Tanh

	numActivations = iota
)

// genericActivations returns the activations in Go. The vector loops use the
// same formulas.
func genericActivations() (a [numActivations]func(x []float32, ld, rows, n int)) {
	each := func(f func(x float32) float32) func(x []float32, ld, rows, n int) {
		return func(x []float32, ld, rows, n int) {
			for r := range rows {
				row := x[r*ld : r*ld+n]
				for i, v := range row {
					row[i] = f(v)
				}
			}
		}
	}
	a[Gelu] = each(gelu)
	a[GeluTanh] = each(func(x float32) float32 {
		const c = -2 * math.Log2E * 0.7978845608028654 // sqrt(2/π)
		return x * sigmoid(x*(c+c*0.044715*x*x))
	})
	a[Tanh] = each(func(x float32) float32 { return 1 - 2*sigmoid(2*math.Log2E*x) })
	return a
}

// sigmoid returns 1/(1+2^t).
func sigmoid(t float32) float32 {
	if t > 126 {
		return 0
	}
	return 1 / (1 + exp2(t))
}

// exp2 returns 2^t for t <= 127, and 0 for t < -126. It computes 2^n * (1 +
// f*p(f)), where n is the integer nearest to t and f = t-n. The polynomial p
// was fitted for |f| <= 1/2 and has a relative error of 9.1e-8.
func exp2(t float32) float32 {
	if t < -126 {
		return 0
	}
	const magic = 3 << 22 // adding and subtracting it rounds to an integer
	n := float32(t+magic) - magic
	f := t - n
	p := float32(0.001326472731307149)
	p = p*f + 0.009671512991189957
	p = p*f + 0.05550733581185341
	p = p*f + 0.24022242426872253
	p = p*f + 0.6931470036506653
	p = p*f + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// gelu returns x*(1/2 + z*P(z²)/Q(z²)), where z is x clamped to ±5.5. The
// rational function differs from the normal distribution function by at most
// 3.5e-8/max(1, |x|).
func gelu(x float32) float32 {
	if x < -5.5 {
		return 0
	}
	z := min(x, 5.5)
	u := z * z
	p := float32(5.406744094216265e-06)
	p = p*u + 0.00017877962091006339
	p = p*u + 0.004677745047956705
	p = p*u + 0.035376954823732376
	p = p*u + 0.3989419937133789
	q := float32(-1.7099432980671736e-09)
	q = q*u + 7.40377117836033e-07
	q = q*u + 7.334971451200545e-05
	q = q*u + 0.0019181406823918223
	q = q*u + 0.029287302866578102
	q = q*u + 0.2553400993347168
	q = q*u + 1
	return x * (0.5 + z*p/q)
}
