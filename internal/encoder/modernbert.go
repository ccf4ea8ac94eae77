package encoder

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// rotation is rotary position embedding (Su et al., 2021, "RoFormer"): value i
// of the first half of a head and value i of the second are turned as a pair by
// the angle position * theta^(-2i/head).
type rotation struct {
	theta  float64
	half   int       // half the values of a head
	turned []float32 // [position][half] cosines, then as many sines
	known  int       // positions
}

// grow computes the angles of n positions, rounded as transformers rounds them:
// far into a text, exact angles would be those of another model.
func (r *rotation) grow(n int) {
	if n <= r.known {
		return
	}
	r.known = n + n/8
	r.turned = make([]float32, r.known*2*r.half)
	for i := range r.half {
		step := 1 / float32(math.Pow(r.theta, float64(float32(i)/float32(r.half))))
		for at := range r.known {
			sin, cos := math.Sincos(float64(float32(at) * step))
			r.turned[at*2*r.half+i] = float32(cos)
			r.turned[at*2*r.half+r.half+i] = float32(sin)
		}
	}
}

// turn turns the first heads of each row of qkv: queries and keys, behind which
// half as many values stand.
func (r *rotation) turn(qkv []float32, positions []int32, heads, head int) {
	stride := heads / 2 * 3 * head
	for row, at := range positions {
		angles := r.turned[int(at)*2*r.half:][:2*r.half]
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

// Kinds of attention, as transformers names them.
const (
	fullAttention    = "full_attention"
	slidingAttention = "sliding_attention"
)

// modernBERT loads ModernBERT (Warner et al., 2024). What it returns besides is
// the length of sequences that the network was made for.
func modernBERT(c *config, w *weights) (*preNorm, int, error) {
	n := &preNorm{
		width: c.size("hidden_size", maxWidth),
		inner: c.size("intermediate_size", maxWidth),
		eps:   c.eps("norm_eps", 1e-5),
		act:   c.activation("hidden_activation"),
	}
	n.heads = c.heads("num_attention_heads", n.width)
	vocabulary, layers := c.size("vocab_size", maxRows), c.size("num_hidden_layers", maxLayers)
	longest := c.sizeOr("max_position_embeddings", 8192, maxPositions)
	for _, key := range []string{"attention_bias", "mlp_bias", "norm_bias"} {
		c.demand(key, false)
	}
	if c.has("rope_scaling") {
		c.fail("rope_scaling", "%.60s is not supported", c.values["rope_scaling"])
	}
	kinds := c.kinds(layers)
	full, sliding := c.thetas()
	// The window is as many tokens to either side as half of this says.
	window := c.sizeOr("local_attention", 128, maxPositions) / 2
	if c.err == nil && window == 0 {
		c.fail("local_attention", "1 is not supported")
	}
	if c.err == nil && n.width/n.heads%2 != 0 {
		c.fail("num_attention_heads", "%d leave heads of an odd size, which can't be rotated", n.heads)
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	n.head = n.width / n.heads
	n.scale = scale(n.head)
	n.turns = []rotation{{theta: full, half: n.head / 2}, {theta: sliding, half: n.head / 2}}
	w.under("embeddings.tok_embeddings.weight", "model.", "")
	n.words = w.table("embeddings.tok_embeddings.weight", vocabulary, n.width)
	n.norm = w.norm("embeddings.norm", n.width, false)
	for i := 0; i < layers && w.err == nil; i++ {
		at := layerName("layers.", i)
		l := preLayer{
			qkv:    w.normed(n.width, w.part(at+"attn.Wqkv", 3*n.width, n.width, false)),
			out:    w.linear(n.width, w.part(at+"attn.Wo", n.width, n.width, false)),
			ffNorm: w.norm(at+"mlp_norm", n.width, false),
			gated:  w.halves(at+"mlp.Wi", n.inner, n.width),
			down:   w.linear(n.inner, w.part(at+"mlp.Wo", n.width, n.inner, false)),
		}
		if i > 0 { // the first reads what the norm of the embeddings made
			l.attNorm = w.norm(at+"attn_norm", n.width, false)
		}
		if kinds[i] == slidingAttention {
			l.window, l.rotated = window, 1
		}
		n.layers = append(n.layers, l)
	}
	n.final = w.norm("final_norm", n.width, false)
	return n, longest, w.err
}

// halves returns a gated layer whose two weights are stored as one: what is
// activated, and then what it is multiplied by.
func (w *weights) halves(name string, out, in int) *dense {
	both := w.raw(name+".weight", 2*out, in)
	if w.err != nil {
		return nil
	}
	return w.normed(in, kernel.Part{W: both.Rows(0, out, in), Out: out}, kernel.Part{W: both.Rows(out, 2*out, in), Out: out})
}

// kinds returns the kind of attention of each layer: what layer_types says,
// which transformers 5 writes, or else what global_attn_every_n_layers does.
func (c *config) kinds(layers int) []string {
	var kinds []string
	if c.get("layer_types", &kinds, "a list of strings") {
		if len(kinds) != layers {
			c.fail("layer_types", "has %d layers, num_hidden_layers is %d", len(kinds), layers)
		}
		for _, kind := range kinds {
			if kind != fullAttention && kind != slidingAttention {
				c.fail("layer_types", "%q is not supported; supported: %s, %s", kind, fullAttention, slidingAttention)
			}
		}
		return kinds
	}
	every := c.sizeOr("global_attn_every_n_layers", 3, maxLayers)
	for i := range layers {
		if i%every == 0 {
			kinds = append(kinds, fullAttention)
		} else {
			kinds = append(kinds, slidingAttention)
		}
	}
	return kinds
}

// thetas returns the bases of the rotations in layers of full and of sliding
// attention: of rope_parameters, which transformers 5 writes, or of the two keys
// that transformers 4 does.
func (c *config) thetas() (full, sliding float64) {
	if !c.has("rope_parameters") {
		full = c.above("global_rope_theta", 160_000, 1, 1e12)
		if v, ok := c.values["local_rope_theta"]; ok && v.Kind() == 'n' {
			return full, full
		}
		return full, c.above("local_rope_theta", 10_000, 1, 1e12)
	}
	all := c.object("rope_parameters")
	theta := func(kind string) float64 {
		o := all.object(kind)
		o.word("rope_type", "default", "default")
		v := 0.0
		if o.has("rope_theta") {
			v = o.above("rope_theta", 0, 1, 1e12)
		} else {
			o.fail("rope_theta", "is missing")
		}
		for _, o := range []*config{o, all} {
			if c.err == nil {
				c.err = o.err
			}
		}
		return v
	}
	return theta(fullAttention), theta(slidingAttention)
}
