package kernel

import (
	"math"
	"math/bits"
)

// Apply sets row r of dst, of rows rows, to act(x[r]·Wᵀ + bias). Rows of x are
// ldx values apart and have l.In; rows of dst are ldd apart and have l.Out. dst
// and x must not overlap.
func (p *Pool) Apply(l *Linear, dst []float32, ldd int, x []float32, ldx, rows int, act Activation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apply(&applying{l: l, dst: dst, ldd: ldd, x: x, ldx: ldx, rows: rows, act: act})
}

// ApplyGated is for a layer of two parts of n outputs each and sets the n values
// of row r of dst to act(first part) * second part.
func (p *Pool) ApplyGated(l *Linear, dst []float32, ldd int, x []float32, ldx, rows int, act Activation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.apply(&applying{l: l, dst: dst, ldd: ldd, x: x, ldx: ldx, rows: rows, act: act, gated: true})
}

// Apply is [Pool.Apply] on this worker.
func (w *Worker) Apply(l *Linear, dst []float32, ldd int, x []float32, ldx, rows int, act Activation) {
	w.apply(&applying{l: l, dst: dst, ldd: ldd, x: x, ldx: ldx, rows: rows, act: act})
}

// ApplyGated is [Pool.ApplyGated] on this worker.
func (w *Worker) ApplyGated(l *Linear, dst []float32, ldd int, x []float32, ldx, rows int, act Activation) {
	w.apply(&applying{l: l, dst: dst, ldd: ldd, x: x, ldx: ldx, rows: rows, act: act, gated: true})
}

// Multiply sets row r of dst, rows of len(by) values without a gap, to x[r]*by.
// Rows of x are ldx values apart.
func (w *Worker) Multiply(dst, x []float32, ldx, rows int, by []float32) {
	n := len(by)
	for r := range rows {
		copy(dst[r*n:(r+1)*n], x[r*ldx:])
	}
	if rows > 0 && n > 0 {
		w.k.multiply(dst, n, by, 0, rows, n)
	}
}

// applying is a linear layer at work.
type applying struct {
	l         *Linear
	dst, x    []float32
	ldd, ldx  int
	rows      int
	act       Activation
	gated     bool
	rowCuts   int // pieces that the rows are cut into,
	panelCuts int // and the panels
}

func (w *Worker) apply(a *applying) {
	if w.spread {
		w.pool.apply(a)
		return
	}
	if a.rows == 0 || a.l.Out == 0 {
		return
	}
	m := w.mark()
	for lo := 0; lo < a.rows; lo += maxRows {
		a.block(w, lo, min(lo+maxRows, a.rows), 0, a.width())
	}
	w.release(m)
}

// maxRows bounds the rows that go past a panel at once. It keeps scratch memory
// small where rows are copied or quantised; laying out a float32 panel costs as
// much as some four rows, so that more would gain little.
const maxRows = 512

// apply cuts the work into pieces of rows and panels.
func (p *Pool) apply(a *applying) {
	if a.rows == 0 || a.l.Out == 0 {
		return
	}
	panels := a.width()
	workers := len(p.workers)
	a.rowCuts = (a.rows + maxRows - 1) / maxRows
	a.panelCuts = 1
	if a.l.precision == Int8 {
		// Panels are ready, so rows are cut as finely as fills the tiles.
		if workers > 1 {
			a.rowCuts = max(a.rowCuts, min(2*workers, a.rows/(4*a.l.k.mr)), min(workers, a.rows/a.l.k.mr))
		}
	}
	if want := 4 * workers; workers > 1 && a.rowCuts < workers {
		a.panelCuts = min(panels, (want+a.rowCuts-1)/a.rowCuts)
	} else if workers > 1 && a.rowCuts < want && a.l.precision == Float32 {
		a.panelCuts = min(panels, 2)
	}
	p.applies = *a
	p.run(&p.applies, a.rowCuts*a.panelCuts)
	p.applies = applying{}
}

func (a *applying) run(w *Worker, i int) {
	r, c := i/a.panelCuts, i%a.panelCuts
	n := a.width()
	a.block(w, a.rows*r/a.rowCuts, a.rows*(r+1)/a.rowCuts, n*c/a.panelCuts, n*(c+1)/a.panelCuts)
}

// width returns the number of panels that make columns of dst.
func (a *applying) width() int {
	n := len(a.l.panels)
	if a.gated {
		if len(a.l.parts) != 2 || a.l.parts[0].Out != a.l.parts[1].Out {
			panic("kernel: a gated layer has two parts of one size")
		}
		return n / 2
	}
	return n
}

// block computes rows lo to hi of the panels from first to last.
func (a *applying) block(w *Worker, lo, hi, first, last int) {
	k, l := a.l.k, a.l
	t := tiles{w: w, l: l, rows: hi - lo}
	x := a.x[lo*a.ldx:]
	if l.precision == Int8 {
		t.quantise(x, a.ldx)
	} else {
		t.gather(x, a.ldx)
	}
	var gate []float32
	if a.gated {
		gate = w.Floats(t.rows * k.nr)
	}
	for i := first; i < last; i++ {
		p := &l.panels[i]
		dst := a.dst[lo*a.ldd+p.first:]
		m := w.mark()
		if !a.gated {
			t.panel(i, dst, a.ldd, a.act)
		} else {
			t.panel(i, gate, k.nr, a.act)
			t.panel(i+len(l.panels)/2, dst, a.ldd, None)
			k.multiply(dst, a.ldd, gate, k.nr, t.rows, p.n)
		}
		w.release(m)
	}
}

// tiles is a block of rows, ready to be multiplied with panels.
type tiles struct {
	w    *Worker
	l    *Linear
	rows int

	x     []float32 // rows ld apart
	ld    int
	bytes []byte // quantised, ld bytes apart
	scale []float32
	steps []float32 // by how many steps the middle of a row is off 0
}

// gather takes rows as they are, or copies them where they lie so far apart that
// the rows of a tile would fall on the same few lines of the nearest cache.
func (t *tiles) gather(x []float32, ld int) {
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

// quantise makes int8 of the rows.
func (t *tiles) quantise(x []float32, ldx int) {
	k, l := t.l.k, t.l
	t.ld = (l.depth*k.wide+63)&^63 + 64
	t.bytes = t.w.octets(t.rows * t.ld)
	t.scale = t.w.Floats(t.rows)
	t.steps = t.w.Floats(t.rows + k.mr)
	nothing := t.w.Floats(l.In) // what a row without a scale is taken for
	clear(nothing)
	for r := range t.rows {
		row := x[r*ldx : r*ldx+l.In]
		middle, half := middle(k, row)
		scale, inverse := scales(half)
		t.scale[r], t.steps[r] = scale, middle*inverse
		q := t.bytes[r*t.ld : (r+1)*t.ld]
		if inverse == 0 {
			row = nothing
		}
		k.quantise(q, row, middle, inverse)
		clear(q[l.In*k.wide : l.depth*k.wide])
	}
}

// middle returns the middle of the range of a row and 0, and half its width. What
// comes of an activation is often to one side of 0, and half the integers would
// be for values that are not there. Where a value is not finite, half is not.
func middle(k *Kernels, row []float32) (middle, half float32) {
	if peak := k.peak(row); !(peak <= math.MaxFloat32) {
		return 0, peak
	}
	lo, hi := k.extent(row)
	return lo/2 + hi/2, hi/2 - lo/2
}

// panel computes the columns of panel i for all rows, tile by tile: the rows are
// cut so that no tile is much smaller than another.
func (t *tiles) panel(i int, dst []float32, ldd int, act Activation) {
	w, l, k := t.w, t.l, t.l.k
	m := w.mark()
	n := l.panels[i].n
	bias := l.biasOf(w, i)
	var b, ahead []float32
	if l.precision == Float32 {
		b = w.Floats(((l.In + 15) &^ 15) * k.nr)
		l.pack(w, b, i)
		ahead = l.after(i)
	}
	c, ldc := dst, ldd
	if n < k.nr {
		c, ldc = w.Floats(k.mr*k.nr), k.nr
	}
	count := (t.rows + k.mr - 1) / k.mr
	for j := range count {
		lo, hi := t.rows*j/count, t.rows*(j+1)/count
		if n == k.nr {
			c = dst[lo*ldd:]
		}
		if l.precision == Float32 {
			k.gemm(hi-lo, l.In, t.x[lo*t.ld:], t.ld, b, c, ldc, nil, bias, ahead[len(ahead)*j/count:])
		} else {
			k.gemm8(hi-lo, l.depth, t.bytes[lo*t.ld:], t.ld, l.weights[i*k.nr*l.depth:], c, ldc,
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
