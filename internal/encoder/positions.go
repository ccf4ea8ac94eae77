package encoder

import (
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// rotation is rotary position embedding (Su et al., 2021, "RoFormer"): value i of
// the first half of a head and value i of the second half are rotated as a pair by
// the angle position * theta^(-2i/head).
type rotation struct {
	theta  float64
	half   int       // half the width of a head
	angles []float32 // [position][2*half], cosines before sines
	length int       // number of positions in angles
}

// grow extends angles to at least n positions. It rounds intermediate values like
// transformers, because exact angles would change the output at large positions.
func (r *rotation) grow(n int) {
	if n <= r.length {
		return
	}
	r.length = n + n/8
	r.angles = make([]float32, r.length*2*r.half)
	for i := range r.half {
		step := 1 / float32(math.Pow(r.theta, float64(float32(i)/float32(r.half))))
		for pos := range r.length {
			sin, cos := math.Sincos(float64(float32(pos) * step))
			r.angles[pos*2*r.half+i] = float32(cos)
			r.angles[pos*2*r.half+r.half+i] = float32(sin)
		}
	}
}

// rotate rotates the queries and keys in each row of qkv. heads is the number of
// query and key heads together; they precede the values in a row.
func (r *rotation) rotate(qkv []float32, positions []int32, heads, head int) {
	stride := heads / 2 * 3 * head
	for row, pos := range positions {
		angles := r.angles[int(pos)*2*r.half:][:2*r.half]
		cos, sin := angles[:r.half], angles[r.half:]
		for h := range heads {
			values := qkv[row*stride+h*head:][:head]
			first, second := values[:len(cos)], values[len(cos):]
			second, sin := second[:len(cos)], sin[:len(cos)]
			for i, c := range cos {
				a, b := first[i], second[i]
				first[i] = a*c - b*sin[i]
				second[i] = b*c + a*sin[i]
			}
		}
	}
}

// relative is the attention bias of T5: one value per head and bucket of distances.
type relative struct {
	heads, buckets int
	values         []float32   // [buckets][heads]
	byDistance     [][]float32 // [heads][2*maxLen-1]
	maxLen         int
}

// addBiases adds the biases to an attention over sequences of up to n tokens.
func (r *relative) addBiases(n int, a *kernel.Attention) {
	if n > r.maxLen {
		r.maxLen = n + n/8
		r.byDistance = kernel.DistanceBiases(r.values, r.heads, r.maxLen)
	}
	a.Prepare = func(_ *kernel.Worker, _, h, _, _ int) []float32 { return r.byDistance[h] }
	a.Bias = func(_ *kernel.Worker, byDistance []float32, _, i, lo, hi int, dst []float32) {
		copy(dst, byDistance[r.maxLen-1-i+lo:r.maxLen-1-i+hi])
	}
}

// disentangled is the attention of DeBERTa (He et al., 2021, "DeBERTa: Decoding-enhanced BERT with
// Disentangled Attention", and the v3 paper). To the product of query and key, it adds the product
// of the query with the key of the relative distance (content to position), and of the key with the
// query of the distance (position to content). Distances are bucketed: exact up to half the
// buckets, logarithmic beyond.
//
// The products with all distances are one matrix multiplication per head, from whose
// result the biases of each query are gathered.
type disentangled struct {
	span        int     // position_buckets, half the rows of the distance embeddings
	maxDistance int     // max_relative_positions, the distance of the last bucket
	head        int     // width of a head
	scale       float32 // scale of all products

	table table       // distance embeddings
	norm  kernel.Norm // normalization of table

	windows []int // half widths of the slices of table used for short sequences
	layers  []distances
}

// distances holds the scaled key and query projections of the distance embeddings as linear layers.
// Element [h][w] applies to head h and covers the middle 2*windows[w] rows of the table.
type distances struct{ keys, queries [][]*kernel.Linear }

// bucket returns the bucket of a distance, like make_log_bucket_position in transformers.
func (d *disentangled) bucket(distance int) int {
	middle := d.span / 2
	n := max(distance, -distance)
	if n <= middle {
		return distance
	}
	frac := math.Log(float64(n)/float64(middle)) / math.Log(float64(d.maxDistance-1)/float64(middle))
	b := int(math.Ceil(frac*float64(middle-1))) + middle
	if distance < 0 {
		return -b
	}
	return b
}

// columns returns the index into the given window for each distance between query
// and key, from n-1 down to 1-n.
func (d *disentangled) columns(p *pass, n, window int) []int32 {
	columns := grow(&p.positions, 2*n-1)
	for i := range columns {
		columns[i] = int32(d.row(n-1-i) - d.span + d.windows[window])
	}
	return columns
}

func (d *disentangled) row(distance int) int {
	return min(max(d.bucket(distance)+d.span, 0), 2*d.span-1)
}

func (d *disentangled) addBiases(p *pass, l int, a *kernel.Attention) {
	// The smallest window for the longest sequence.
	window, _ := slices.BinarySearch(d.windows, d.bucket(p.longest-1)+1)
	window = min(window, len(d.windows)-1)
	columns, middle := d.columns(p, p.longest, window), p.longest-1
	ld := 2 * d.windows[window]
	a.Prepare = func(w *kernel.Worker, s, h, q0, q1 int) []float32 {
		at, n := p.starts[s]*a.Stride+h*d.head, p.lengths[s]
		products := w.Floats(2 * n * ld)
		w.ApplyRows(d.layers[l].keys[h][window], products[q0*ld:], a.Q[at+q0*a.Stride:], a.Stride, q1-q0, kernel.None)
		w.ApplyRows(d.layers[l].queries[h][window], products[n*ld:], a.K[at:], a.Stride, n, kernel.None)
		return products
	}
	a.Bias = func(w *kernel.Worker, products []float32, s, i, lo, hi int, dst []float32) {
		columns := columns[middle+lo-i : middle+hi-i]
		clear(dst[:len(columns)])
		w.GatherAdd(dst, products[i*ld:], columns, 0)
		w.GatherAdd(dst, products[(p.lengths[s]+lo)*ld:], columns, ld)
	}
}
