package kernel

// LayerNorm sets each row of dst to (x-mean)/sqrt(variance+eps)*gain + bias,
// with the mean and variance of the row. Rows are contiguous and have width
// values. If res is not nil, it is first added to x; the sum remains in x
// unless dst is x. bias may be nil.
func (p *Pool) LayerNorm(dst, x, res []float32, rows, width int, gain, bias []float32, eps float32) {
	p.workers[0].LayerNorm(dst, x, res, rows, width, gain, bias, eps)
}

// RMSNorm sets each row of dst to x/sqrt(mean(x²)+eps)*gain and is otherwise
// like [Pool.LayerNorm].
func (p *Pool) RMSNorm(dst, x, res []float32, rows, width int, gain []float32, eps float32) {
	p.workers[0].RMSNorm(dst, x, res, rows, width, gain, eps)
}

// LayerNorm is [Pool.LayerNorm] on this worker.
func (w *Worker) LayerNorm(dst, x, res []float32, rows, width int, gain, bias []float32, eps float32) {
	w.norm(normTask{dst, x, res, rows, width, gain, bias, eps, false})
}

// RMSNorm is [Pool.RMSNorm] on this worker.
func (w *Worker) RMSNorm(dst, x, res []float32, rows, width int, gain []float32, eps float32) {
	w.norm(normTask{dst, x, res, rows, width, gain, nil, eps, true})
}

// normTask is the task of normalizing rows.
type normTask struct {
	dst, x, res []float32
	rows, width int
	gain, bias  []float32
	eps         float32
	rms         bool
}

// normRows is the number of rows that a worker normalizes per piece.
const normRows = 32

func (w *Worker) norm(n normTask) {
	if w.inPiece {
		n.block(w.k, 0, n.rows)
		return
	}
	w.pool.For((n.rows+normRows-1)/normRows, func(w *Worker, i int) {
		n.block(w.k, i*normRows, min((i+1)*normRows, n.rows))
	})
}

func (n *normTask) block(k *Kernels, lo, hi int) {
	for r := lo; r < hi; r++ {
		at, end := r*n.width, (r+1)*n.width
		var res []float32
		if n.res != nil {
			res = n.res[at:end]
		}
		if n.rms {
			k.rmsNorm(n.dst[at:end], n.x[at:end], res, n.gain[:n.width], n.eps)
			continue
		}
		bias := n.bias
		if bias != nil {
			bias = bias[:n.width]
		}
		k.layerNorm(n.dst[at:end], n.x[at:end], res, n.gain[:n.width], bias, n.eps)
	}
}
