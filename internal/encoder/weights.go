package encoder

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// weights loads the tensors of a model and checks their shapes. The first missing or
// misshapen tensor sets err. Values returned afterwards are empty.
type weights struct {
	dir       string
	set       *checkpoint.Set
	kernels   *kernel.Kernels
	precision kernel.Precision
	prefix    string   // prepended to tensor names
	eps       float32  // of normalizations
	rms       bool     // whether these are RMSNorm
	layers    []*dense // layers to quantize
	err       error
	// parts, if not nil, records the weights of linear layers to build an ONNX graph.
	parts map[*kernel.Linear][]kernel.Part
}

func (w *weights) fail(name, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: tensor %q: %s", w.dir, w.prefix+name, fmt.Sprintf(format, args...))
	}
}

// tensor returns the named tensor, which must have the given shape.
func (w *weights) tensor(name string, shape ...int) *checkpoint.Tensor {
	if w.err != nil {
		return nil
	}
	t := w.set.Tensor(w.prefix + name)
	switch {
	case t == nil:
		w.fail(name, "missing; want shape %v", shape)
	case !slices.Equal(t.Shape, shape):
		w.fail(name, "want shape %v, got %v in %s", shape, t.Shape, t.File)
	default:
		return t
	}
	return nil
}

// shape returns the shape of a matrix. It is used for sizes that the configuration
// does not contain.
func (w *weights) shape(name string) (rows, columns int) {
	t := w.set.Tensor(w.prefix + name)
	switch {
	case t == nil:
		w.fail(name, "missing")
	case len(t.Shape) != 2 || min(t.Shape[0], t.Shape[1]) < 1 || max(t.Shape[0], t.Shape[1]) > maxRows:
		w.fail(name, "want two dimensions from 1 to %d, got %v in %s", maxRows, t.Shape, t.File)
	default:
		return t.Shape[0], t.Shape[1]
	}
	return 0, 0
}

// raw returns the values of a tensor in the data type of the file.
func (w *weights) raw(name string, shape ...int) kernel.Raw {
	t := w.tensor(name, shape...)
	if t == nil {
		return kernel.Raw{}
	}
	var raw kernel.Raw
	var err error
	switch t.DType {
	case checkpoint.F32:
		raw.F32, err = t.Float32()
	case checkpoint.F16:
		raw.F16, err = t.Bits16()
	case checkpoint.BF16:
		raw.BF16, err = t.Bits16()
	default:
		w.fail(name, "want type F32, F16 or BF16, got %s in %s", t.DType, t.File)
	}
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.dir, err)
	}
	return raw
}

// vector returns the n values of a tensor as float32.
func (w *weights) vector(name string, n int) []float32 {
	raw := w.raw(name, n)
	if w.err != nil || raw.F32 != nil {
		return raw.F32
	}
	dst := make([]float32, n)
	widen(dst, raw)
	return dst
}

func (w *weights) table(name string, rows, width int) table {
	return table{raw: w.raw(name, rows, width), rows: rows, width: width}
}

// table is an embedding table in the data type of the file.
type table struct {
	raw         kernel.Raw
	rows, width int
}

func (t *table) copy(dst []float32, row int) {
	widen(dst[:t.width], t.raw.Rows(row, row+1, t.width))
}

// row returns a row, in the file or in scratch, which has its width.
func (t *table) row(row int, scratch []float32) []float32 {
	if t.raw.F32 != nil {
		return t.raw.F32[row*t.width : (row+1)*t.width]
	}
	t.copy(scratch, row)
	return scratch
}

// part returns a part of a linear layer: name.weight and, if bias is set, name.bias.
func (w *weights) part(name string, out, in int, bias bool) kernel.Part {
	p := kernel.Part{W: w.raw(name+".weight", out, in), Out: out}
	if bias {
		p.Bias = w.vector(name+".bias", out)
	}
	return p
}

// linear returns a layer, which is registered for quantization if the model is int8.
func (w *weights) linear(in int, parts ...kernel.Part) *dense {
	d := &dense{Linear: w.float32Linear(in, parts...)}
	if w.err == nil && w.precision == kernel.Int8 {
		d.parts = parts
		w.layers = append(w.layers, d)
	}
	return d
}

// split returns n parts of equal size whose weights are one tensor, without biases.
func (w *weights) split(name string, n, out, in int) []kernel.Part {
	parts := make([]kernel.Part, n)
	all := w.raw(name+".weight", n*out, in)
	for i := range parts {
		if w.err == nil {
			parts[i] = kernel.Part{W: all.Rows(i*out, (i+1)*out, in), Out: out}
		}
	}
	return parts
}

func (w *weights) gated(in int, first, second kernel.Part) *dense {
	d := w.linear(in, first, second)
	if w.err == nil {
		d.Gate()
	}
	return d
}

// normed marks a layer whose input is the output of a normalization, which requires
// smoothing in int8.
func (w *weights) normed(d *dense) *dense {
	if w.err == nil && w.precision == kernel.Int8 {
		d.maxAbs = make([]float32, d.In)
	}
	return d
}

// float32Linear returns a layer that is never quantized. It is used for last layers,
// whose rounding errors would not average out, and for layers that run only once.
func (w *weights) float32Linear(in int, parts ...kernel.Part) *kernel.Linear {
	if w.err != nil {
		return nil
	}
	l := w.kernels.Linear(kernel.Float32, in, parts...)
	if w.parts != nil {
		w.parts[l] = parts
	}
	return l
}

// norm returns a normalization with gain name.weight and, if bias is set, bias name.bias.
func (w *weights) norm(name string, n int, bias bool) kernel.Norm {
	v := kernel.Norm{Gain: w.vector(name+".weight", n), Eps: w.eps, RMS: w.rms}
	if bias {
		v.Bias = w.vector(name+".bias", n)
	}
	return v
}

// setPrefix sets the prefix to the first of prefixes with which name exists, or to
// the first if none does. In models with a head, tensor names start with the name
// of the family; in models without a head, they often do not.
func (w *weights) setPrefix(name string, prefixes ...string) {
	for _, w.prefix = range prefixes {
		if w.set.Tensor(w.prefix+name) != nil {
			return
		}
	}
	w.prefix = prefixes[0]
}

// countLayers returns the number of layers: the highest number that follows prefix
// in a tensor name, plus one.
func (w *weights) countLayers(prefix string) int {
	n := 0
	for _, name := range w.set.Names() {
		rest, ok := strings.CutPrefix(name, w.prefix+prefix)
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, ".")
		if i, err := strconv.ParseUint(digits, 10, 14); err == nil {
			n = max(n, int(i)+1)
		}
	}
	return n
}

// layerName returns the prefix of the tensor names of a layer.
func layerName(prefix string, i int) string { return prefix + strconv.Itoa(i) + "." }
