package kernel

// LayerNorm sets each row of dst to (x-mean)/sqrt(variance+eps)*gain + bias, the
// mean and the variance being those of the row. Rows are width values and lie
// one after another. Where res is not nil, x += res comes first, and where dst
// is not x the sum stays in x. A nil bias is none.
func (p *Pool) LayerNorm(dst, x, res []float32, rows, width int, gain, bias []float32, eps float32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.norm(&norming{dst, x, res, rows, width, gain, bias, eps, false})
}

// RMSNorm sets each row of dst to x/sqrt(mean(x²)+eps)*gain; the rest is as in
// [Pool.LayerNorm].
func (p *Pool) RMSNorm(dst, x, res []float32, rows, width int, gain []float32, eps float32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.norm(&norming{dst, x, res, rows, width, gain, nil, eps, true})
}

// LayerNorm is [Pool.LayerNorm] on this worker.
func (w *Worker) LayerNorm(dst, x, res []float32, rows, width int, gain, bias []float32, eps float32) {
	w.norm(&norming{dst, x, res, rows, width, gain, bias, eps, false})
}

// RMSNorm is [Pool.RMSNorm] on this worker.
func (w *Worker) RMSNorm(dst, x, res []float32, rows, width int, gain []float32, eps float32) {
	w.norm(&norming{dst, x, res, rows, width, gain, nil, eps, true})
}

// norming is a normalisation at work.
type norming struct {
	dst, x, res []float32
	rows, width int
	gain, bias  []float32
	eps         float32
	rms         bool
}

// normRows is how many rows a worker normalises in one piece.
const normRows = 32

func (w *Worker) norm(n *norming) {
	if w.spread {
		w.pool.norm(n)
		return
	}
	n.block(w.k, 0, n.rows)
}

func (p *Pool) norm(n *norming) {
	p.norms = *n
	p.run(&p.norms, (n.rows+normRows-1)/normRows)
	p.norms = norming{}
}

func (n *norming) run(w *Worker, i int) {
	n.block(w.k, i*normRows, min((i+1)*normRows, n.rows))
}

func (n *norming) block(k *Kernels, lo, hi int) {
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
