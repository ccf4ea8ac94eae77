package kernel

import "fmt"

// Kernels is one path of code: the innermost loops for one kind of processor.
// It has no state and may be used by any number of pools.
type Kernels struct {
	name string
	ops
}

// ops are the innermost loops. Slices stand for what they begin with: a loop in
// assembly goes by the counts it is given and not by the slices' lengths.
type ops struct {
	// mr and nr are the rows and columns of a tile.
	mr, nr int
	// group is how many neighbouring inputs of a column lie together in a panel
	// of int8 weights, and wide the bytes of a quantised activation.
	group, wide int

	// gemm sets c[r*ldc+j] = sum(a[r*lda+i]*b[i*nr+j], i < k)*scale[r] + bias[j]
	// for r < rows <= mr and all j < nr. A nil scale or bias is left out. What
	// begins ahead, if anything, is wanted soon: about k*4 values may be fetched
	// into a cache meanwhile.
	gemm func(rows, k int, a []float32, lda int, b, c []float32, ldc int, scale, bias, ahead []float32)
	// gemm8 does so with quantised a and b:
	// (sum*columns[j] + steps[r]*totals[j])*scale[r] + bias[j]. It may read as many
	// steps as a tile has rows.
	// The values of a lie lda bytes apart by rows; k is a multiple of 4. b is
	// [k/group][nr][group] and sums is what the path wants of the columns' sums.
	gemm8 func(rows, k int, a []byte, lda int, b []int8, c []float32, ldc int, scale, columns, bias []float32, sums []int32, steps, totals []float32)
	// pack sets dst[i*nr+r] = src[r*ld+i] for i < k and r < rows. It may write
	// anything for i up to the next multiple of 16 and for r up to nr.
	pack func(dst, src []float32, ld, rows, k int)
	// half and brain widen IEEE half and bfloat16 numbers.
	half, brain func(dst []float32, src []uint16)

	// peak returns the largest |x|; NaN where there is a NaN.
	peak func(x []float32) float32
	// extent returns the least and the largest of x and 0, if no value is a NaN.
	extent func(x []float32) (lo, hi float32)
	// quantise sets dst to the nearest integers, ties to even, of (x-middle)*inverse.
	quantise func(dst []byte, x []float32, middle, inverse float32)

	// activate maps rows of n values, ld apart, in place.
	activate [activations]func(x []float32, ld, rows, n int)
	// multiply sets dst *= x on rows of n values.
	multiply func(dst []float32, ldd int, x []float32, ldx, rows, n int)

	// layerNorm and rmsNorm work on one row; res and bias may be nil.
	layerNorm func(dst, x, res, gain, bias []float32, eps float32)
	rmsNorm   func(dst, x, res, gain []float32, eps float32)
	// softmax sets s to exp(s*scale+bias-max) and returns the sum of s.
	softmax func(s []float32, scale float32, bias []float32) float32
	// relax lets a waiting thread rest for some tens of nanoseconds.
	relax func()
}

// Names lists the paths that this processor can run, the slowest first. The
// first is always "generic", which is plain Go; "avx2" wants AVX2, FMA and F16C,
// "avx512" the F, BW, DQ, VL and VNNI parts of AVX-512, and "neon" is for arm64.
func Names() []string {
	names := []string{"generic"}
	for _, k := range native() {
		names = append(names, k.name)
	}
	return names
}

// New returns the kernels of a path of [Names]; "" is the fastest.
func New(name string) (*Kernels, error) {
	all := append([]Kernels{{"generic", generic()}}, native()...)
	if name == "" {
		return &all[len(all)-1], nil
	}
	for i := range all {
		if all[i].name == name {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("kernel %q: this processor runs %v", name, Names())
}

// Name returns the name that [Names] lists the path by.
func (k *Kernels) Name() string { return k.name }
