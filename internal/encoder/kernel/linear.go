package kernel

import (
	"fmt"
	"math"
	"slices"
)

// Raw is a weight matrix [Out][In]. In a file, it is row-major in float32, IEEE half precision or
// bfloat16. For [Int8] only, it can be a function that reads a row of 4-bit integers, from -8 to 7;
// all parts of the layer must then be functions. The integers of a [Block] share a step. A weight
// is integer*step, from -127 to 127, times the scale of the row.
type Raw struct {
	F32  []float32
	F16  []uint16
	BF16 []uint16
	I4   func(integers, steps []int8, row int) (scale float32)
}

// Block is the number of inputs with a common step in weights of four bits.
const Block = 32

// Rows returns rows [lo, hi) of a weight matrix with in columns.
func (r Raw) Rows(lo, hi, in int) Raw {
	switch {
	case r.F32 != nil:
		return Raw{F32: r.F32[lo*in : hi*in]}
	case r.F16 != nil:
		return Raw{F16: r.F16[lo*in : hi*in]}
	default:
		return Raw{BF16: r.BF16[lo*in : hi*in]}
	}
}

// Part is one linear layer: its weights, its bias (nil for none) and its number of outputs. Several
// parts can be computed as one layer whose outputs are concatenated, such as query, key and value.
type Part struct {
	W    Raw
	Bias []float32
	Out  int
}

// Linear is one or more linear layers with a common input, prepared for one set
// of kernels. It is immutable and safe for concurrent use.
type Linear struct {
	// In and Out are the numbers of inputs and outputs.
	In, Out int
	// Gated layers have two parts of Out outputs each, of which the second multiplies the first.
	Gated bool

	k         *Kernels
	precision Precision
	parts     []Part
	panels    []panel

	// The following are for Int8 and ordered by panel.
	depth   int       // In, rounded up to a multiple of 64
	size    int       // of a panel in weights
	weights []int8    // [depth/group][nr][group]; if the kernels are blocked, with the steps as [nr][2]int16 after each block
	columns []float32 // scales of the columns
	sums    []int32   // -128 times the column sums
	totals  []float32 // column sums times scales
	bias    []float32 // biases of all columns
}

// panel is a group of up to nr columns of one part.
type panel struct {
	part  int // index into parts
	row   int // row of the first column in the part's weights
	n     int // number of columns
	first int // index of the first column in the output
}

// Linear prepares a layer with in inputs. Float32 refers to the given weights,
// which may be in a mapped file, and packs them into a worker's scratch memory
// for each use. Int8 quantizes the weights once and keeps no reference to
// them. Linear panics if a weight or bias has the wrong size.
func (k *Kernels) Linear(p Precision, in int, parts ...Part) *Linear {
	if k.fourBits != nil && parts[0].W.I4 != nil {
		k = k.fourBits
	}
	l := &Linear{In: in, k: k, precision: p, parts: slices.Clone(parts)}
	for i, part := range parts {
		if n := len(part.W.F32) + len(part.W.F16) + len(part.W.BF16); part.W.I4 == nil && n != in*part.Out {
			panic(fmt.Sprintf("kernel: part %d of a linear layer has %d weights, want %d*%d", i, n, part.Out, in))
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
		l.quantize()
	}
	return l
}

// Gate makes l, which must have two parts of the same size, a gated layer.
func (l *Linear) Gate() *Linear {
	l.Out, l.Gated = l.parts[0].Out, true
	return l
}

// panelCount returns the number of panels that make up the columns of the output.
func (l *Linear) panelCount() int {
	if l.Gated {
		return len(l.panels) / 2
	}
	return len(l.panels)
}

// quantize builds the int8 panels and drops the references to the weights.
func (l *Linear) quantize() {
	k := l.k
	l.depth = (l.In + 63) &^ 63
	columns := len(l.panels) * k.nr
	l.size = k.nr * l.depth
	if k.blocked {
		l.size += k.nr * l.depth / Block * 4
	}
	l.weights = make([]int8, len(l.panels)*l.size)
	l.columns = make([]float32, columns)
	l.sums = make([]int32, columns)
	l.totals = make([]float32, columns)
	l.bias = make([]float32, columns)
	row, integers, steps := make([]float32, l.In), make([]int8, l.depth), make([]int8, l.depth/Block)
	for i, p := range l.panels {
		part := &l.parts[p.part]
		b := l.weights[i*l.size:]
		for c := range p.n {
			r := p.row + c
			var scale float32
			var sum int32
			if part.W.I4 != nil {
				scale = part.W.I4(integers[:l.In], steps[:(l.In+Block-1)/Block], r)
				sum = k.placeColumn(b, c, integers, steps)
			} else {
				scale, sum = k.quantizeColumn(b[c*k.group:], k.floatRows(row, part.W, r, r+1, l.In))
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

// quantizeColumn quantizes a column into the panel position b and returns its
// scale and the sum of its integers.
func (k *Kernels) quantizeColumn(b []int8, w []float32) (scale float32, sum int32) {
	scale, inverse := quantScale(k.maxAbs(w))
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

// placeColumn sets column c of the panel b to weights of four bits and returns the sum of the weights.
func (k *Kernels) placeColumn(b []int8, c int, integers, steps []int8) (sum int32) {
	at := c * k.group
	for n, step := range steps {
		factor := step
		if k.blocked {
			factor = 1
		}
		blockSum := int32(0)
		for i := 0; i < Block; i += 4 {
			v := [4]int8(integers[n*Block+i:])
			blockSum += int32(v[0]) + int32(v[1]) + int32(v[2]) + int32(v[3])
			v[0], v[1], v[2], v[3] = v[0]*factor, v[1]*factor, v[2]*factor, v[3]*factor
			if k.group == 4 {
				*(*[4]int8)(b[i*k.nr+at:]) = v
			} else {
				*(*[2]int8)(b[i*k.nr+at:]) = [2]int8(v[:2])
				*(*[2]int8)(b[(i+2)*k.nr+at:]) = [2]int8(v[2:])
			}
		}
		sum += blockSum * int32(step)
		b = b[Block*k.nr:]
		if k.blocked {
			*(*[4]int8)(b[4*c:]) = [4]int8{step, step >> 7, step, step >> 7} // two 16-bit integers
			b = b[4*k.nr:]
		}
	}
	return sum
}

// floatRows returns rows [lo, hi) of a weight matrix as float32, converted into dst if necessary.
func (k *Kernels) floatRows(dst []float32, w Raw, lo, hi, in int) []float32 {
	w = w.Rows(lo, hi, in)
	switch {
	case w.F32 != nil:
		return w.F32
	case w.F16 != nil:
		k.f16ToF32(dst[:len(w.F16)], w.F16)
	default:
		k.bf16ToF32(dst[:len(w.BF16)], w.BF16)
	}
	return dst[:(hi-lo)*in]
}

// quantScale returns the int8 step size for values up to maxAbs, and its inverse. If maxAbs is not
// finite, the step is NaN and the inverse 0, so that the integers are 0 and the outputs NaN. If
// maxAbs is so small that the inverse would overflow, both are 0.
func quantScale(maxAbs float32) (scale, inverse float32) {
	switch {
	case !(maxAbs <= math.MaxFloat32):
		return float32(math.NaN()), 0
	case maxAbs < 1e-36:
		return 0, 0
	}
	return maxAbs / 127, 127 / maxAbs
}

// pack copies panel i to dst as [In][nr] float32.
func (l *Linear) pack(w *Worker, dst []float32, i int) {
	k, p := l.k, &l.panels[i]
	part := &l.parts[p.part]
	m := w.mark()
	var wide []float32
	if part.W.F32 == nil {
		wide = w.Floats(p.n * l.In)
	}
	k.pack(dst, k.floatRows(wide, part.W, p.row, p.row+p.n, l.In), l.In, p.n, l.In)
	w.release(m)
}

// panelBias returns nr biases for panel i, or nil if it has none.
func (l *Linear) panelBias(w *Worker, i int) []float32 {
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
