package kernel

// run computes one head of one piece.
func (t *attending) run(w *Worker, i int) {
	h := headed{a: &t.a, w: w, q: t.items[i/t.a.Heads], head: i % t.a.Heads}
	h.lay()
	rows, mr := h.q.hi-h.q.lo, w.k.mr
	count := (rows + mr - 1) / mr
	for j := range count {
		h.tile(h.q.lo+rows*j/count, h.q.lo+rows*(j+1)/count)
	}
}

// headed is the attention of one head, its keys and values laid out.
type headed struct {
	a    *Attention
	w    *Worker
	q    queries
	head int

	keys    []float32 // [n/nr][HeadDim][nr]
	values  []float32 // [HeadDim/nr][n][nr]
	scores  []float32 // [mr][ld]
	ld      int
	bias    []float32 // of one query
	out     []float32 // [mr][nr], where a panel of the output is not full
	inverse []float32 // of the sums of a query's scores
}

// lay lays out the keys and values that the queries see.
func (h *headed) lay() {
	a, w, k, n := h.a, h.w, h.w.k, h.q.n
	d, nr := a.HeadDim, k.nr
	at := h.q.start*a.Stride + h.head*d
	keys, stride := a.K[at:], a.Stride
	if h.q.keys != nil {
		from := keys
		keys, stride = w.Floats(n*d), d
		row := keys
		for _, r := range h.q.keys {
			for j := r[0]; j < r[1]; j++ {
				row = row[copy(row[:d], from[j*a.Stride:]):]
			}
		}
	}
	panels := (n + nr - 1) / nr
	h.keys = w.Floats((panels*d + 15) * nr)
	for p := range panels {
		k.pack(h.keys[p*nr*d:], keys[p*nr*stride:], stride, min(nr, n-p*nr), d)
	}

	h.values = w.Floats((d + nr - 1) / nr * nr * n)
	for c := 0; c < d; c += nr {
		width := min(nr, d-c)
		dst := h.values[c*n:]
		from := a.V[at+c:]
		if h.q.keys == nil {
			spread(dst, from, n, a.Stride, width, nr)
			continue
		}
		for _, r := range h.q.keys {
			spread(dst, from[r[0]*a.Stride:], r[1]-r[0], a.Stride, width, nr)
			dst = dst[(r[1]-r[0])*nr:]
		}
	}

	// Rows of scores whose distance is a power of two would share cache lines.
	h.ld = panels*nr + 16
	h.scores = w.Floats(k.mr * h.ld)
	h.inverse = w.Floats(k.mr)
	h.out = w.Floats(k.mr * nr)
	h.bias = w.Floats(n)
}

// spread copies n rows of width values, stride apart, to rows of nr.
func spread(dst, src []float32, n, stride, width, nr int) {
	for j := range n {
		row := dst[j*nr : (j+1)*nr]
		clear(row[copy(row, src[j*stride:j*stride+width]):])
	}
}

// tile computes queries lo up to hi, no more than mr.
func (h *headed) tile(lo, hi int) {
	a, k := h.a, h.w.k
	d, nr := a.HeadDim, k.nr
	from, to := h.q.window(lo, hi, a.Window)
	first := from / nr
	q := a.Q[(h.q.start+lo)*a.Stride+h.head*d:]
	for p := first; p*nr < to; p++ {
		k.gemm(hi-lo, d, q, a.Stride, h.keys[p*nr*d:], h.scores[(p-first)*nr:], h.ld, nil, nil, nil)
	}
	for i := lo; i < hi; i++ {
		h.soften(i, i-lo, first*nr, to)
	}
	for c := 0; c < d; c += nr {
		v := h.values[c*h.q.n+first*nr*nr:]
		out := a.Out[(h.q.start+lo)*a.OutStride+h.head*d+c:]
		if d-c >= nr {
			k.gemm(hi-lo, to-first*nr, h.scores, h.ld, v, out, a.OutStride, h.inverse, nil, nil)
			continue
		}
		k.gemm(hi-lo, to-first*nr, h.scores, h.ld, v, h.out, nr, h.inverse, nil, nil)
		for r := range hi - lo {
			copy(out[r*a.OutStride:r*a.OutStride+d-c], h.out[r*nr:])
		}
	}
}

// soften turns the scores of query i, in row r, into weights; they are those of
// the keys from first up to last, by place.
func (h *headed) soften(i, r, first, last int) {
	from, to := h.q.window(i, i+1, h.a.Window)
	scores := h.scores[r*h.ld : r*h.ld+last-first]
	clear(scores[:from-first])
	clear(scores[to-first:])
	h.inverse[r] = 0
	if from == to {
		return
	}
	sum := h.w.k.softmax(scores[from-first:to-first], h.a.Scale, h.biases(i, from, to))
	h.inverse[r] = 1 / sum
}

// biases returns the biases of query i for the keys from place from up to to.
func (h *headed) biases(i, from, to int) []float32 {
	a := h.a
	if a.Bias == nil && a.Relative == nil {
		return nil
	}
	if h.q.keys == nil {
		return h.span(h.bias[:to-from], i, from, to)
	}
	bias := h.bias[:to-from]
	place := 0
	for _, k := range h.q.keys {
		lo, hi := max(place, from), min(place+k[1]-k[0], to)
		if lo < hi {
			dst := bias[lo-from : hi-from]
			copy(dst, h.span(dst, i, k[0]+lo-place, k[0]+hi-place))
		}
		place += k[1] - k[0]
	}
	return bias
}

// span returns the biases of query i for the keys at positions lo up to hi; dst
// may serve for them.
func (h *headed) span(dst []float32, i, lo, hi int) []float32 {
	a := h.a
	if a.Bias == nil {
		middle := h.head*(2*a.MaxLen-1) + a.MaxLen - 1 - i
		return a.Relative[middle+lo : middle+hi]
	}
	m := h.w.mark()
	a.Bias(h.w, h.q.sequence, h.head, i, lo, hi, dst)
	h.w.release(m)
	return dst
}
