package kernel

// Attention is softmax(Q·Kᵀ*Scale + bias)·V over sequences whose tokens are
// concatenated without padding.
type Attention struct {
	// Q, K and V have one row per token, with stride Stride. Head h starts at
	// column h*HeadDim. They may be views of one slice.
	Q, K, V []float32
	Stride  int
	// Out has the same layout, with stride OutStride.
	Out       []float32
	OutStride int
	// Lengths are the numbers of tokens of the sequences.
	Lengths        []int
	Heads, HeadDim int
	Scale          float32

	// Window limits token i to tokens j with |i-j| <= Window, unless it is 0.
	Window int

	// Relative is an optional bias by distance, with 2*MaxLen-1 values per head.
	// The bias of token i for token j is at index j-i+MaxLen-1. No sequence may
	// be longer than MaxLen.
	Relative []float32
	MaxLen   int
	// Prepare and Bias override Relative if set. Prepare is called for queries [q0,
	// q1) of sequence s in head h, before Bias is called for each of them, and
	// returns memory of w for Bias. Bias sets dst to the biases of query i for keys
	// [lo, hi). Both are called concurrently.
	Prepare func(w *Worker, s, h, q0, q1 int) []float32
	Bias    func(w *Worker, prepared []float32, s, i, lo, hi int, dst []float32)

	// Visible optionally returns which keys the queries of a sequence see. The
	// output of a query that sees no keys, or is in no block, is zero.
	Visible func(s int) []Block
}

// Block makes the keys in the ranges Keys visible to queries [Q0, Q1). Ranges
// are half-open, sorted and disjoint. Positions are relative to the start of
// the sequence.
type Block struct {
	Q0, Q1 int
	Keys   [][2]int
}

// Attend computes a. Scratch memory is linear in the sequence length, as
// queries are processed a few at a time.
func (p *Pool) Attend(a *Attention) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &p.attendTask
	t.a = *a
	t.plan(len(p.workers), p.k.mr)
	p.run(t, len(t.items)*a.Heads)
	t.a = Attention{}
	clear(t.items)
}

// attendTask is the task of computing an attention in items of some queries
// each, one head at a time.
type attendTask struct {
	a     Attention
	items []queryRange
}

// queryRange is a range of queries of a sequence that see the same keys, apart
// from the window.
type queryRange struct {
	sequence, start int      // index and first row of the sequence
	lo, hi          int      // queries
	keys            [][2]int // nil for all
	n               int      // number of keys
}

// plan lists the work items. Each item packs its keys again, so the queries of
// a sequence are divided only if there would be too few items for the workers.
func (t *attendTask) plan(workers, mr int) {
	a := &t.a
	t.items = t.items[:0]
	start := 0
	for s, n := range a.Lengths {
		if a.Visible == nil {
			t.items = append(t.items, queryRange{s, start, 0, n, nil, n})
			start += n
			continue
		}
		for r := range n {
			for h := range a.Heads {
				at := (start+r)*a.OutStride + h*a.HeadDim
				clear(a.Out[at : at+a.HeadDim])
			}
		}
		for _, b := range a.Visible(s) {
			seen := 0
			for _, k := range b.Keys {
				seen += k[1] - k[0]
			}
			if seen > 0 && b.Q0 < b.Q1 {
				t.items = append(t.items, queryRange{s, start, b.Q0, b.Q1, b.Keys, seen})
			}
		}
		start += n
	}
	want := 4 * workers
	if workers == 1 || len(t.items) == 0 || len(t.items)*a.Heads >= want {
		return
	}
	maxQueries := max(4*mr, start*a.Heads/want)
	for i, whole := range t.items {
		parts := (whole.hi - whole.lo + maxQueries - 1) / maxQueries
		for c := range parts {
			q := whole
			q.lo = whole.lo + (whole.hi-whole.lo)*c/parts
			q.hi = whole.lo + (whole.hi-whole.lo)*(c+1)/parts
			if c == 0 {
				t.items[i] = q
			} else {
				t.items = append(t.items, q)
			}
		}
	}
}

// keysBefore returns the number of visible keys before position at.
func (q *queryRange) keysBefore(at int) int {
	if q.keys == nil {
		return min(max(at, 0), q.n)
	}
	n := 0
	for _, k := range q.keys {
		if at <= k[0] {
			break
		}
		n += min(at, k[1]) - k[0]
	}
	return n
}

// window returns the range of visible keys, by index, within the window of
// queries [lo, hi).
func (q *queryRange) window(lo, hi, window int) (from, to int) {
	if window == 0 {
		return 0, q.n
	}
	from, to = q.keysBefore(lo-window), q.keysBefore(hi+window)
	return from, max(from, to)
}

// run computes one head of one item.
func (t *attendTask) run(w *Worker, i int) {
	h := headAttention{a: &t.a, w: w, queries: t.items[i/t.a.Heads], head: i % t.a.Heads}
	h.pack()
	if t.a.Bias != nil {
		h.prepared = t.a.Prepare(w, h.queries.sequence, h.head, h.queries.lo, h.queries.hi)
	}
	rows, mr := h.queries.hi-h.queries.lo, w.k.mr
	tiles := (rows + mr - 1) / mr
	for j := range tiles {
		h.tile(h.queries.lo+rows*j/tiles, h.queries.lo+rows*(j+1)/tiles)
	}
}

// headAttention computes one head with packed keys and values.
type headAttention struct {
	a       *Attention
	w       *Worker
	queries queryRange
	head    int

	keys     []float32 // [n/nr][HeadDim][nr]
	values   []float32 // [HeadDim/nr][n][nr]
	scores   []float32 // [mr][ld]
	ld       int
	prepared []float32 // memory of Bias
	bias     []float32 // biases of one query
	out      []float32 // [mr][nr], for the last panel of the output
	inverse  []float32 // inverse sums of the weights of each query
}

// pack copies the visible keys and values into panels.
func (h *headAttention) pack() {
	a, w, k, n := h.a, h.w, h.w.k, h.queries.n
	d, nr := a.HeadDim, k.nr
	at := h.queries.start*a.Stride + h.head*d
	keys, stride := a.K[at:], a.Stride
	if h.queries.keys != nil {
		from := keys
		keys, stride = w.Floats(n*d), d
		row := keys
		for _, r := range h.queries.keys {
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
		if h.queries.keys == nil {
			padRows(dst, from, n, a.Stride, width, nr)
			continue
		}
		for _, r := range h.queries.keys {
			padRows(dst, from[r[0]*a.Stride:], r[1]-r[0], a.Stride, width, nr)
			dst = dst[(r[1]-r[0])*nr:]
		}
	}

	// A power of two as stride would map all rows to the same cache lines.
	h.ld = panels*nr + 16
	h.scores = w.Floats(k.mr * h.ld)
	h.inverse = w.Floats(k.mr)
	h.out = w.Floats(k.mr * nr)
	h.bias = w.Floats(n)
}

// padRows copies n rows of width values to rows of nr values, padded with
// zeros.
func padRows(dst, src []float32, n, stride, width, nr int) {
	for j := range n {
		row := dst[j*nr : (j+1)*nr]
		clear(row[copy(row, src[j*stride:j*stride+width]):])
	}
}

// tile computes queries [lo, hi), at most mr.
func (h *headAttention) tile(lo, hi int) {
	a, k := h.a, h.w.k
	d, nr := a.HeadDim, k.nr
	from, to := h.queries.window(lo, hi, a.Window)
	first := from / nr
	q := a.Q[(h.queries.start+lo)*a.Stride+h.head*d:]
	for p := first; p*nr < to; p++ {
		k.gemm(hi-lo, d, q, a.Stride, h.keys[p*nr*d:], h.scores[(p-first)*nr:], h.ld, nil, nil, nil)
	}
	for i := lo; i < hi; i++ {
		h.softmaxRow(i, i-lo, first*nr, to)
	}
	for c := 0; c < d; c += nr {
		v := h.values[c*h.queries.n+first*nr*nr:]
		out := a.Out[(h.queries.start+lo)*a.OutStride+h.head*d+c:]
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

// softmaxRow converts the scores of query i, in row r, into weights. The row
// covers keys [first, last).
func (h *headAttention) softmaxRow(i, r, first, last int) {
	from, to := h.queries.window(i, i+1, h.a.Window)
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

// biases returns the biases of query i for keys [from, to), or nil if there are
// none.
func (h *headAttention) biases(i, from, to int) []float32 {
	a := h.a
	if a.Bias == nil && a.Relative == nil {
		return nil
	}
	if h.queries.keys == nil {
		return h.positionBiases(h.bias[:to-from], i, from, to)
	}
	bias := h.bias[:to-from]
	place := 0
	for _, k := range h.queries.keys {
		lo, hi := max(place, from), min(place+k[1]-k[0], to)
		if lo < hi {
			dst := bias[lo-from : hi-from]
			copy(dst, h.positionBiases(dst, i, k[0]+lo-place, k[0]+hi-place))
		}
		place += k[1] - k[0]
	}
	return bias
}

// positionBiases returns the biases of query i for the keys at positions [lo,
// hi). It may use dst as a buffer.
func (h *headAttention) positionBiases(dst []float32, i, lo, hi int) []float32 {
	a := h.a
	if a.Bias == nil {
		middle := h.head*(2*a.MaxLen-1) + a.MaxLen - 1 - i
		return a.Relative[middle+lo : middle+hi]
	}
	a.Bias(h.w, h.prepared, h.queries.sequence, i, lo, hi, dst)
	return dst
}
