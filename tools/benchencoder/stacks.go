package main

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// bert has six post-norm layers with the dimensions of MiniLM.
type bert struct {
	p         *kernel.Pool
	precision kernel.Precision
	layers    []bertLayer
	ctx, qkv  []float32
}

type bertLayer struct {
	qkv, o, up, down           *kernel.Linear
	gain1, bias1, gain2, bias2 []float32
}

const (
	bertLayers = 6
	bertWidth  = 384
	bertHeads  = 12
	bertInner  = 1536
)

func newBERT(p *kernel.Pool, precision kernel.Precision, r *weightReader) *bert {
	k := p.Kernels()
	s := &bert{p: p, precision: precision}
	const d, f = bertWidth, bertInner
	for range bertLayers {
		var l bertLayer
		l.qkv = k.Linear(precision, d, r.part(3*d, d, true))
		l.o = k.Linear(precision, d, r.part(d, d, true))
		l.gain1, l.bias1 = r.take(d), r.take(d)
		l.up = k.Linear(precision, d, r.part(f, d, true))
		l.down = k.Linear(precision, f, r.part(d, f, true))
		l.gain2, l.bias2 = r.take(d), r.take(d)
		s.layers = append(s.layers, l)
	}
	return s
}

func (s *bert) forward(x []float32, lengths []int) {
	const d, f = bertWidth, bertInner
	rows := len(x) / d
	if len(s.ctx) < rows*d {
		s.ctx, s.qkv = make([]float32, rows*d), make([]float32, rows*3*d)
	}
	a := kernel.Attention{
		Q: s.qkv, K: s.qkv[d:], V: s.qkv[2*d:], Stride: 3 * d, Out: s.ctx, OutStride: d,
		Lengths: lengths, Heads: bertHeads, HeadDim: d / bertHeads, Scale: float32(1 / math.Sqrt(float64(d/bertHeads))),
	}
	s.p.Apply(s.layers[0].qkv, s.qkv, 3*d, x, d, rows, kernel.None)
	for i := range s.layers {
		l := &s.layers[i]
		s.p.Attend(&a)
		s.p.Rows(s.precision, rows, func(w *kernel.Worker, lo, hi int) {
			n, x := hi-lo, x[lo*d:hi*d]
			y := w.Floats(n * d)
			w.Apply(l.o, y, d, s.ctx[lo*d:], d, n, kernel.None)
			w.LayerNorm(x, x, y, n, d, l.gain1, l.bias1, 1e-12)
			up := w.Floats(n * f)
			w.Apply(l.up, up, f, x, d, n, kernel.Gelu)
			w.Apply(l.down, y, d, up, f, n, kernel.None)
			w.LayerNorm(x, x, y, n, d, l.gain2, l.bias2, 1e-12)
			if i+1 < len(s.layers) {
				w.Apply(s.layers[i+1].qkv, s.qkv[lo*3*d:], 3*d, x, d, n, kernel.None)
			}
		})
	}
}

// t5 contains the layers of the Flan-T5 base encoder.
type t5 struct {
	p         *kernel.Pool
	precision kernel.Precision
	relative  []float32
	layers    []t5Layer
	gain      []float32
	ctx, qkv  []float32
}

type t5Layer struct {
	gain1, gain2        []float32
	qkv, o, gated, down *kernel.Linear
}

const (
	t5Layers  = 12
	t5Width   = 768
	t5Heads   = 12
	t5Inner   = 2048
	t5MaxLen  = 512
	t5Epsilon = 1e-6
)

func newT5(p *kernel.Pool, precision kernel.Precision, r *weightReader) *t5 {
	k := p.Kernels()
	const d, f = t5Width, t5Inner
	s := &t5{p: p, precision: precision, relative: r.take(t5Heads * (2*t5MaxLen - 1))}
	for range t5Layers {
		var l t5Layer
		l.gain1 = r.take(d)
		l.qkv = k.Linear(precision, d, r.part(3*d, d, false))
		l.o = k.Linear(precision, d, r.part(d, d, false))
		l.gain2 = r.take(d)
		l.gated = k.Linear(precision, d, r.part(f, d, false), r.part(f, d, false))
		l.down = k.Linear(precision, f, r.part(d, f, false))
		s.layers = append(s.layers, l)
	}
	s.gain = r.take(d)
	return s
}

func (s *t5) forward(x []float32, lengths []int) {
	const d, f = t5Width, t5Inner
	rows := len(x) / d
	if len(s.ctx) < rows*d {
		s.ctx, s.qkv = make([]float32, rows*d), make([]float32, rows*3*d)
	}
	a := kernel.Attention{
		Q: s.qkv, K: s.qkv[d:], V: s.qkv[2*d:], Stride: 3 * d, Out: s.ctx, OutStride: d,
		Lengths: lengths, Heads: t5Heads, HeadDim: d / t5Heads, Scale: 1, Relative: s.relative, MaxLen: t5MaxLen,
	}
	s.p.Rows(s.precision, rows, func(w *kernel.Worker, lo, hi int) {
		n := hi - lo
		y := w.Floats(n * d)
		w.RMSNorm(y, x[lo*d:], nil, n, d, s.layers[0].gain1, t5Epsilon)
		w.Apply(s.layers[0].qkv, s.qkv[lo*3*d:], 3*d, y, d, n, kernel.None)
	})
	for i := range s.layers {
		l := &s.layers[i]
		s.p.Attend(&a)
		s.p.Rows(s.precision, rows, func(w *kernel.Worker, lo, hi int) {
			n, x := hi-lo, x[lo*d:hi*d]
			y, z := w.Floats(n*d), w.Floats(n*d)
			w.Apply(l.o, y, d, s.ctx[lo*d:], d, n, kernel.None)
			w.RMSNorm(z, x, y, n, d, l.gain2, t5Epsilon)
			up := w.Floats(n * f)
			w.ApplyGated(l.gated, up, f, z, d, n, kernel.GeluTanh)
			w.Apply(l.down, y, d, up, f, n, kernel.None)
			if i+1 == len(s.layers) {
				w.RMSNorm(z, x, y, n, d, s.gain, t5Epsilon)
				copy(x, z)
				return
			}
			w.RMSNorm(z, x, y, n, d, s.layers[i+1].gain1, t5Epsilon)
			w.Apply(s.layers[i+1].qkv, s.qkv[lo*3*d:], 3*d, z, d, n, kernel.None)
		})
	}
}
