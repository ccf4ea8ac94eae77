package ort

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Provider is an execution provider of ONNX Runtime.
type Provider int

const (
	// None means that ONNX Runtime is not used.
	None Provider = iota
	// CPU is available in every build. It is for tests of graphs: the kernels of this
	// program are faster.
	CPU
	// CUDA computes on Nvidia GPUs and needs onnxruntime-gpu.
	CUDA
)

// A Device is a processor that computes a graph. The zero value means that ONNX
// Runtime is not used.
type Device struct {
	Provider Provider
	Index    int // GPU number
}

// ParseDevice parses a device name: cpu (ONNX Runtime is not used), cuda (the first
// GPU) or cuda:N.
func ParseDevice(name string) (Device, error) {
	switch name {
	case "cpu":
		return Device{}, nil
	case "cuda":
		return Device{Provider: CUDA}, nil
	}
	if number, ok := strings.CutPrefix(name, "cuda:"); ok {
		if n, err := strconv.ParseUint(number, 10, 8); err == nil {
			return Device{CUDA, int(n)}, nil
		}
		return Device{}, fmt.Errorf("invalid device %q: want cuda:N with N from 0 to 255", name)
	}
	return Device{}, errors.New("want cpu, cuda or cuda:N")
}

// String returns the name that ParseDevice accepts, or ort-cpu.
func (d Device) String() string {
	switch d.Provider {
	case CPU:
		return "ort-cpu"
	case CUDA:
		return "cuda:" + strconv.Itoa(d.Index)
	case None:
	}
	return "cpu"
}

// ErrStatic reports that the program was built without support for loading
// libraries.
var ErrStatic = errors.New("this build of ragfaith is static and cannot load libraries: run the same command with ragfaith-ort (built by make build-ort)")
