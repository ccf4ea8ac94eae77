package ort

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Provider is the part of the library that computes.
type Provider int

const (
	// None is not to use the library at all.
	None Provider = iota
	// CPU is the part that every build of the library has.
	CPU
	// CUDA is the part for Nvidia's GPUs, of builds named onnxruntime-gpu.
	CUDA
)

// A Device is where a graph is computed. The zero value is no device of this
// package.
type Device struct {
	Provider Provider
	Index    int // of a GPU
}

// ParseDevice reads the name of a device: cpu (none of this package), ort-cpu,
// cuda (the first GPU) or cuda:N.
func ParseDevice(name string) (Device, error) {
	switch name {
	case "cpu":
		return Device{}, nil
	case "ort-cpu":
		return Device{Provider: CPU}, nil
	case "cuda":
		return Device{Provider: CUDA}, nil
	}
	if number, ok := strings.CutPrefix(name, "cuda:"); ok {
		if n, err := strconv.ParseUint(number, 10, 8); err == nil {
			return Device{CUDA, int(n)}, nil
		}
		return Device{}, fmt.Errorf("%q is no GPU: want cuda:N with N from 0 to 255", name)
	}
	return Device{}, errors.New("want cpu, ort-cpu, cuda or cuda:N")
}

// String returns the name that ParseDevice reads.
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
