package kernel

import (
	"math"
	"math/bits"
)

// Apply sets each row of dst to act(x·Wᵀ + bias), for the rows of x. Those of a gated
// layer are act(first part) * second part. Rows are contiguous and have l.In and l.Out
// values. dst and x must not overlap.
func (w *Worker) Apply(l *Linear, dst, x []float32, act Activation) {
	w.ApplyRows(l, dst, x, l.In, len(x)/l.In, act)
}

// ApplyRows is Apply for the given number of rows of x, which have stride ldx.
func (w *Worker) ApplyRows(l *Linear, dst, x []float32, ldx, rows int, act Activation) {
	a := applyTask{l, dst, x, ldx, rows, act}
	switch {
	case rows == 0 || l.Out == 0:
	case w.inPiece:
		m := w.mark()
		for lo := 0; lo < rows; lo += maxRows {
			a.block(w, lo, min(lo+maxRows, rows), 0, l.panelCount())
		}
		w.release(m)
	default:
		w.pool.apply(a)
	}
}

// Apply is [Worker.Apply] on all workers.
func (p *Pool) Apply(l *Linear, dst, x []float32, act Activation) {
	p.workers[0].Apply(l, dst, x, act)
}

// Multiply sets each row of dst to the element-wise product of a row of x and by. Rows
// are contiguous.
func (w *Worker) Multiply(dst, x, by []float32) {
	copy(dst, x)
	w.k.multiply(dst, len(by), by, 0, len(x)/len(by), len(by))
}

// GatherAdd adds src[j*step+columns[j]] to dst[j] for each of columns.
func (w *Worker) GatherAdd(dst, src []float32, columns []int32, step int) {
	w.k.gatherAdd(dst[:len(columns)], src, columns, step)
}

// applyTask is the task of applying a linear layer.
type applyTask struct {
	l      *Linear
	dst, x []float32
	ldx    int
	rows   int
	act    Activation
}

// maxRows limits how many rows are multiplied with a panel at once. It bounds
// the scratch memory for copied or quantized rows. Packing a float32 panel
// costs about as much as four rows, so larger blocks would gain little.
const maxRows = 512

// apply divides the work into pieces of rows and panels.
func (p *Pool) apply(a applyTask) {
	panels := a.l.panelCount()
	workers := len(p.workers)
	rowRanges := (a.rows + maxRows - 1) / maxRows
	panelRanges := 1
	if a.l.precision == Int8 && workers > 1 {
		// Panels are already packed, so only full tiles limit how finely to divide the rows.
		rowRanges = max(rowRanges, min(2*workers, a.rows/(4*a.l.k.mr8)), min(workers, a.rows/a.l.k.mr8))
	}
	if want := 4 * workers; workers > 1 && rowRanges < workers {
		panelRanges = min(panels, (want+rowRanges-1)/rowRanges)
	} else if workers > 1 && rowRanges < want && a.l.precision == Float32 {
		panelRanges = min(panels, 2)
	}
	p.For(rowRanges*panelRanges, func(w *Worker, i int) {
		r, c := i/panelRanges, i%panelRanges
		a.block(w, a.rows*r/rowRanges, a.rows*(r+1)/rowRanges, panels*c/panelRanges, panels*(c+1)/panelRanges)
	})
}

// block computes rows [lo, hi) of panels [first, last).
func (a *applyTask) block(w *Worker, lo, hi, first, last int) {
	k, l := a.l.k, a.l
	t := rowBlock{w: w, l: l, rows: hi - lo}
	x := a.x[lo*a.ldx:]
	if l.precision == Int8 {
		t.quantize(x, a.ldx)
	} else {
		t.gather(x, a.ldx)
	}
	var gate []float32
	if l.Gated {
		gate = w.Floats(t.rows * k.nr)
	}
	for i := first; i < last; i++ {
		p := &l.panels[i]
		dst := a.dst[lo*l.Out+p.first:]
		m := w.mark()
		if !l.Gated {
			t.panel(i, dst, l.Out, a.act)
		} else {
			t.panel(i, gate, k.nr, a.act)
			t.panel(i+len(l.panels)/2, dst, l.Out, None)
			k.multiply(dst, l.Out, gate, k.nr, t.rows, p.n)
		}
		w.release(m)
	}
}

// rowBlock is a block of rows prepared for multiplication with panels.
type rowBlock struct {
	w    *Worker
	l    *Linear
	rows int

	x         []float32 // rows, with stride ld
	ld        int
	quantized []byte    // quantized rows, with stride ld
	scale     []float32 // step size of each row
	steps     []float32 // middle of each row in steps
}

// gather uses the rows in place, or copies them if their stride would map the
// rows of a tile to the same few cache lines.
func (t *rowBlock) gather(x []float32, ld int) {
	t.x, t.ld = x, ld
	if bits.TrailingZeros(uint(ld)) < 9 || t.rows == 1 {
		return
	}
	in := t.l.In
	t.ld = (in+15)&^15 + 16
	t.x = t.w.Floats(t.rows * t.ld)
	for r := range t.rows {
		copy(t.x[r*t.ld:r*t.ld+in], x[r*ld:])
	}
}

func (t *rowBlock) quantize(x []float32, ldx int) {
	k, l := t.l.k, t.l
	t.ld = (l.depth*k.inputSize+63)&^63 + 64
	t.quantized = t.w.bytes.alloc(t.rows*t.ld, 64)
	t.scale = t.w.Floats(t.rows)
	t.steps = t.w.Floats(t.rows + k.mr8)
	zeros := t.w.Floats(l.In) // replaces rows without a scale
	clear(zeros)
	for r := range t.rows {
		row := x[r*ldx : r*ldx+l.In]
		middle, half := midRange(k, row)
		scale, inverse := quantScale(half)
		t.scale[r], t.steps[r] = scale, middle*inverse
		q := t.quantized[r*t.ld : (r+1)*t.ld]
		if inverse == 0 {
			row = zeros
		}
		k.quantize(q, row, middle, inverse)
		clear(q[l.In*k.inputSize : l.depth*k.inputSize])
	}
}

// midRange returns the middle and half the width of the range of row and 0.
// Activation outputs are often skewed to one side of 0, where a symmetric scale
// would waste half the integers. half is not finite if a value is not.
func midRange(k *Kernels, row []float32) (middle, half float32) {
	if maxAbs := k.maxAbs(row); !(maxAbs <= math.MaxFloat32) {
		return 0, maxAbs
	}
	lo, hi := k.minMax(row)
	return lo/2 + hi/2, hi/2 - lo/2
}

// panel computes the columns of panel i for all rows, divided into tiles of about equal height.
func (t *rowBlock) panel(i int, dst []float32, ldd int, act Activation) {
	w, l, k := t.w, t.l, t.l.k
	m := w.mark()
	n := l.panels[i].n
	bias := l.panelBias(w, i)
	var b, ahead []float32
	if l.precision == Float32 {
		b = w.Floats(((l.In + 15) &^ 15) * k.nr)
		l.pack(w, b, i)
		if i+1 < len(l.panels) { // to be prefetched
			next := &l.panels[i+1]
			ahead = l.parts[next.part].W.Rows(next.row, next.row+next.n, l.In).F32
		}
	}
	mr := k.mr
	if l.precision == Int8 {
		mr = k.mr8
	}
	c, ldc := dst, ldd
	if n < k.nr {
		c, ldc = w.Floats(mr*k.nr), k.nr
	}
	tiles := (t.rows + mr - 1) / mr
	for j := range tiles {
		lo, hi := t.rows*j/tiles, t.rows*(j+1)/tiles
		if n == k.nr {
			c = dst[lo*ldd:]
		}
		if l.precision == Float32 {
			k.gemm(hi-lo, l.In, t.x[lo*t.ld:], t.ld, b, c, ldc, nil, bias, ahead[len(ahead)*j/tiles:])
		} else {
			k.gemm8(hi-lo, l.depth, t.quantized[lo*t.ld:], t.ld, l.weights[i*l.size:], c, ldc,
				t.scale[lo:], l.columns[i*k.nr:], bias, l.sums[i*k.nr:], t.steps[lo:], l.totals[i*k.nr:])
		}
		if act != None {
			k.activate[act](c, ldc, hi-lo, n)
		}
		if n < k.nr {
			for r := lo; r < hi; r++ {
				copy(dst[r*ldd:r*ldd+n], c[(r-lo)*ldc:])
			}
		}
	}
	w.release(m)
}
