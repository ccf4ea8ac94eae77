package kernel

import "math"

// Activation is a function on each value of a layer's output.
type Activation int

const (
	// None leaves a value as it is.
	None Activation = iota
	// Gelu is x*Φ(x), by the error function.
	Gelu
	// GeluTanh is Gelu with tanh in place of the error function:
	// x/2*(1+tanh(sqrt(2/π)*(x+0.044715x³))).
	GeluTanh
	// Relu is max(x, 0).
	Relu
	// Silu is x/(1+exp(-x)).
	Silu
	// Tanh is the hyperbolic tangent.
	Tanh

	activations = iota
)

// Activate maps each value of x.
func (k *Kernels) Activate(x []float32, act Activation) {
	if act != None && len(x) > 0 {
		k.activate[act](x, len(x), 1, len(x))
	}
}

// plain returns the activations in plain Go. Their formulas are those of the
// vector loops.
func plain() (a [activations]func(x []float32, ld, rows, n int)) {
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
	a[Relu] = each(func(x float32) float32 { return max(x, 0) })
	a[Silu] = each(func(x float32) float32 { return x * sigmoid(-math.Log2E*x) })
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

// exp2 returns 2^t for t up to 127, and 0 for t below -126: 2^n of the nearest
// whole number n, and 1 + f*p(f) for the rest, where p is a polynomial fitted for
// |f| <= 1/2 that is off by 9.1e-8 of the result.
func exp2(t float32) float32 {
	if t < -126 {
		return 0
	}
	const whole = 3 << 22 // added to a small number, it leaves no place for a fraction
	n := float32(t+whole) - whole
	f := t - n
	p := float32(0.001326472731307149)
	p = p*f + 0.009671512991189957
	p = p*f + 0.05550733581185341
	p = p*f + 0.24022242426872253
	p = p*f + 0.6931470036506653
	p = p*f + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// gelu returns x*(1/2 + z*P(z²)/Q(z²)), z being x within ±5.5; the quotient is off
// from the normal distribution function's by 3.5e-8/max(1, |x|).
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
