package kernel

// Norm is a normalization of rows to (x-mean)/sqrt(variance+Eps)*Gain + Bias, with the
// mean and variance of the row (LayerNorm), or to x/sqrt(mean(x²)+Eps)*Gain (RMSNorm).
type Norm struct {
	Gain, Bias []float32 // Bias may be nil, and is not used by RMSNorm
	Eps        float32
	RMS        bool
}

// Norm normalizes the rows of x, which are contiguous, to those of dst. If res is not
// nil, it is first added to x; the sum remains in x unless dst is x.
func (w *Worker) Norm(n *Norm, dst, x, res []float32) {
	rows := len(x) / len(n.Gain)
	if w.inPiece {
		n.apply(w.k, dst, x, res, 0, rows)
		return
	}
	w.pool.For((rows+normRows-1)/normRows, func(w *Worker, i int) {
		n.apply(w.k, dst, x, res, i*normRows, min((i+1)*normRows, rows))
	})
}

// Norm is [Worker.Norm] on all workers.
func (p *Pool) Norm(n *Norm, dst, x, res []float32) { p.workers[0].Norm(n, dst, x, res) }

// normRows is the number of rows that a worker normalizes per piece.
const normRows = 32

// apply normalizes rows [lo, hi).
func (n *Norm) apply(k *Kernels, dst, x, res []float32, lo, hi int) {
	width := len(n.Gain)
	for at := lo * width; at < hi*width; at += width {
		end := at + width
		var add []float32
		if res != nil {
			add = res[at:end]
		}
		if n.RMS {
			k.rmsNorm(dst[at:end], x[at:end], add, n.Gain, n.Eps)
		} else {
			k.layerNorm(dst[at:end], x[at:end], add, n.Gain, n.Bias, n.Eps)
		}
	}
}
