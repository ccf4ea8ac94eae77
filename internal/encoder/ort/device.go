package ort

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// A Device is a processor that computes a graph: None, CPU, or cuda:N, an Nvidia GPU, which
// needs onnxruntime-gpu.
type Device string

const (
	// None means that ONNX Runtime is not used.
	None Device = ""
	// CPU is for tests of graphs: the kernels of this program are faster.
	CPU Device = "ort-cpu"

	cudaPrefix = "cuda:"
)

// ParseDevice parses a device name: cpu (ONNX Runtime is not used), cuda (the first
// GPU) or cuda:N.
func ParseDevice(name string) (Device, error) {
	switch name {
	case "cpu":
		return None, nil
	case "cuda":
		return cudaPrefix + "0", nil
	}
	number, ok := strings.CutPrefix(name, cudaPrefix)
	n, err := strconv.ParseUint(number, 10, 8)
	if !ok || err != nil {
		return None, errors.New("want cpu, cuda or cuda:N")
	}
	return Device(cudaPrefix + strconv.FormatUint(n, 10)), nil
}

// IsGPU reports whether d is a GPU.
func (d Device) IsGPU() bool { return strings.HasPrefix(string(d), cudaPrefix) }

// String returns the name that ParseDevice accepts, or ort-cpu.
func (d Device) String() string { return cmp.Or(string(d), "cpu") }

// ErrStatic reports that the program was built without support for loading
// libraries.
var ErrStatic = errors.New("this build of ragfaith is static and cannot load libraries: run the same command with ragfaith-ort (built by make build-ort, on Linux)")
