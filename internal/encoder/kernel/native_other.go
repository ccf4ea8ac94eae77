//go:build !amd64 && !arm64

package kernel

// native returns the vectorized kernels of this processor, slowest first.
func native() []Kernels { return nil }
