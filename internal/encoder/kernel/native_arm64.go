package kernel

import "golang.org/x/sys/cpu"

// native returns the vectorized kernels of this processor, slowest first.
func native() []Kernels {
	return []Kernels{{"neon", neon(cpu.ARM64.HasASIMDDP)}}
}

// neon returns the loops for arm64: matrix products in NEON, with or without
// the int8 dot product instructions, and the rest in Go.
func neon(dot bool) ops {
	zeros := make([]float32, genericColumns)
	k := generic()
	k.mr = 6
	k.gemm = func(rows, depth int, a []float32, lda int, b, c []float32, ldc int, scale, bias, _ []float32) {
		if bias == nil {
			bias = zeros
		}
		gemmNEON(rows, depth, a, lda, b, c, ldc, scale, bias)
	}
	if dot {
		k.gemm8 = gemm8DOT
		return k
	}
	k.gemm8 = func(rows, depth int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32) {
		for r := 0; r < rows; r += 2 {
			gemm8MULL(min(2, rows-r), depth, a[r*lda:], lda, b, c[r*ldc:], ldc, scale[r:], columns, bias, sums, steps[r:], totals)
		}
	}
	return k
}

//go:noescape
func gemmNEON(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias []float32)

//go:noescape
func gemm8DOT(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func gemm8MULL(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
