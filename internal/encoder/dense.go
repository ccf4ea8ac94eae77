package encoder

import (
	"math"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// dense is a linear layer, or several layers over the same input.
//
// Quantization to int8 has two steps. During calibration, the layer computes in float32 and, if its
// input is the output of a normalization, records the maximum absolute value of each input column.
// Since all values of a row share one scale, a few large columns would reduce the precision of the
// others. Each column is therefore multiplied by a smoothing factor and its weights are divided by
// it (Xiao et al., 2023, "SmoothQuant", with the published strength of 0.5).
type dense struct {
	*kernel.Linear

	parts  []kernel.Part
	smooth []float32 // factors applied to the inputs, or nil

	mu     sync.Mutex // guards maxAbs
	maxAbs []float32  // maximum absolute value of each input; nil if not recorded
}

// apply is like kernel.Worker.Apply, with smoothing. During calibration, it also records
// the maximum absolute values of the inputs.
func (d *dense) apply(w *kernel.Worker, dst, x []float32, act kernel.Activation) {
	if d.maxAbs != nil {
		d.mu.Lock()
		for row := range slices.Chunk(x, d.In) {
			for i, v := range row {
				d.maxAbs[i] = max(d.maxAbs[i], v, -v)
			}
		}
		d.mu.Unlock()
	}
	if d.smooth != nil {
		scaled := w.Floats(len(x))
		w.Multiply(scaled, x, d.smooth)
		x = scaled
	}
	w.Apply(d.Linear, dst, x, act)
}

func (d *dense) quantize(k *kernel.Kernels) {
	parts := d.parts
	if d.maxAbs != nil {
		parts = d.smoothWeights()
	}
	gated := d.Gated
	if d.Linear = k.Linear(kernel.Int8, d.In, parts...); gated {
		d.Gate()
	}
	d.parts, d.maxAbs = nil, nil
}

// smoothWeights chooses the smoothing factors and returns the weights divided by them.
func (d *dense) smoothWeights() []kernel.Part {
	parts := make([]kernel.Part, len(d.parts))
	largest := make([]float32, d.In)
	for i, p := range d.parts {
		w := make([]float32, p.Out*d.In)
		widen(w, p.W)
		for row := range slices.Chunk(w, d.In) {
			for i, v := range row {
				largest[i] = max(largest[i], v, -v)
			}
		}
		parts[i] = kernel.Part{W: kernel.Raw{F32: w}, Bias: p.Bias, Out: p.Out}
	}
	d.smooth = make([]float32, d.In)
	for i, maxAbs := range d.maxAbs {
		// The lower bounds keep the factors finite.
		d.smooth[i] = float32(math.Sqrt(max(float64(largest[i]), 1e-5) / max(float64(maxAbs), 1e-3)))
	}
	// Make the factors relative to their median, which keeps typical inputs
	// unchanged, and at most 1, so that no input is amplified.
	median := slices.Sorted(slices.Values(d.smooth))[d.In/2]
	for i, s := range d.smooth {
		if s /= median; s > 0 && s < 1 {
			d.smooth[i] = s
		} else {
			d.smooth[i] = 1
		}
	}
	for _, p := range parts {
		for row := range slices.Chunk(p.W.F32, d.In) {
			for i, s := range d.smooth {
				row[i] /= s
			}
		}
	}
	return parts
}

// fold applies the smoothing factors to n, the normalization of the layer's inputs,
// instead. The layer must be the only reader of n's output.
func (d *dense) fold(n *kernel.Norm) {
	if d.smooth == nil || n.Gain == nil {
		return
	}
	n.Gain, n.Bias = slices.Clone(n.Gain), slices.Clone(n.Bias)
	for _, values := range [][]float32{n.Gain, n.Bias} {
		for i := range values {
			values[i] *= d.smooth[i]
		}
	}
	d.smooth = nil
}

// widen stores the values of raw in dst as float32.
func widen(dst []float32, raw kernel.Raw) {
	copy(dst, raw.F32)
	kernel.F16ToFloat32(dst, raw.F16)
	kernel.BF16ToFloat32(dst, raw.BF16)
}
