package kernel

import (
	"fmt"
	"math"
	"slices"
)

// Raw is a weight as it lies in a file, row-major [Out][In], in exactly one of
// four formats: float32, IEEE half precision, bfloat16, or 8 bits with a scale
// for each row.
type Raw struct {
	F32    []float32
	F16    []uint16
	BF16   []uint16
	I8     []int8
	Scales []float32 // [Out]: what the rows of I8 are to be multiplied by
}

// Rows returns rows lo to hi of a weight with in values a row.
func (r Raw) Rows(lo, hi, in int) Raw {
	switch {
	case r.F32 != nil:
		return Raw{F32: r.F32[lo*in : hi*in]}
	case r.F16 != nil:
		return Raw{F16: r.F16[lo*in : hi*in]}
	case r.I8 != nil:
		return Raw{I8: r.I8[lo*in : hi*in], Scales: r.Scales[lo:hi]}
	default:
		return Raw{BF16: r.BF16[lo*in : hi*in]}
	}
}

// Part is one linear layer: its weight, its bias (nil: none) and its number of
// outputs. Parts that are given together are computed as one, their outputs one
// after another: query, key and value, or the halves of a gated layer.
type Part struct {
	W    Raw
	Bias []float32
	Out  int
}

// Precision is the arithmetic of a linear layer.
type Precision int

const (
	// Float32 computes with the weights as they are.
	Float32 Precision = iota
	// Int8 computes with weights and activations quantised to 8 bits.
	Int8
)

// Linear is one or several linear layers over the same input, ready for one path
// of kernels. It never changes and may be used by many goroutines.
type Linear struct {
	// In and Out are the values of a row before and after.
	In, Out int

	k         *Kernels
	precision Precision
	parts     []Part
	panels    []panel

	// What follows is for Int8, each panel's share after another's.
	depth   int       // In, up to a multiple of 4
	weights []int8    // [depth/group][nr][group]
	columns []float32 // the columns' scales
	sums    []int32   // -128 times the sum of a column
	totals  []float32 // the columns' sums, times their scales
	bias    []float32 // of all columns
}

// panel is up to nr columns of a linear layer, all of one part.
type panel struct {
	part  int // index into parts
	row   int // first column's row in the part's weight
	n     int // columns
	first int // first column's place in the output
}

// Linear makes a layer of in inputs ready. Float32 keeps the weights where they
// lie, which may be a mapped file, and lays them out for the processor as they
// are used, in a worker's scratch memory; Int8 quantises them once, or takes
// the integers and scales that the file has, and does not hold on to them. It
// panics where a weight or bias is not of the size it says.
func (k *Kernels) Linear(p Precision, in int, parts ...Part) *Linear {
	l := &Linear{In: in, k: k, precision: p, parts: slices.Clone(parts)}
	for i, part := range parts {
		if n := len(part.W.F32) + len(part.W.F16) + len(part.W.BF16) + len(part.W.I8); n != in*part.Out {
			panic(fmt.Sprintf("kernel: part %d of a linear layer has %d weights, want %d*%d", i, n, part.Out, in))
		}
		if part.W.I8 != nil && len(part.W.Scales) != part.Out {
			panic(fmt.Sprintf("kernel: part %d of a linear layer has %d scales, want %d", i, len(part.W.Scales), part.Out))
		}
		if part.Bias != nil && len(part.Bias) != part.Out {
			panic(fmt.Sprintf("kernel: part %d of a linear layer has %d biases, want %d", i, len(part.Bias), part.Out))
		}
		for row := 0; row < part.Out; row += k.nr {
			n := min(k.nr, part.Out-row)
			l.panels = append(l.panels, panel{i, row, n, l.Out + row})
		}
		l.Out += part.Out
	}
	if p == Int8 {
		l.quantise()
	}
	return l
}

// quantise makes the int8 panels and forgets the weights.
func (l *Linear) quantise() {
	k := l.k
	l.depth = (l.In + 3) &^ 3
	columns := len(l.panels) * k.nr
	l.weights = make([]int8, columns*l.depth)
	l.columns = make([]float32, columns)
	l.sums = make([]int32, columns)
	l.totals = make([]float32, columns)
	l.bias = make([]float32, columns)
	row := make([]float32, l.In)
	for i, p := range l.panels {
		part := &l.parts[p.part]
		b := l.weights[i*k.nr*l.depth:]
		for c := range p.n {
			var scale float32
			var sum int32
			if r := p.row + c; part.W.I8 != nil {
				scale, sum = part.W.Scales[r], k.lay(b[c*k.group:], part.W.I8[r*l.In:(r+1)*l.In])
			} else {
				scale, sum = k.round(b[c*k.group:], k.row(row, part.W, r, r+1, l.In))
			}
			l.columns[i*k.nr+c] = scale
			l.sums[i*k.nr+c] = -128 * sum
			l.totals[i*k.nr+c] = float32(sum) * scale
			if part.Bias != nil {
				l.bias[i*k.nr+c] = part.Bias[p.row+c]
			}
		}
	}
	for i := range l.parts {
		l.parts[i] = Part{Out: l.parts[i].Out}
	}
}

// round quantises a column to a panel of which it begins at b, and returns its
// scale and the sum of its integers.
func (k *Kernels) round(b []int8, w []float32) (scale float32, sum int32) {
	scale, inverse := scales(k.peak(w))
	if inverse == 0 {
		return scale, 0
	}
	for j, x := range w {
		q := int32(math.RoundToEven(float64(x * inverse)))
		b[j/k.group*k.nr*k.group+j%k.group] = int8(q)
		sum += q
	}
	return scale, sum
}

// lay is round for a column of integers.
func (k *Kernels) lay(b, q []int8) (sum int32) {
	for j := 0; j < len(q); j += k.group {
		group := q[j:min(j+k.group, len(q))]
		copy(b[j*k.nr:], group)
		for _, v := range group {
			sum += int32(v)
		}
	}
	return sum
}

// row returns rows lo to hi of a weight, in dst unless they are float32.
func (k *Kernels) row(dst []float32, w Raw, lo, hi, in int) []float32 {
	at, end := lo*in, hi*in
	switch {
	case w.F32 != nil:
		return w.F32[at:end]
	case w.F16 != nil:
		k.half(dst[:end-at], w.F16[at:end])
	case w.I8 != nil:
		for r := lo; r < hi; r++ {
			step, to := w.Scales[r], dst[(r-lo)*in:(r-lo+1)*in]
			for i, q := range w.I8[r*in : (r+1)*in] {
				to[i] = float32(q) * step
			}
		}
	default:
		k.brain(dst[:end-at], w.BF16[at:end])
	}
	return dst[:end-at]
}

// scales returns the width of a step of int8 and its inverse for values up to
// peak. Where peak is not finite the step is NaN and the inverse 0, so that the
// integers are 0 and what is computed of them is NaN. A peak so small that the
// inverse would not be finite counts as 0.
func scales(peak float32) (scale, inverse float32) {
	switch {
	case !(peak <= math.MaxFloat32):
		return float32(math.NaN()), 0
	case peak < 1e-36:
		return 0, 0
	}
	return peak / 127, 127 / peak
}

// pack lays panel i out as [In][nr] float32 in w's scratch memory.
func (l *Linear) pack(w *Worker, dst []float32, i int) {
	k, p := l.k, &l.panels[i]
	part := &l.parts[p.part]
	if part.W.F32 != nil {
		k.pack(dst, part.W.F32[p.row*l.In:], l.In, p.n, l.In)
		return
	}
	m := w.mark()
	wide := w.Floats(p.n * l.In)
	k.row(wide, part.W, p.row, p.row+p.n, l.In)
	k.pack(dst, wide, l.In, p.n, l.In)
	w.release(m)
}

// after returns the weights of the panel after panel i, where they are float32.
func (l *Linear) after(i int) []float32 {
	if i+1 >= len(l.panels) {
		return nil
	}
	p := &l.panels[i+1]
	w := l.parts[p.part].W.F32
	if w == nil {
		return nil
	}
	return w[p.row*l.In : (p.row+p.n)*l.In]
}

// biasOf returns the biases of panel i as nr values, or nil where it has none.
func (l *Linear) biasOf(w *Worker, i int) []float32 {
	nr := l.k.nr
	if l.precision == Int8 {
		return l.bias[i*nr : (i+1)*nr]
	}
	p := &l.panels[i]
	b := l.parts[p.part].Bias
	if b == nil {
		return nil
	}
	if p.n == nr {
		return b[p.row : p.row+nr]
	}
	padded := w.Floats(nr)
	clear(padded[copy(padded, b[p.row:p.row+p.n]):])
	return padded
}
