package encoder

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// dense is a linear layer, or several over the same input.
//
// For int8 it is made in two steps. First it computes in float32, and what reads
// the output of a normalisation notes how large each of its inputs gets: a few
// of them get much larger than the others, and as a row of inputs shares one
// scale they would take the precision of all. Then each input is divided by a
// number that its weights are multiplied by, so that the large ones and the
// weights share the loss (Xiao et al., 2023, "SmoothQuant", with the published
// strength of a half).
type dense struct {
	*kernel.Linear // nil: of weights of 8 bits, and not ready yet
	in             int
	parts          []kernel.Part
	smooth         []float32 // what inputs are multiplied by; nil: by 1

	mu    sync.Mutex // guards what follows
	peaks []float32  // the largest inputs; nil: not noted
}

// apply is kernel.Worker.Apply.
func (d *dense) apply(w *kernel.Worker, dst []float32, ldd int, x []float32, ldx, rows int, act kernel.Activation) {
	x, ldx = d.scaled(w, x, ldx, rows)
	w.Apply(d.Linear, dst, ldd, x, ldx, rows, act)
}

// applyGated is kernel.Worker.ApplyGated.
func (d *dense) applyGated(w *kernel.Worker, dst []float32, ldd int, x []float32, ldx, rows int, act kernel.Activation) {
	x, ldx = d.scaled(w, x, ldx, rows)
	w.ApplyGated(d.Linear, dst, ldd, x, ldx, rows, act)
}

// scaled returns the inputs as the layer wants them.
func (d *dense) scaled(w *kernel.Worker, x []float32, ldx, rows int) ([]float32, int) {
	if d.peaks != nil {
		d.note(x, ldx, rows)
	}
	if d.smooth == nil {
		return x, ldx
	}
	scaled := w.Floats(rows * d.In)
	w.Multiply(scaled, x, ldx, rows, d.smooth)
	return scaled, d.In
}

func (d *dense) note(x []float32, ldx, rows int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r := range rows {
		for i, v := range x[r*ldx:][:d.In] {
			d.peaks[i] = max(d.peaks[i], v, -v)
		}
	}
}

// lay makes the layer ready that a file has in 8 bits, where it is to be int8.
func (d *dense) lay(k *kernel.Kernels) {
	if d.Linear == nil {
		d.Linear, d.parts = k.Linear(kernel.Int8, d.in, d.parts...), nil
	}
}

// quantise makes the layer int8.
func (d *dense) quantise(k *kernel.Kernels) {
	parts := d.parts
	if d.peaks != nil {
		parts = d.even()
	}
	d.Linear, d.parts, d.peaks = k.Linear(kernel.Int8, d.in, parts...), nil, nil
}

// even chooses what inputs are multiplied by, and returns the weights divided by
// that.
func (d *dense) even() []kernel.Part {
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
	for i, peak := range d.peaks {
		// Inputs and weights that are hardly there keep the layer finite.
		d.smooth[i] = float32(math.Sqrt(max(float64(largest[i]), 1e-5) / max(float64(peak), 1e-3)))
	}
	// What is usual stays as it is, and nothing gets larger.
	usual := slices.Sorted(slices.Values(d.smooth))[d.In/2]
	for i, s := range d.smooth {
		if s /= usual; s > 0 && s < 1 {
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

// fold moves what the inputs are multiplied by into the normalisation that makes
// them, where nothing else reads what that makes.
func (d *dense) fold(by norm) norm {
	if d.smooth == nil || by.gain == nil {
		return by
	}
	folded := norm{gain: make([]float32, len(by.gain))}
	for i, s := range d.smooth {
		folded.gain[i] = by.gain[i] * s
	}
	if by.bias != nil {
		folded.bias = make([]float32, len(by.bias))
		for i, s := range d.smooth {
			folded.bias[i] = by.bias[i] * s
		}
	}
	d.smooth = nil
	return folded
}

// What int8 is prepared with: sequences of tokens drawn evenly from the
// vocabulary. Which inputs get large depends on the model much more than on the
// text.
const (
	sampleTexts  = 6
	sampleTokens = 64
)

// quantise makes the layers of a network int8 that is loaded in float32 and takes
// no more than longest tokens, or any number if that is 0.
func (e *engine) quantise(ctx context.Context, layers []*dense, longest int) error {
	r := rand.New(rand.NewPCG(1, 2))
	n := sampleTokens
	if longest > 0 {
		n = min(n, longest)
	}
	ids := make([]int32, n)
	for range sampleTexts {
		for i := range ids {
			ids[i] = r.Int32N(int32(e.network.vocabulary()))
		}
		e.batch.add(ids, make([]int32, n))
	}
	p := &e.pass
	p.batch = &e.batch
	if _, err := e.network.forward(ctx, p); err != nil {
		return err
	}
	p.pool.For(len(layers), func(_ *kernel.Worker, i int) { layers[i].quantise(p.pool.Kernels()) })
	if pre, ok := e.network.(*preNorm); ok {
		pre.fold()
	}
	p.precision = kernel.Int8
	return nil
}
