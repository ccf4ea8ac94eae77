package kernel

import (
	"encoding/binary"
	"math"
)

// avx2 returns the loops in AVX2, with FMA and F16C. Where a loop takes whole
// vectors only, what is left over is done in plain Go.
func avx2() ops {
	k := ops{
		mr: 6, nr: 16, group: 2, wide: 2,
		gemm: gemm256, gemm8: gemm8x256, multiply: multiply256,
		layerNorm: layerNorm256, rmsNorm: rmsNorm256, softmax: nonnegative(softmax256), relax: relaxed,
	}
	k.pack = func(dst, src []float32, ld, rows, k int) {
		whole := k &^ 7
		pack256(dst, src, ld, rows, whole)
		if whole < k {
			pack(dst[whole*16:], src[whole:], ld, rows, k-whole)
		}
	}
	k.half = func(dst []float32, src []uint16) {
		whole := len(src) &^ 7
		half256(dst[:whole], src[:whole])
		half(dst[whole:], src[whole:])
	}
	k.brain = func(dst []float32, src []uint16) {
		whole := len(src) &^ 7
		brain256(dst[:whole], src[:whole])
		brain(dst[whole:], src[whole:])
	}
	k.peak = func(x []float32) float32 {
		whole := len(x) &^ 31
		a, b := peak256(x[:whole]), peak(x[whole:])
		return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
	}
	k.extent = func(x []float32) (lo, hi float32) {
		whole := len(x) &^ 31
		lo, hi = extent256(x[:whole])
		l, h := extent(x[whole:])
		return min(lo, l), max(hi, h)
	}
	k.quantise = func(dst []byte, x []float32, middle, inverse float32) {
		whole := len(x) &^ 15
		quantise256(dst, x[:whole], middle, inverse)
		for i, v := range x[whole:] {
			q := int16(math.RoundToEven(float64((v - middle) * inverse)))
			binary.LittleEndian.PutUint16(dst[2*(whole+i):], uint16(q))
		}
	}
	k.activate[Gelu] = gelu256
	k.activate[GeluTanh] = geluTanh256
	k.activate[Relu] = relu256
	k.activate[Silu] = silu256
	k.activate[Tanh] = tanh256
	return k
}

//go:noescape
func gemm256(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)

//go:noescape
func gemm8x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func pack256(dst, src []float32, ld, rows, k int)

//go:noescape
func half256(dst []float32, src []uint16)

//go:noescape
func brain256(dst []float32, src []uint16)

//go:noescape
func peak256(x []float32) float32

//go:noescape
func extent256(x []float32) (lo, hi float32)

//go:noescape
func quantise256(dst []byte, x []float32, middle, inverse float32)

//go:noescape
func gelu256(x []float32, ld, rows, n int)

//go:noescape
func geluTanh256(x []float32, ld, rows, n int)

//go:noescape
func silu256(x []float32, ld, rows, n int)

//go:noescape
func tanh256(x []float32, ld, rows, n int)

//go:noescape
func relu256(x []float32, ld, rows, n int)

//go:noescape
func multiply256(dst []float32, ldd int, x []float32, ldx, rows, n int)

//go:noescape
func softmax256(s []float32, scale float32, bias []float32) float32

//go:noescape
func layerNorm256(dst, x, res, gain, bias []float32, eps float32)

//go:noescape
func rmsNorm256(dst, x, res, gain []float32, eps float32)
