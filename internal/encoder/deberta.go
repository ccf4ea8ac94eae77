package encoder

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// maxSpan limits half the rows of the distance embeddings. Published models have 256.
const maxSpan = 1 << 10

// deberta loads DeBERTa v2 or v3. It also returns the sequence length that the
// model was trained for; longer sequences work.
func deberta(c *config, w *weights, pool *kernel.Pool) (*network, int, error) {
	n := new(network)
	s := c.readBERT(n, w, 1e-7, 0)
	d := new(disentangled)
	c.require("position_biased_input", false)
	for _, key := range []string{"relative_attention", "share_att_key"} {
		if !c.boolean(key, false) {
			c.fail(key, "false is not supported")
		}
	}
	if v := optional(c, "conv_kernel_size", 0.0, "a number"); v != 0 {
		c.fail("conv_kernel_size", "%v is not supported", v)
	}
	if e := c.size("embedding_size", n.width, maxWidth); e != n.width {
		c.fail("embedding_size", "%d is not supported with hidden_size %d", e, n.width)
	}
	if e := c.size("attention_head_size", n.head, maxWidth); c.err == nil && e != n.head {
		c.fail("attention_head_size", "%d is not supported with %d heads and hidden_size %d", e, n.heads, n.width)
	}
	c.checkDistances()
	d.maxDistance = s.positions
	if optional(c, "max_relative_positions", -1.0, "a number") >= 1 {
		d.maxDistance = c.size("max_relative_positions", 1, maxPositions)
	}
	d.span = c.size("position_buckets", 0, maxPositions)
	if c.err == nil && (d.span < 4 || d.span/2 >= d.maxDistance-1) {
		c.fail("position_buckets", "%d is not supported with %d relative positions", d.span, d.maxDistance)
	}
	// Each layer projects all rows, which must not take much more memory than its weights.
	if d.span > maxSpan || d.span > n.width && s.layers*d.span*n.width > 1<<21 {
		c.fail("position_buckets", "%d distances are not supported with %d layers of width %d", d.span, s.layers, n.width)
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	w.setPrefix("embeddings.word_embeddings.weight", "deberta.", "")
	n.loadBERT(w, s, "query_proj", "key_proj", "value_proj")
	d.load(w, pool, n.width, n.head, s.layers)
	n.disentangled, n.scale = d, d.scale
	return n, s.positions, w.err
}

// checkDistances rejects other biases than those of published models: the normalized
// distance embeddings, content to position and position to content. pos_att_type is a
// list, or in older files names separated by |.
func (c *config) checkDistances() {
	if v := c.text("norm_rel_ebd", "none"); v != "layer_norm" {
		c.fail("norm_rel_ebd", "%q is not supported; supported: layer_norm", v)
	}
	const key = "pos_att_type"
	var types []string
	if v, ok := c.values[key]; ok && v.Kind() == '"' {
		types = strings.Split(c.text(key, ""), "|")
	} else {
		c.get(key, &types, "a list of strings")
	}
	if slices.Sort(types); !slices.Equal(types, []string{"c2p", "p2c"}) {
		c.fail(key, "%q is not supported; supported: c2p and p2c", types)
	}
}

// load loads the distance embeddings and projects them with the key and query
// weights of each layer, in float32.
func (d *disentangled) load(w *weights, pool *kernel.Pool, width, head, layers int) {
	rows := 2 * d.span
	d.table = w.table("encoder.rel_embeddings.weight", rows, width)
	d.norm = w.norm("encoder.LayerNorm", width, true)
	if w.err != nil {
		return
	}
	d.head, d.scale = head, scale(3*head)
	if w.parts != nil {
		return // the ONNX graph computes the projections
	}
	table := make([]float32, rows*width)
	widen(table, d.table.raw)
	pool.Norm(&d.norm, table, table, nil)
	for half := 16; half < d.span; half *= 2 {
		d.windows = append(d.windows, half)
	}
	d.windows = append(d.windows, d.span)
	for l := 0; l < layers && w.err == nil; l++ {
		self := layerName("encoder.layer.", l) + "attention.self."
		d.layers = append(d.layers, distances{
			keys:    d.project(w, pool, table, w.part(self+"key_proj", width, width, true)),
			queries: d.project(w, pool, table, w.part(self+"query_proj", width, width, true)),
		})
	}
}

// project applies a linear layer to the distance embeddings and returns the result
// for each head and window.
func (d *disentangled) project(w *weights, pool *kernel.Pool, table []float32, part kernel.Part) [][]*kernel.Linear {
	rows, width := 2*d.span, part.Out
	l := w.float32Linear(width, part)
	if w.err != nil {
		return nil
	}
	projected := make([]float32, rows*width)
	pool.Apply(l, projected, table, kernel.None)
	all := make([][]*kernel.Linear, width/d.head)
	for h := range all {
		values := make([]float32, rows*d.head)
		for r := range rows {
			row := values[r*d.head : (r+1)*d.head]
			for i, v := range projected[r*width+h*d.head:][:d.head] {
				row[i] = v * d.scale
			}
		}
		for _, half := range d.windows {
			middle := kernel.Raw{F32: values}.Rows(d.span-half, d.span+half, d.head)
			all[h] = append(all[h], w.float32Linear(d.head, kernel.Part{W: middle, Out: 2 * half}))
		}
	}
	return all
}
