package ort

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
)

// affine returns a graph that computes x·weight + bias for rows of two values,
// with an external weight.
func affine(weight []float32) *Graph {
	g := new(Graph)
	x := g.Input("x", Float32)
	w := g.Weight(weight, 2, 2)
	g.Output(g.Op("Gemm", []Value{x, w, g.Floats([]float32{100, 200}, 2)}, Int("transB", 1)))
	return g
}

// openSession opens a session for affine.
func openSession(t *testing.T) *Session {
	t.Helper()
	s, err := openLibrary(t).Session(affine([]float32{1, 2, 3, 4}), CPU)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestSessionRun(t *testing.T) {
	s := openSession(t)
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			var x, want []float32
			for i := range n + 1 {
				a, b := float32(i), float32(2*i+1)
				x, want = append(x, a, b), append(want, a+2*b+100, 3*a+4*b+200)
			}
			out := make([]float32, len(want))
			if err := s.Run(t.Context(), NewTensor("", out, n+1, 2), NewTensor("x", x, n+1, 2)); err != nil {
				t.Error(err)
			}
			if !slices.Equal(out, want) {
				t.Errorf("got %v, want %v", out, want)
			}
		})
	}
	wg.Wait()
}

func TestSessionRunRejectsInvalidTensors(t *testing.T) {
	s := openSession(t)
	x, out := make([]float32, 6), make([]float32, 6)
	for name, tt := range map[string]struct {
		out, in Tensor
		want    string
	}{
		"other columns":             {NewTensor("", out[:4], 2, 2), NewTensor("x", x, 2, 3), "ONNX Runtime: "},
		"other name":                {NewTensor("", out[:4], 2, 2), NewTensor("y", x[:4], 2, 2), "ONNX Runtime: "},
		"other type":                {NewTensor("", out[:4], 2, 2), NewTensor("x", make([]int32, 4), 2, 2), "ONNX Runtime: "},
		"output too small":          {NewTensor("", out[:2], 1, 2), NewTensor("x", x[:4], 2, 2), "ONNX Runtime: "},
		"shape does not match data": {NewTensor("", out, 3, 2), NewTensor("x", x, 2, 2), "24 bytes for shape [2 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := s.Run(t.Context(), tt.out, tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Run(done, NewTensor("", out[:4], 2, 2), NewTensor("x", x[:4], 2, 2)); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}

func TestSessionRejectsInvalidGraphs(t *testing.T) {
	l := openLibrary(t)
	unknown := new(Graph)
	unknown.Output(unknown.Op("NoSuchOperator", []Value{unknown.Input("x", Float32)}))
	if _, err := l.Session(unknown, CPU); err == nil || !strings.Contains(err.Error(), "NoSuchOperator") {
		t.Errorf("got error %v, want %q", err, "NoSuchOperator")
	}
	short := affine(make([]float32, 3))
	if _, err := l.Session(short, CPU); err == nil {
		t.Error("weight that is too short: got no error, want one")
	}
	_, err := l.Session(affine(make([]float32, 4)), "cuda:0")
	if err == nil {
		t.Skip("this library has CUDA")
	}
	if !strings.Contains(err.Error(), "CUDA needs onnxruntime-gpu") {
		t.Errorf("got error %v, want %q", err, "CUDA needs onnxruntime-gpu")
	}
}
