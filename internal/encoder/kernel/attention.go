package kernel

import "math"

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
	Lengths []int
	// Prefix, if set, has for each sequence the index of an earlier one whose tokens it attends to
	// before its own, or -1. Window is then not supported. In Bias, key indexes include
	// those tokens first; query indexes do not.
	Prefix         []int
	Heads, HeadDim int
	Scale          float32 // greater than 0

	// Window limits token i to tokens j with |i-j| <= Window, unless it is 0.
	Window int

	// Prepare and Bias are optional. Prepare is called for queries [q0, q1) of sequence s in head
	// h, before Bias is called for each of them, and returns memory for Bias. Bias sets dst to the
	// biases of query i for keys [lo, hi). Both are called concurrently.
	Prepare func(w *Worker, s, h, q0, q1 int) []float32
	Bias    func(w *Worker, prepared []float32, s, i, lo, hi int, dst []float32)

	// First limits the output to the first token of each sequence.
	First bool
}

// Attend computes a. Scratch memory is linear in the sequence length, as
// queries are processed a few at a time.
func (p *Pool) Attend(a *Attention) {
	groups := groupByPrefix(a.plan(len(p.workers), p.k.mr), len(p.workers) == 1)
	p.For(len(groups)*a.Heads, func(w *Worker, i int) {
		h := headAttention{a: a, w: w, head: i % a.Heads}
		h.run(groups[i/a.Heads])
	})
}

// groupByPrefix divides items into groups of one or, if join is set, of consecutive ones with the same prefix, which is packed once.
func groupByPrefix(items []queryRange, join bool) (groups [][]queryRange) {
	for len(items) > 0 {
		n := 1
		for join && n < len(items) && items[0].before > 0 && items[n].before > 0 && items[n].prefix == items[0].prefix {
			n++
		}
		groups, items = append(groups, items[:n]), items[n:]
	}
	return groups
}

// queryRange is a range of queries of a sequence.
type queryRange struct {
	sequence, start int // index and first row of the sequence
	lo, hi          int // queries
	n               int // tokens that it attends to
	before          int // of these, tokens of the prefix
	prefix          int // first row of the prefix
}

// plan lists the work items. Each item packs its keys again, so the queries of
// a sequence are divided only if there would be too few items for the workers.
func (a *Attention) plan(workers, mr int) []queryRange {
	var items []queryRange
	start := 0
	for s, n := range a.Lengths {
		q := queryRange{sequence: s, start: start, hi: n, n: n}
		if a.First {
			q.hi = min(n, 1)
		}
		if a.Prefix != nil && a.Prefix[s] >= 0 {
			q.prefix, q.before = items[a.Prefix[s]].start, a.Lengths[a.Prefix[s]]
			q.n += q.before
		}
		items = append(items, q)
		start += n
	}
	want := 4 * workers
	if workers == 1 || len(items) == 0 || len(items)*a.Heads >= want {
		return items
	}
	maxQueries := max(4*mr, start*a.Heads/want)
	for i, whole := range items {
		parts := (whole.hi - whole.lo + maxQueries - 1) / maxQueries
		for c := range parts {
			q := whole
			q.lo = whole.lo + (whole.hi-whole.lo)*c/parts
			q.hi = whole.lo + (whole.hi-whole.lo)*(c+1)/parts
			if c == 0 {
				items[i] = q
			} else {
				items = append(items, q)
			}
		}
	}
	return items
}

// window returns the range of keys within the window of queries [lo, hi).
func (q *queryRange) window(lo, hi, window int) (from, to int) {
	if window == 0 {
		return 0, q.n
	}
	return max(lo-window, 0), min(hi+window, q.n)
}

// headAttention computes one head with packed keys and values.
type headAttention struct {
	a       *Attention
	w       *Worker
	queries queryRange
	head    int

	maxKeys  int       // n of the longest item
	keys     []float32 // [n/nr][HeadDim][nr]
	joined   []float32 // [nr+n][HeadDim]; keys at the end of the prefix and after it
	values   []float32 // [HeadDim/nr][maxKeys][nr]
	scores   []float32 // [mr][ld]
	ld       int
	prepared []float32 // memory of Bias
	bias     []float32 // biases of one query
	out      []float32 // [mr][nr], for the last panel of the output
	inverse  []float32 // inverse sums of the weights of each query
}

// run computes one item, or several with the same prefix.
func (h *headAttention) run(items []queryRange) {
	h.prepare(items)
	for _, q := range items {
		h.queries = q
		h.pack()
		if h.a.Bias != nil {
			h.prepared = h.a.Prepare(h.w, q.sequence, h.head, q.lo, q.hi)
		}
		rows, mr := q.hi-q.lo, h.w.k.mr
		tiles := (rows + mr - 1) / mr
		for j := range tiles {
			h.tile(q.lo+rows*j/tiles, q.lo+rows*(j+1)/tiles)
		}
	}
}

// prepare allocates memory for items and packs their prefix, if any.
func (h *headAttention) prepare(items []queryRange) {
	a, w, k := h.a, h.w, h.w.k
	d, nr, q := a.HeadDim, k.nr, items[0]
	for _, item := range items {
		h.maxKeys = max(h.maxKeys, item.n)
	}
	panels := (h.maxKeys + nr - 1) / nr
	h.keys = w.Floats((panels*d + 15) * nr)
	h.joined = w.Floats((nr + h.maxKeys) * d)
	h.values = w.Floats((d + nr - 1) / nr * nr * h.maxKeys)
	for p := range q.before / nr {
		k.pack(h.keys[p*nr*d:], a.K[h.at(q.prefix+p*nr):], a.Stride, nr, d)
	}
	h.packValues(0, q.before, q.prefix)

	// A power of two as stride would map all rows to the same cache lines.
	h.ld = panels*nr + 16
	h.scores = w.Floats(k.mr * h.ld)
	h.inverse = w.Floats(k.mr)
	h.out = w.Floats(k.mr * nr)
	h.bias = w.Floats(h.maxKeys)
}

// at returns the index of the head in a row of Q, K or V.
func (h *headAttention) at(row int) int { return row*h.a.Stride + h.head*h.a.HeadDim }

// pack packs the keys and values after those of the prefix, and the keys of its last panel again if it is not full.
func (h *headAttention) pack() {
	a, k, q := h.a, h.w.k, &h.queries
	d, nr := a.HeadDim, k.nr
	keys, stride, full := a.K[h.at(q.start):], a.Stride, q.before/nr
	if rest := q.before % nr; rest > 0 {
		padRows(h.joined, a.K[h.at(q.prefix+full*nr):], rest, a.Stride, d, d)
		padRows(h.joined[rest*d:], keys, q.n-q.before, a.Stride, d, d)
		keys, stride = h.joined, d
	}
	for p := full; p*nr < q.n; p++ {
		k.pack(h.keys[p*nr*d:], keys[(p-full)*nr*stride:], stride, min(nr, q.n-p*nr), d)
	}
	h.packValues(q.before, q.n-q.before, q.start)
}

// packValues copies the values of n rows from row on, as those of keys from first on.
func (h *headAttention) packValues(first, n, row int) {
	d, nr := h.a.HeadDim, h.w.k.nr
	for c := 0; c < d; c += nr {
		padRows(h.values[c*h.maxKeys+first*nr:], h.a.V[h.at(row)+c:], n, h.a.Stride, min(nr, d-c), nr)
	}
}

// padRows copies n rows of width values to rows of nr values, padded with zeros.
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
	q := a.Q[h.at(h.queries.start+lo):]
	for p := first; p*nr < to; p++ {
		k.gemm(hi-lo, d, q, a.Stride, h.keys[p*nr*d:], h.scores[(p-first)*nr:], h.ld, nil, nil, nil)
	}
	for i := lo; i < hi; i++ {
		h.softmaxRow(i, i-lo, first*nr, to)
	}
	for c := 0; c < d; c += nr {
		v := h.values[c*h.maxKeys+first*nr*nr:]
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
	var bias []float32
	if h.a.Bias != nil {
		bias = h.bias[:to-from]
		h.a.Bias(h.w, h.prepared, h.queries.sequence, i, from, to, bias)
	}
	h.inverse[r] = 1 / h.w.k.softmax(scores[from-first:to-first], h.a.Scale, bias)
}

// DistanceBiases returns for each head the bias of a key at each distance from the query, from 1-n to n-1, given a value for each
// bucket and head: [buckets][heads].
func DistanceBiases(values []float32, heads, n int) [][]float32 {
	biases := make([][]float32, heads)
	for distance := 1 - n; distance < n; distance++ {
		row := values[DistanceBucket(distance, len(values)/heads)*heads:]
		for h := range biases {
			biases[h] = append(biases[h], row[h])
		}
	}
	return biases
}

// MaxDistance is the distance from which keys are in the last bucket: relative_attention_max_distance of MPNet, and of T5 in HHEM.
const MaxDistance = 128

// DistanceBucket returns the bucket of a distance, key position minus query position, in the attention of T5 and MPNet (Raffel et
// al., 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer", section 2.1). Each
// direction uses half of the buckets. The first half of these hold a single distance; the ranges of the others grow logarithmically.
func DistanceBucket(distance, buckets int) int {
	half := buckets / 2
	base := 0
	if distance > 0 {
		base = half
	}
	n, exact := max(distance, -distance), half/2
	if n < exact {
		return base + n
	}
	frac := math.Log(float64(n)/float64(exact)) / math.Log(MaxDistance/float64(exact))
	return base + min(exact+int(frac*float64(half-exact)), half-1)
}
