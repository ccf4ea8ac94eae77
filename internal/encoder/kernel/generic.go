package kernel

import "math"

// Tile size of the Go code.
const (
	genericRows    = 4
	genericColumns = 16
)

func generic() ops {
	return ops{
		mr: genericRows, mr8: genericRows, nr: genericColumns, group: 4, inputSize: 1,
		gemm: gemm, gemm8: gemm8, slow8: true, pack: pack, f16ToF32: F16ToFloat32, bf16ToF32: BF16ToFloat32,
		maxAbs: maxAbs, minMax: minMax, quantize: quantize, activate: genericActivations(), multiply: multiply, gatherAdd: gatherAdd,
		layerNorm: layerNorm, rmsNorm: rmsNorm, softmax: softmax,
	}
}

func gemm(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, _ []float32) {
	const nr = genericColumns
	for r := range rows {
		var sum [nr]float32
		x := a[r*lda : r*lda+k]
		for i, v := range x {
			for j, w := range (*[nr]float32)(b[i*nr:]) {
				sum[j] += v * w
			}
		}
		if scale != nil {
			for j := range sum {
				sum[j] *= scale[r]
			}
		}
		if bias != nil {
			for j := range sum {
				sum[j] += bias[j]
			}
		}
		copy(c[r*ldc:r*ldc+nr], sum[:])
	}
}

func gemm8(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, _ []int32, steps, totals []float32) {
	const nr = genericColumns
	for r := range rows {
		var sum [nr]int32
		x := a[r*lda : r*lda+k]
		for i := 0; i < k; i += 4 {
			x0, x1, x2, x3 := int32(int8(x[i])), int32(int8(x[i+1])), int32(int8(x[i+2])), int32(int8(x[i+3]))
			w := (*[4 * nr]int8)(b[i*nr:])
			for j := range sum {
				sum[j] += x0*int32(w[4*j]) + x1*int32(w[4*j+1]) + x2*int32(w[4*j+2]) + x3*int32(w[4*j+3])
			}
		}
		for j, s := range sum {
			c[r*ldc+j] = (float32(s)*columns[j]+steps[r]*totals[j])*scale[r] + bias[j]
		}
	}
}

func pack(dst, src []float32, ld, rows, k int) {
	const nr = genericColumns
	r := 0
	for ; r+4 <= rows; r += 4 {
		a, b, c, d := src[r*ld:], src[(r+1)*ld:], src[(r+2)*ld:], src[(r+3)*ld:]
		a, b, c, d = a[:k], b[:k], c[:k], d[:k]
		for i := range a {
			to := dst[i*nr+r : i*nr+r+4]
			to[0], to[1], to[2], to[3] = a[i], b[i], c[i], d[i]
		}
	}
	for ; r < rows; r++ {
		for i, v := range src[r*ld : r*ld+k] {
			dst[i*nr+r] = v
		}
	}
}

// F16ToFloat32 converts IEEE 754 binary16 numbers.
func F16ToFloat32(dst []float32, src []uint16) {
	for i, h := range src {
		sign := uint32(h>>15) << 31
		exponent, fraction := uint32(h>>10)&31, uint32(h)&1023
		switch exponent {
		case 31:
			dst[i] = math.Float32frombits(sign | 255<<23 | fraction<<13)
		case 0: // fraction * 2^-24
			dst[i] = math.Float32frombits(sign | math.Float32bits(float32(fraction)/(1<<24)))
		default:
			dst[i] = math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
		}
	}
}

// BF16ToFloat32 converts bfloat16 numbers, which are the upper half of a float32.
func BF16ToFloat32(dst []float32, src []uint16) {
	for i, b := range src {
		dst[i] = math.Float32frombits(uint32(b) << 16)
	}
}

// maxAbs compares numbers by their bits, for which infinity and then NaN are the largest.
func maxAbs(x []float32) float32 {
	maxBits := uint32(0)
	for _, v := range x {
		maxBits = max(maxBits, math.Float32bits(v)&^(1<<31))
	}
	return math.Float32frombits(maxBits)
}

func minMax(x []float32) (lo, hi float32) {
	for _, v := range x {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

func quantize(dst []byte, x []float32, middle, inverse float32) {
	for i, v := range x {
		dst[i] = byte(int8(math.RoundToEven(float64((v - middle) * inverse))))
	}
}

func multiply(dst []float32, ldd int, x []float32, ldx, rows, n int) {
	for r := range rows {
		d := dst[r*ldd : r*ldd+n]
		for i, v := range x[r*ldx : r*ldx+n] {
			d[i] *= v
		}
	}
}

func gatherAdd(dst, src []float32, columns []int32, step int) {
	dst = dst[:len(columns)]
	for j, c := range columns {
		dst[j] += src[j*step+int(c)]
	}
}

func layerNorm(dst, x, res, gain, bias []float32, eps float32) {
	for i, v := range res {
		x[i] += v
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	mean := sum / float64(len(x))
	squares := 0.0
	for _, v := range x {
		squares += (float64(v) - mean) * (float64(v) - mean)
	}
	scale := 1 / math.Sqrt(squares/float64(len(x))+float64(eps))
	for i, v := range x {
		dst[i] = float32((float64(v) - mean) * scale * float64(gain[i]))
	}
	for i, v := range bias {
		dst[i] += v
	}
}

func rmsNorm(dst, x, res, gain []float32, eps float32) {
	for i, v := range res {
		x[i] += v
	}
	squares := 0.0
	for _, v := range x {
		squares += float64(v) * float64(v)
	}
	scale := 1 / math.Sqrt(squares/float64(len(x))+float64(eps))
	for i, v := range x {
		dst[i] = float32(float64(v) * scale * float64(gain[i]))
	}
}

func softmax(s []float32, scale float32, bias []float32) float32 {
	maximum := float32(math.Inf(-1))
	for i, v := range s {
		v *= scale
		if bias != nil {
			v += bias[i]
		}
		s[i] = v
		maximum = max(maximum, v)
	}
	sum := float32(0)
	for i, v := range s {
		s[i] = exp2((v - maximum) * math.Log2E)
		sum += s[i]
	}
	return sum
}

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

// genericActivations returns the activations in Go. The vector loops use the same formulas.
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

// gelu returns x*(1/2 + z*P(z²)/Q(z²)), where z is x clamped to ±5.5. The rational function differs
// from the normal distribution function by at most 3.5e-8/max(1, |x|).
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

// ops holds the innermost loops. Assembly loops use the given counts and ignore slice lengths.
type ops struct {
	// mr and nr are the numbers of rows and columns of a tile, mr8 is the number of rows of an int8 tile.
	mr, mr8, nr int
	slow8       bool // gemm8 is written in Go
	// group is the number of adjacent inputs of a column stored together in a panel of
	// int8 weights. inputSize is the size in bytes of a quantized activation.
	group, inputSize int
	// fourBits, if set, are the kernels for layers with 4-bit weights. They are blocked.
	fourBits *Kernels
	blocked  bool

	// gemm sets c[r*ldc+j] = sum(a[r*lda+i]*b[i*nr+j], i < k)*scale[r] + bias[j] for r < rows <= mr
	// and all j < nr. scale and bias may be nil. About k*4 values of ahead may be prefetched.
	gemm func(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)
	// gemm8 is gemm for up to mr8 rows and quantized a and b:
	// (sum*columns[j] + steps[r]*totals[j])*scale[r] + bias[j]. It may read mr8
	// values of steps. The rows of a have a stride of lda bytes; k is a multiple of
	// 64. b is [k/group][nr][group]. sums are the column sums times -128, used by
	// kernels that add 128 to the activations.
	// If the kernels are blocked, b has integers of four bits and their steps (see [Linear]).
	gemm8 func(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
	// pack sets dst[i*nr+r] = src[r*ld+i] for i < k and r < rows. It may write
	// anything for i up to the next multiple of 16 and for r up to nr.
	pack func(dst, src []float32, ld, rows, k int)
	// f16ToF32 and bf16ToF32 convert IEEE half precision and bfloat16 numbers.
	f16ToF32, bf16ToF32 func(dst []float32, src []uint16)

	// maxAbs returns the largest |x|, or NaN if x contains one.
	maxAbs func(x []float32) float32
	// minMax returns the minimum and maximum of 0 and x, which has no NaN.
	minMax func(x []float32) (lo, hi float32)
	// quantize rounds (x-middle)*inverse to integers, ties to even.
	quantize func(dst []byte, x []float32, middle, inverse float32)

	// activate maps rows of n values with stride ld in place.
	activate [numActivations]func(x []float32, ld, rows, n int)
	// multiply sets dst *= x on rows of n values.
	multiply func(dst []float32, ldd int, x []float32, ldx, rows, n int)

	// gatherAdd sets dst[j] += src[j*step+columns[j]].
	gatherAdd func(dst, src []float32, columns []int32, step int)

	// layerNorm and rmsNorm work on one row; res and bias may be nil.
	layerNorm func(dst, x, res, gain, bias []float32, eps float32)
	rmsNorm   func(dst, x, res, gain []float32, eps float32)
	// softmax sets s to exp(s*scale+bias-max) for scale > 0 and returns the sum of s.
	softmax func(s []float32, scale float32, bias []float32) float32
}

// Kernels is a set of the innermost loops for one kind of processor. It is
// immutable and may be shared by pools.
type Kernels struct {
	name string
	ops
}
