package kernel

// Attention is softmax(Q·Kᵀ*Scale + bias)·V over sequences whose tokens lie one
// after another, without padding.
type Attention struct {
	// Q, K and V have a row a token, Stride values apart; head h begins at
	// h*HeadDim. They may be three views of one slice.
	Q, K, V []float32
	Stride  int
	// Out is written likewise, its rows OutStride values apart.
	Out       []float32
	OutStride int
	// Lengths are the tokens of each sequence.
	Lengths        []int
	Heads, HeadDim int
	Scale          float32

	// Window, where it is not 0, lets token i see token j only if |i-j| <= Window.
	Window int

	// Relative, when set, is a bias by distance, 2*MaxLen-1 values a head: that
	// of token i for token j is at j-i+MaxLen-1. No sequence is longer than MaxLen.
	Relative []float32
	MaxLen   int
	// Bias, when set, is used in place of Relative. It sets dst to the biases of
	// query i of sequence s for the keys from lo up to hi, in head h. Several
	// workers may call it at once; w is the caller's, for its scratch memory.
	Bias func(w *Worker, s, h, i, lo, hi int, dst []float32)

	// Visible, when set, says for each sequence which keys its queries see. A
	// query that sees none, or is in no block, comes out as zeros.
	Visible func(s int) []Block
}

// Block lets queries Q0 up to Q1 see the keys of ranges [from, to), which are in
// order and do not overlap. Positions count from the start of the sequence.
type Block struct {
	Q0, Q1 int
	Keys   [][2]int
}

// Attend computes a. Scratch memory grows with a sequence's length and not with
// its square: queries are done a few at a time.
func (p *Pool) Attend(a *Attention) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &p.attends
	t.a = *a
	t.plan(len(p.workers), p.k.mr)
	p.run(t, len(t.items)*a.Heads)
	t.a = Attention{}
	clear(t.items)
}

// attending is an attention at work, in pieces of one head and some queries.
type attending struct {
	a     Attention
	items []queries
}

// queries are some queries of a sequence that see the same keys, but for a window.
type queries struct {
	sequence, start int // its index, and its first row
	lo, hi          int
	keys            [][2]int // nil: all
	n               int      // how many keys
}

// plan lists the pieces of work. Each lays out the keys it sees, so the queries
// of a sequence are only cut where there would be too few pieces for the workers.
func (t *attending) plan(workers, mr int) {
	a := &t.a
	t.items = t.items[:0]
	start := 0
	for s, n := range a.Lengths {
		if a.Visible == nil {
			t.items = append(t.items, queries{s, start, 0, n, nil, n})
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
				t.items = append(t.items, queries{s, start, b.Q0, b.Q1, b.Keys, seen})
			}
		}
		start += n
	}
	want := 4 * workers
	if workers == 1 || len(t.items) == 0 || len(t.items)*a.Heads >= want {
		return
	}
	most := max(4*mr, start*a.Heads/want)
	for i, whole := range t.items {
		cuts := (whole.hi - whole.lo + most - 1) / most
		for c := range cuts {
			q := whole
			q.lo = whole.lo + (whole.hi-whole.lo)*c/cuts
			q.hi = whole.lo + (whole.hi-whole.lo)*(c+1)/cuts
			if c == 0 {
				t.items[i] = q
			} else {
				t.items = append(t.items, q)
			}
		}
	}
}

// place returns how many of the keys seen lie before position at.
func (q *queries) place(at int) int {
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

// window returns which of the keys seen, by their place, queries lo up to hi see.
func (q *queries) window(lo, hi, window int) (from, to int) {
	if window == 0 {
		return 0, q.n
	}
	from, to = q.place(lo-window), q.place(hi+window)
	return from, max(from, to)
}
