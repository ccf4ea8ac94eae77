package kernel

import "golang.org/x/sys/cpu"

// native returns the vectorized kernels of this processor, slowest first.
func native() []Kernels {
	return []Kernels{{"neon", neon()}}
}

// neon returns the loops for arm64: matrix products in NEON, those of int8 only with the
// dot product instructions (Armv8.2, from 2018 on), and the rest in Go.
func neon() ops {
	zeros := make([]float32, genericColumns)
	k := generic()
	k.mr, k.mr8 = 6, 6
	k.gemm = func(rows, depth int, a []float32, lda int, b, c []float32, ldc int, scale, bias, _ []float32) {
		if bias == nil {
			bias = zeros
		}
		gemmNEON(rows, depth, a, lda, b, c, ldc, scale, bias)
	}
	if cpu.ARM64.HasASIMDDP {
		k.gemm8, k.slow8 = gemm8DOT, false
	}
	return k
}

//go:noescape
func gemmNEON(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias []float32)

//go:noescape
func gemm8DOT(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
