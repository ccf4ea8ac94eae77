package kernel

import (
	"encoding/binary"
	"math"

	"golang.org/x/sys/cpu"
)

// native returns the vectorized kernels of this processor, slowest first.
func native() []Kernels {
	var all []Kernels
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasF16C {
		k := avx2()
		k.fourBits = &Kernels{"avx2", avx2FourBits()}
		all = append(all, Kernels{"avx2", k})
		if x.HasAVXVNNI {
			all = append(all, Kernels{"avxvnni", avxVNNI()})
		}
	}
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512VNNI && x.HasBMI2 {
		all = append(all, Kernels{"avx512", avx512()})
		if hasAMX() {
			k := avx512()
			k.mr8, k.gemm8 = 32, gemm8AMX
			all = append(all, Kernels{"amx", k})
		}
	}
	return all
}

// avx2 returns the loops for AVX2 with FMA and F16C. Loops that handle only
// whole vectors leave the remainder to Go code.
func avx2() ops {
	k := ops{
		mr: 6, mr8: 6, nr: 16, group: 2, inputSize: 2,
		gemm: gemm256, gemm8: gemm8x256, multiply: multiply256, gatherAdd: gatherAdd,
		layerNorm: layerNorm256, rmsNorm: rmsNorm256, softmax: softmax256,
	}
	k.pack = func(dst, src []float32, ld, rows, k int) {
		whole := k &^ 7
		pack256(dst, src, ld, rows, whole)
		if whole < k {
			pack(dst[whole*16:], src[whole:], ld, rows, k-whole)
		}
	}
	k.f16ToF32 = func(dst []float32, src []uint16) {
		whole := len(src) &^ 7
		f16ToF32x256(dst[:whole], src[:whole])
		F16ToFloat32(dst[whole:], src[whole:])
	}
	k.bf16ToF32 = func(dst []float32, src []uint16) {
		whole := len(src) &^ 7
		bf16ToF32x256(dst[:whole], src[:whole])
		BF16ToFloat32(dst[whole:], src[whole:])
	}
	k.maxAbs = func(x []float32) float32 {
		whole := len(x) &^ 31
		a, b := maxAbs256(x[:whole]), maxAbs(x[whole:])
		return math.Float32frombits(max(math.Float32bits(a), math.Float32bits(b)))
	}
	k.minMax = func(x []float32) (lo, hi float32) {
		whole := len(x) &^ 31
		lo, hi = minMax256(x[:whole])
		l, h := minMax(x[whole:])
		return min(lo, l), max(hi, h)
	}
	k.quantize = func(dst []byte, x []float32, middle, inverse float32) {
		whole := len(x) &^ 15
		quantize256(dst, x[:whole], middle, inverse)
		for i, v := range x[whole:] {
			q := int16(math.RoundToEven(float64((v - middle) * inverse)))
			binary.LittleEndian.PutUint16(dst[2*(whole+i):], uint16(q))
		}
	}
	k.activate[Gelu] = gelu256
	k.activate[GeluTanh] = geluTanh256
	k.activate[Tanh] = tanh256
	return k
}

// avxVNNI is avx2 with the int8 products of processors that have AVX-VNNI, most of them without AVX-512.
func avxVNNI() ops {
	k := avx2FourBits()
	k.blocked, k.gemm8 = false, gemm8VNNI256
	return k
}

// avx2FourBits is avx2 for weights of four bits.
func avx2FourBits() ops {
	k := avx2()
	k.group, k.inputSize, k.blocked, k.gemm8 = 4, 1, true, gemm4x256
	k.quantize = func(dst []byte, x []float32, middle, inverse float32) {
		whole := len(x) &^ 15
		quantizeBytes256(dst, x[:whole], middle, inverse)
		for i, v := range x[whole:] {
			dst[whole+i] = byte(128 + int(math.RoundToEven(float64((v-middle)*inverse))))
		}
	}
	return k
}

//go:noescape
func gemm256(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)

//go:noescape
func gemm8x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func gemm4x256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func gemm8VNNI256(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func pack256(dst, src []float32, ld, rows, k int)

//go:noescape
func f16ToF32x256(dst []float32, src []uint16)

//go:noescape
func bf16ToF32x256(dst []float32, src []uint16)

//go:noescape
func maxAbs256(x []float32) float32

//go:noescape
func minMax256(x []float32) (lo, hi float32)

//go:noescape
func quantize256(dst []byte, x []float32, middle, inverse float32)

//go:noescape
func quantizeBytes256(dst []byte, x []float32, middle, inverse float32)

//go:noescape
func gelu256(x []float32, ld, rows, n int)

//go:noescape
func geluTanh256(x []float32, ld, rows, n int)

//go:noescape
func tanh256(x []float32, ld, rows, n int)

//go:noescape
func multiply256(dst []float32, ldd int, x []float32, ldx, rows, n int)

//go:noescape
func softmax256(s []float32, scale float32, bias []float32) float32

//go:noescape
func layerNorm256(dst, x, res, gain, bias []float32, eps float32)

//go:noescape
func rmsNorm256(dst, x, res, gain []float32, eps float32)

// avx512 returns the loops for AVX-512. They also use BMI2, which every
// processor with AVX-512 has. Their results are equal to those of avx2: since sums
// of rows depend on the width of vectors, the norms are those of AVX2.
func avx512() ops {
	k := ops{
		mr: 14, mr8: 14, nr: 32, group: 4, inputSize: 1,
		gemm: gemm512, gemm8: gemm8x512, pack: pack512, f16ToF32: f16ToF32x512, bf16ToF32: bf16ToF32x512,
		maxAbs: maxAbs512, minMax: minMax512, quantize: quantize512, multiply: multiply512, gatherAdd: gatherAdd512,
		layerNorm: layerNorm256, rmsNorm: rmsNorm256, softmax: softmax512,
	}
	k.activate[Gelu] = gelu512
	k.activate[GeluTanh] = geluTanh512
	k.activate[Tanh] = tanh512
	return k
}

//go:noescape
func gemm512(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)

//go:noescape
func gemm8x512(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func gemm8AMX(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func pack512(dst, src []float32, ld, rows, k int)

//go:noescape
func f16ToF32x512(dst []float32, src []uint16)

//go:noescape
func bf16ToF32x512(dst []float32, src []uint16)

//go:noescape
func maxAbs512(x []float32) float32

//go:noescape
func minMax512(x []float32) (lo, hi float32)

//go:noescape
func quantize512(dst []byte, x []float32, middle, inverse float32)

//go:noescape
func gelu512(x []float32, ld, rows, n int)

//go:noescape
func geluTanh512(x []float32, ld, rows, n int)

//go:noescape
func tanh512(x []float32, ld, rows, n int)

//go:noescape
func multiply512(dst []float32, ldd int, x []float32, ldx, rows, n int)

//go:noescape
func gatherAdd512(dst, src []float32, columns []int32, step int)

//go:noescape
func softmax512(s []float32, scale float32, bias []float32) float32
