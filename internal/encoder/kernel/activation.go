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

// plain returns the activations in plain Go.
func plain() (a [activations]func(x []float32, ld, rows, n int)) {
	each := func(f func(x float64) float64) func(x []float32, ld, rows, n int) {
		return func(x []float32, ld, rows, n int) {
			for r := range rows {
				row := x[r*ld : r*ld+n]
				for i, v := range row {
					row[i] = float32(f(float64(v)))
				}
			}
		}
	}
	a[Gelu] = each(func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) })
	a[GeluTanh] = each(func(x float64) float64 {
		return x / (1 + math.Exp(-2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	})
	a[Relu] = each(func(x float64) float64 { return max(x, 0) })
	a[Silu] = each(func(x float64) float64 { return x / (1 + math.Exp(-x)) })
	a[Tanh] = each(math.Tanh)
	return a
}
