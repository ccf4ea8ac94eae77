package ort

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// A Session runs a graph.
type Session struct {
	library *Library
	session uintptr
	memory  uintptr // OrtMemoryInfo
	output  string
	weights []uintptr      // OrtValues
	pins    runtime.Pinner // pins the weights
}

// Session prepares a graph to run on a device. ONNX Runtime copies most weights into its
// own layout.
func (l *Library) Session(g *Graph, d Device) (*Session, error) {
	options, err := l.create(createSessionOptions)
	if err != nil {
		return nil, err
	}
	defer l.release(releaseSessionOptions, options)
	// Memory patterns would be cached for every shape of inputs without limit.
	if err := l.call(disableMemPattern, options); err != nil {
		return nil, err
	}
	// More threads would wait busily beside the GPU and slow down the rest of the program.
	if err := l.call(setIntraOpNumThreads, options, 1); err != nil {
		return nil, err
	}
	if d.IsGPU() {
		if err := l.useCUDA(options, strings.TrimPrefix(string(d), cudaPrefix)); err != nil {
			return nil, fmt.Errorf("%w (%s; CUDA needs onnxruntime-gpu)", err, l.name)
		}
	}
	s := &Session{library: l, output: g.outputName}
	if s.memory, err = l.create(createCPUMemoryInfo, arenaAllocator, memTypeDefault); err != nil {
		return nil, err
	}
	if err := s.addWeights(options, g.weights); err != nil {
		s.Close()
		return nil, err
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	model := g.model()
	if s.session, err = l.create(createSessionFromArray, l.env, address(&pins, model), uintptr(len(model)), options); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// addWeights passes the addresses of the weights to ONNX Runtime.
func (s *Session) addWeights(options uintptr, weights []Tensor) error {
	if len(weights) == 0 {
		return nil
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	names, values := make([]string, len(weights)), make([]uintptr, len(weights))
	for i, w := range weights {
		value, err := s.value(&s.pins, w)
		if err != nil {
			return err
		}
		s.weights = append(s.weights, value)
		names[i], values[i] = w.name, value
	}
	return s.library.call(addExternalInitializers, options, cStrings(&pins, names), address(&pins, values), uintptr(len(weights)))
}

func (l *Library) useCUDA(options uintptr, index string) error {
	cuda, err := l.create(createCUDAOptions)
	if err != nil {
		return err
	}
	defer l.release(releaseCUDAOptions, cuda)
	var pins runtime.Pinner
	defer pins.Unpin()
	// Disable TF32, which has only 10 bits of precision.
	keys, values := []string{"device_id", "use_tf32"}, []string{index, "0"}
	if err := l.call(updateCUDAOptions, cuda, cStrings(&pins, keys), cStrings(&pins, values), uintptr(len(keys))); err != nil {
		return err
	}
	return l.call(appendCUDA, options, cuda)
}

// Close releases the session.
func (s *Session) Close() {
	s.library.release(releaseSession, s.session)
	for _, w := range s.weights {
		s.library.release(releaseValue, w)
	}
	s.library.release(releaseMemoryInfo, s.memory)
	s.session, s.memory, s.weights = 0, 0, nil
	s.pins.Unpin()
}

// Run computes the graph and writes the result to output, which must have the shape of the result.
// It returns the error of ctx if ctx is already done. It is safe for concurrent use.
func (s *Session) Run(ctx context.Context, output Tensor, inputs ...Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l := s.library
	var pins runtime.Pinner
	defer pins.Unpin()
	result, err := s.value(&pins, output)
	if err != nil {
		return err
	}
	defer l.release(releaseValue, result)
	names, values := make([]string, len(inputs)), make([]uintptr, len(inputs))
	for i, t := range inputs {
		if values[i], err = s.value(&pins, t); err != nil {
			return err
		}
		defer l.release(releaseValue, values[i])
		names[i] = t.name
	}
	const defaultOptions = 0
	return l.call(runSession, s.session, defaultOptions, cStrings(&pins, names), address(&pins, values), uintptr(len(inputs)),
		cStrings(&pins, []string{s.output}), 1, address(&pins, []uintptr{result}))
}

// value returns an OrtValue that shares the memory of a tensor.
func (s *Session) value(pins *runtime.Pinner, t Tensor) (uintptr, error) {
	want := int64(t.element.size())
	for _, n := range t.shape {
		want *= n
	}
	if want != int64(len(t.data)) {
		return 0, fmt.Errorf("tensor %q: got %d bytes for shape %v", t.name, len(t.data), t.shape)
	}
	return s.library.create(createTensorWithDataAsOrtValue, s.memory, address(pins, t.data), uintptr(len(t.data)),
		address(pins, t.shape), uintptr(len(t.shape)), uintptr(t.element))
}
