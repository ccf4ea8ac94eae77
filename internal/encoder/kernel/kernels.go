package kernel

import (
	"fmt"
	"slices"
)

// Names lists the kernels that this processor supports, slowest first. The
// first is always "generic", which is written in Go. "avx2" requires AVX2, FMA
// and F16C; "avx512" requires AVX-512 F, BW, DQ, VL and VNNI; "neon" is for
// arm64.
func Names() []string {
	var names []string
	for _, k := range all() {
		names = append(names, k.name)
	}
	return names
}

// all returns the kernels that this processor supports, slowest first.
func all() []Kernels { return append([]Kernels{{"generic", generic()}}, native()...) }

// New returns the kernels with a name listed by [Names], or the fastest if name
// is empty.
func New(name string) (*Kernels, error) {
	for _, k := range slices.Backward(all()) {
		if name == "" || k.name == name {
			return &k, nil
		}
	}
	return nil, fmt.Errorf("kernel %q is not supported by this processor, which has %v", name, Names())
}
