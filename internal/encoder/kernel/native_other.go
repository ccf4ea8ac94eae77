//go:build !amd64 && !arm64

package kernel

// native returns the paths beside plain Go, the slowest first.
func native() []Kernels { return nil }
