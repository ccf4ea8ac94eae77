package kernel

// avx512 returns the loops in AVX-512. They also want BMI2, which every
// processor with AVX-512 has.
func avx512() ops {
	k := ops{
		mr: 14, nr: 32, group: 4, wide: 1,
		gemm: gemm512, gemm8: gemm8x512, pack: pack512, half: half512, brain: brain512,
		peak: peak512, extent: extent512, quantise: quantise512, multiply: multiply512,
		layerNorm: layerNorm512, rmsNorm: rmsNorm512, softmax: nonnegative(softmax512), relax: relaxed,
	}
	k.activate[Gelu] = gelu512
	k.activate[GeluTanh] = geluTanh512
	k.activate[Relu] = relu512
	k.activate[Silu] = silu512
	k.activate[Tanh] = tanh512
	return k
}

// nonnegative makes of a softmax that wants a scale of at least 0 one that takes
// any, by changing the sign of the scores.
func nonnegative(f func(s []float32, scale float32, bias []float32) float32) func(s []float32, scale float32, bias []float32) float32 {
	return func(s []float32, scale float32, bias []float32) float32 {
		if scale < 0 {
			for i := range s {
				s[i] = -s[i]
			}
			scale = -scale
		}
		return f(s, scale, bias)
	}
}

//go:noescape
func gemm512(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)

//go:noescape
func gemm8x512(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)

//go:noescape
func pack512(dst, src []float32, ld, rows, k int)

//go:noescape
func half512(dst []float32, src []uint16)

//go:noescape
func brain512(dst []float32, src []uint16)

//go:noescape
func peak512(x []float32) float32

//go:noescape
func extent512(x []float32) (lo, hi float32)

//go:noescape
func quantise512(dst []byte, x []float32, middle, inverse float32)

//go:noescape
func gelu512(x []float32, ld, rows, n int)

//go:noescape
func geluTanh512(x []float32, ld, rows, n int)

//go:noescape
func silu512(x []float32, ld, rows, n int)

//go:noescape
func tanh512(x []float32, ld, rows, n int)

//go:noescape
func relu512(x []float32, ld, rows, n int)

//go:noescape
func multiply512(dst []float32, ldd int, x []float32, ldx, rows, n int)

//go:noescape
func softmax512(s []float32, scale float32, bias []float32) float32

//go:noescape
func layerNorm512(dst, x, res, gain, bias []float32, eps float32)

//go:noescape
func rmsNorm512(dst, x, res, gain []float32, eps float32)

func relaxed()
