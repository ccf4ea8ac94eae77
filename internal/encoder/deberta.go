package encoder

import (
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// disentangled is the attention of DeBERTa (He et al., 2021, "DeBERTa:
// Decoding-enhanced BERT with Disentangled Attention", and v3 of the same): to
// the product of query and key it adds that of the query and the key of the
// distance (content to position), and that of the key and the query of the
// distance (position to content). Distances are counted in buckets, exactly up
// to half of them and logarithmically beyond.
//
// The products with all distances are one matrix product a head; the biases of
// a query are gathered from them.
type disentangled struct {
	span     int // rows of the table of distances, on either side of none
	buckets  int // position_buckets; 0 where each distance has its own row
	farthest int // max_relative_positions, the distance of the last bucket
	c2p, p2c bool
	head     int     // values of a head
	scale    float32 // of all three products

	names  table // of distances
	normed norm  // of their rows; without gain there is none
	eps    float32

	windows []int // halves of the parts of the table that sequences of some length reach
	layers  []distances
}

// distances are the keys and queries of distances, scaled already, as linear
// layers over the values of a head: [h][w] has those of the middle 2*windows[w]
// rows for head h.
type distances struct{ keys, queries [][]*kernel.Linear }

// deberta loads DeBERTa v2 or v3. What it returns besides is the length of
// sequences that the network was made for; longer ones are possible.
func deberta(c *config, w *weights, pool *kernel.Pool) (*postNorm, int, error) {
	n := new(postNorm)
	s := c.post(n, 1e-7, 0)
	d := new(disentangled)
	c.demand("position_biased_input", false)
	if !c.flag("relative_attention", false) {
		c.fail("relative_attention", "false is not supported")
	}
	if !c.flag("share_att_key", false) {
		c.fail("share_att_key", "false is not supported")
	}
	if v := 0.0; c.get("conv_kernel_size", &v, "a number") && v != 0 {
		c.fail("conv_kernel_size", "%v is not supported", v)
	}
	if e := c.sizeOr("embedding_size", s.width, maxWidth); e != s.width {
		c.fail("embedding_size", "%d is not supported where hidden_size is %d", e, s.width)
	}
	if e := c.sizeOr("attention_head_size", s.width/max(s.heads, 1), maxWidth); c.err == nil && e*s.heads != s.width {
		c.fail("attention_head_size", "%d is not supported with %d heads and hidden_size %d", e, s.heads, s.width)
	}
	d.kinds(c)
	rowNorm := c.normed()
	d.farthest = s.positions
	if v := -1.0; c.get("max_relative_positions", &v, "a number") && v >= 1 {
		d.farthest = c.sizeOr("max_relative_positions", 1, maxPositions)
	}
	d.span = d.farthest
	if v := -1.0; c.get("position_buckets", &v, "a number") && v > 0 {
		d.buckets = c.sizeOr("position_buckets", 1, maxPositions)
		if d.buckets < 4 || d.buckets/2 >= d.farthest-1 {
			c.fail("position_buckets", "%d is not supported with %d relative positions", d.buckets, d.farthest)
		}
		d.span = d.buckets
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	w.under("embeddings.word_embeddings.weight", prefixes("deberta-v2")...)
	e := &n.embed
	e.words = w.table("embeddings.word_embeddings.weight", s.vocabulary, s.width)
	if s.types > 0 {
		e.types = w.table("embeddings.token_type_embeddings.weight", s.types, s.width)
	}
	e.norm = w.norm("embeddings.LayerNorm", s.width, true)
	n.load(w, s, "query_proj", "key_proj", "value_proj")
	d.load(w, pool, s, rowNorm)
	n.relative = d
	return n, s.positions, w.err
}

// normed tells whether the rows of the table of distances are normalised.
func (c *config) normed() bool {
	value := strings.ToLower(strings.TrimSpace(c.text("norm_rel_ebd", "none")))
	if value != "layer_norm" && value != "none" {
		c.fail("norm_rel_ebd", "%q is not supported; supported: layer_norm, none", value)
	}
	return value == "layer_norm"
}

// kinds reads which products with distances there are: a list, or in older
// files their names with | in between.
func (d *disentangled) kinds(c *config) {
	const key = "pos_att_type"
	var kinds []string
	if v, ok := c.values[key]; ok && v.Kind() == '"' {
		kinds = strings.Split(c.text(key, ""), "|")
	} else {
		c.get(key, &kinds, "a list of strings")
	}
	for _, kind := range kinds {
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "c2p":
			d.c2p = true
		case "p2c":
			d.p2c = true
		default:
			c.fail(key, "%q is not supported; supported: c2p, p2c", kind)
		}
	}
	if !d.c2p && !d.p2c {
		c.fail(key, "names neither c2p nor p2c, without which relative attention is not supported")
	}
}

// load projects the table of distances through the keys and queries of each
// layer, once and for all, in float32.
func (d *disentangled) load(w *weights, pool *kernel.Pool, s bertShape, normed bool) {
	rows := 2 * d.span
	d.eps = s.eps
	d.names = w.table("encoder.rel_embeddings.weight", rows, s.width)
	if normed {
		d.normed = w.norm("encoder.LayerNorm", s.width, true)
	}
	if w.err != nil {
		return
	}
	d.head = s.width / s.heads
	products := 1
	if d.c2p {
		products++
	}
	if d.p2c {
		products++
	}
	d.scale = scale(products * d.head)
	if w.parts != nil {
		return // a graph has all of this in it
	}
	table := make([]float32, rows*s.width)
	widen(table, d.names.raw)
	if normed {
		pool.LayerNorm(table, table, nil, rows, s.width, d.normed.gain, d.normed.bias, s.eps)
	}
	for half := min(16, d.span); ; half = min(2*half, d.span) {
		d.windows = append(d.windows, half)
		if half == d.span {
			break
		}
	}
	for l := 0; l < s.layers && w.err == nil; l++ {
		self := layerName("encoder.layer.", l) + "attention.self."
		var layer distances
		if d.c2p {
			layer.keys = d.project(w, pool, table, w.part(self+"key_proj", s.width, s.width, true))
		}
		if d.p2c {
			layer.queries = d.project(w, pool, table, w.part(self+"query_proj", s.width, s.width, true))
		}
		d.layers = append(d.layers, layer)
	}
}

// project computes what a projection makes of all distances, for each head and
// each window.
func (d *disentangled) project(w *weights, pool *kernel.Pool, table []float32, by kernel.Part) [][]*kernel.Linear {
	rows, width := 2*d.span, by.Out
	l := w.exact(width, by)
	if w.err != nil {
		return nil
	}
	projected := make([]float32, rows*width)
	pool.Apply(l, projected, width, table, width, rows, kernel.None)
	all := make([][]*kernel.Linear, width/d.head)
	for h := range all {
		own := make([]float32, rows*d.head)
		for r := range rows {
			row := own[r*d.head : (r+1)*d.head]
			for i, v := range projected[r*width+h*d.head:][:d.head] {
				row[i] = v * d.scale
			}
		}
		for _, half := range d.windows {
			middle := kernel.Raw{F32: own}.Rows(d.span-half, d.span+half, d.head)
			all[h] = append(all[h], w.exact(d.head, kernel.Part{W: middle, Out: 2 * half}))
		}
	}
	return all
}

// bucket returns the bucket of a distance, as the function
// make_log_bucket_position of the published models does.
func (d *disentangled) bucket(distance int) int {
	middle := d.buckets / 2
	n := max(distance, -distance)
	if d.buckets == 0 || n <= middle {
		return distance
	}
	share := math.Log(float64(n)/float64(middle)) / math.Log(float64(d.farthest-1)/float64(middle))
	b := int(math.Ceil(share*float64(middle-1))) + middle
	if distance < 0 {
		return -b
	}
	return b
}

// reach returns the window that sequences of up to n tokens need.
func (d *disentangled) reach(n int) int {
	b := d.bucket(n - 1)
	for i, half := range d.windows {
		if b < half {
			return i
		}
	}
	return len(d.windows) - 1
}

// columns returns, for each distance from 1-n to n-1 of a key behind its query,
// the row of the window that stands for it.
func (d *disentangled) columns(p *pass, n, window int) []int32 {
	columns := room(&p.positions, 2*n-1)
	for i := range columns {
		columns[i] = int32(d.row(n-1-i) - d.span + d.windows[window])
	}
	return columns
}

// row returns the row of the table of distances for a query that is so far behind
// its key.
func (d *disentangled) row(distance int) int {
	return min(max(d.bucket(distance)+d.span, 0), 2*d.span-1)
}

// attend computes the attention a of layer l, one head after another.
func (d *disentangled) attend(p *pass, l int, a *kernel.Attention) {
	window := d.reach(p.longest)
	columns, middle := d.columns(p, p.longest, window), p.longest-1
	rows, ld := len(p.ids), 2*d.windows[window]
	var c2p, p2c []float32
	if d.c2p {
		c2p = room(&p.spare[0], rows*ld)
	}
	if d.p2c {
		p2c = room(&p.spare[1], rows*ld)
	}
	heads, q, k, v, out := a.Heads, a.Q, a.K, a.V, a.Out
	a.Heads, a.Scale = 1, d.scale
	a.Bias = func(_ *kernel.Worker, s, _, i, lo, hi int, dst []float32) {
		at := p.starts[s]
		columns := columns[middle+lo-i : middle+hi-i]
		dst = dst[:len(columns)]
		clear(dst)
		if c2p != nil {
			row := c2p[(at+i)*ld : (at+i+1)*ld]
			for j, c := range columns {
				dst[j] = row[c]
			}
		}
		if p2c != nil {
			rows := p2c[(at+lo)*ld : (at+hi)*ld]
			for j, c := range columns {
				dst[j] += rows[j*ld+int(c)]
			}
		}
	}
	for h := range heads {
		from := h * d.head
		a.Q, a.K, a.V, a.Out = q[from:], k[from:], v[from:], out[from:]
		if d.c2p {
			p.pool.Apply(d.layers[l].keys[h][window], c2p, ld, a.Q, a.Stride, rows, kernel.None)
		}
		if d.p2c {
			p.pool.Apply(d.layers[l].queries[h][window], p2c, ld, a.K, a.Stride, rows, kernel.None)
		}
		p.pool.Attend(a)
	}
}
