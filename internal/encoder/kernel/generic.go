package kernel

import "math"

// Tile size of the Go code.
const (
	genericRows    = 4
	genericColumns = 16
)

// generic returns the loops in Go.
func generic() ops {
	return ops{
		mr: genericRows, nr: genericColumns, group: 4, inputSize: 1,
		gemm: gemm, gemm8: gemm8, pack: pack, f16ToF32: F16ToFloat32, bf16ToF32: BF16ToFloat32,
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

// maxAbs compares numbers by their bits, for which infinity and then NaN are
// the largest.
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
