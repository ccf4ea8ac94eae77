package kernel

import (
	"fmt"
	"slices"
)

// Name returns the name of k, as listed by [Names].
func (k *Kernels) Name() string { return k.name }

// Slow8 reports whether products of int8 matrices are computed in Go, which takes ten times as long or more.
func (k *Kernels) Slow8() bool { return k.slow8 }

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
