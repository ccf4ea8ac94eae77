package kernel

import (
	"fmt"
	"slices"
)

// Kernels is a set of the innermost loops for one kind of processor. It is
// immutable and may be shared by pools.
type Kernels struct {
	name string
	ops
}

// Name returns the name of k, as listed by [Names].
func (k *Kernels) Name() string { return k.name }

// Slow8 reports whether products of int8 matrices are computed in Go, which takes ten times as long or more.
func (k *Kernels) Slow8() bool { return k.slow8 }

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

// Precision is the arithmetic of a linear layer.
type Precision int

const (
	// Float32 uses the weights as they are.
	Float32 Precision = iota
	// Int8 quantizes weights and activations to 8 bits.
	Int8
)

// Names lists the kernels that this processor supports, slowest first. The first is always
// "generic", which is written in Go. "avx2" requires AVX2, FMA and F16C; "avxvnni" also AVX-VNNI; "avx512" requires AVX-512
// F, BW, DQ, VL and VNNI; "amx" is "avx512" with the tiles of AMX for int8, on Linux; "neon" is for arm64.
func Names() []string {
	var names []string
	for _, k := range all() {
		names = append(names, k.name)
	}
	return names
}

// all returns the kernels that this processor supports, slowest first.
func all() []Kernels { return append([]Kernels{{"generic", generic()}}, native()...) }

// New returns the kernels with a name listed by [Names], or the fastest if name is empty.
func New(name string) (*Kernels, error) {
	for _, k := range slices.Backward(all()) {
		if name == "" || k.name == name {
			return &k, nil
		}
	}
	return nil, fmt.Errorf("kernel %q is not supported by this processor, which has %v", name, Names())
}
