package encoder

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

// weights hands out the tensors of a model, each checked against the shape that
// the configuration asks for. The first that is missing or of another shape is
// kept as the error; what is handed out after it is empty.
type weights struct {
	dir    string
	set    tensors
	k      *kernel.Kernels
	p      kernel.Precision
	prefix string   // of all names, in files of a model with a head
	layers []*dense // that are to be int8
	err    error
	// parts is what linear layers were made of, where a graph is to be drawn of
	// them, else nil.
	parts map[*kernel.Linear][]kernel.Part
	// eight allows weights of 8 bits.
	eight bool
}

// tensors are what a file or a folder has, by their names.
type tensors interface {
	Tensor(name string) *safetensors.Tensor // nil where there is none
	Names() []string
}

// has tells whether there is a tensor with that name.
func (w *weights) has(name string) bool { return w.set.Tensor(w.prefix+name) != nil }

func (w *weights) fail(name, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: tensor %q: %s", w.dir, w.prefix+name, fmt.Sprintf(format, args...))
	}
}

// tensor returns the tensor with that name if it has that shape, else nil.
func (w *weights) tensor(name string, shape ...int) *safetensors.Tensor {
	if w.err != nil {
		return nil
	}
	t := w.set.Tensor(w.prefix + name)
	switch {
	case t == nil:
		w.fail(name, "is missing; want one of shape %v", shape)
		return nil
	case !slices.Equal(t.Shape, shape):
		w.fail(name, "want shape %v, found %v in %s", shape, t.Shape, t.File)
		return nil
	}
	return t
}

// shape returns the shape of a tensor of two dimensions, for models whose
// configuration doesn't have their sizes.
func (w *weights) shape(name string) (rows, columns int) {
	t := w.set.Tensor(w.prefix + name)
	switch {
	case t == nil:
		w.fail(name, "is missing")
		return 0, 0
	case len(t.Shape) != 2 || min(t.Shape[0], t.Shape[1]) < 1 || max(t.Shape[0], t.Shape[1]) > maxRows:
		w.fail(name, "want two dimensions from 1 to %d, found %v in %s", maxRows, t.Shape, t.File)
		return 0, 0
	}
	return t.Shape[0], t.Shape[1]
}

// raw returns the values of a tensor as they lie in the file.
func (w *weights) raw(name string, shape ...int) kernel.Raw {
	t := w.tensor(name, shape...)
	if t == nil {
		return kernel.Raw{}
	}
	var raw kernel.Raw
	var err error
	switch {
	case t.DType == safetensors.F32:
		raw.F32, err = t.Float32()
	case t.DType == safetensors.F16:
		raw.F16, err = t.Bits16()
	case t.DType == safetensors.BF16:
		raw.BF16, err = t.Bits16()
	case t.DType == safetensors.I8 && w.eight && len(shape) == 2:
		raw.Scales = w.vector(name+".scale", shape[0])
		raw.I8, err = t.Int8()
	default:
		w.fail(name, "has type %s in %s, want F32, F16 or BF16", t.DType, t.File)
	}
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", w.dir, err)
	}
	return raw
}

// vector returns n values as float32.
func (w *weights) vector(name string, n int) []float32 {
	raw := w.raw(name, n)
	if w.err != nil || raw.F32 != nil {
		return raw.F32
	}
	dst := make([]float32, n)
	widen(dst, raw)
	return dst
}

// table returns a table of embeddings.
func (w *weights) table(name string, rows, width int) table {
	return table{raw: w.raw(name, rows, width), rows: rows, width: width}
}

// part returns name.weight and, where there is to be one, name.bias.
func (w *weights) part(name string, out, in int, bias bool) kernel.Part {
	p := kernel.Part{W: w.raw(name+".weight", out, in), Out: out}
	if bias {
		p.Bias = w.vector(name+".bias", out)
	}
	return p
}

// linear makes parts ready in float32, and keeps them in mind for int8.
func (w *weights) linear(in int, parts ...kernel.Part) *dense {
	if w.err != nil {
		return nil
	}
	d := &dense{in: in}
	if w.p != kernel.Int8 || parts[0].W.I8 == nil {
		d.Linear = w.exact(in, parts...)
	}
	if w.p == kernel.Int8 {
		d.parts = parts
		w.layers = append(w.layers, d)
	}
	return d
}

// normed is linear for parts that read the output of a normalisation.
func (w *weights) normed(in int, parts ...kernel.Part) *dense {
	d := w.linear(in, parts...)
	if d != nil && w.p == kernel.Int8 && d.Linear != nil {
		d.peaks = make([]float32, in)
	}
	return d
}

// exact makes parts ready that stay float32: those of the last layer, whose
// rounding nothing evens out, and those that are used only once.
func (w *weights) exact(in int, parts ...kernel.Part) *kernel.Linear {
	if w.err != nil {
		return nil
	}
	l := w.k.Linear(kernel.Float32, in, parts...)
	if w.parts != nil {
		w.parts[l] = parts
	}
	return l
}

// norm is the gain and the bias of a normalisation; a nil bias is none.
type norm struct{ gain, bias []float32 }

// norm returns name.weight and, where there is to be one, name.bias. The oldest
// checkpoints call them gamma and beta.
func (w *weights) norm(name string, n int, bias bool) norm {
	gain, shift := name+".weight", name+".bias"
	if !w.has(gain) && w.has(name+".gamma") {
		gain, shift = name+".gamma", name+".beta"
	}
	v := norm{gain: w.vector(gain, n)}
	if bias {
		v.bias = w.vector(shift, n)
	}
	return v
}

// under sets the prefix to one of those given, that under which name is found.
// Models are stored with their family's name in front of every tensor where they
// have a head, and often without it where they have none.
func (w *weights) under(name string, prefixes ...string) {
	for _, w.prefix = range prefixes {
		if w.has(name) {
			return
		}
	}
	w.prefix = prefixes[0]
}

// count returns how many layers there are in a file, by the highest number that
// follows prefix in a name.
func (w *weights) count(prefix string) int {
	n := 0
	for _, name := range w.set.Names() {
		rest, ok := strings.CutPrefix(name, w.prefix+prefix)
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(rest, ".")
		i := 0
		for _, d := range []byte(digits) {
			if d < '0' || d > '9' || i > maxLayers {
				i = -1
				break
			}
			i = 10*i + int(d-'0')
		}
		if digits != "" {
			n = max(n, i+1)
		}
	}
	return n
}
