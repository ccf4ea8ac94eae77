package encoder

import "cmp"

// Attention types, as named by transformers.
const (
	fullAttention    = "full_attention"
	slidingAttention = "sliding_attention"
)

// modernBERT loads ModernBERT (Warner et al., 2024). It also returns the sequence
// length that the network was trained for.
func modernBERT(c *config, w *weights) (*network, int, error) {
	n := &network{preNorm: true, act: c.activation("hidden_activation")}
	w.eps = float32(c.number("norm_eps", 1e-5, 0, maxEps))
	c.readWidths(n)
	vocabulary, layers := c.size("vocab_size", 0, maxRows), c.size("num_hidden_layers", 0, maxLayers)
	maxLen := c.size("max_position_embeddings", 8192, maxPositions)
	for _, key := range []string{"attention_bias", "mlp_bias", "norm_bias"} {
		c.require(key, false)
	}
	if c.has("rope_scaling") {
		c.fail("rope_scaling", "%.60s is not supported", c.values["rope_scaling"])
	}
	layerTypes := c.layerTypes(layers)
	full, sliding := c.ropeThetas()
	// local_attention is the full width of the window.
	window := c.size("local_attention", 128, maxPositions) / 2
	if c.err == nil && window == 0 {
		c.fail("local_attention", "1 is not supported")
	}
	if c.err == nil && n.head%2 != 0 {
		c.fail("num_attention_heads", "%d heads have an odd width, which cannot be rotated", n.heads)
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	n.rotations = []rotation{{theta: full, half: n.head / 2}, {theta: sliding, half: n.head / 2}}
	w.setPrefix("embeddings.tok_embeddings.weight", "model.", "")
	n.embed.words = w.table("embeddings.tok_embeddings.weight", vocabulary, n.width)
	n.embed.norm = w.norm("embeddings.norm", n.width, false)
	for i := 0; i < layers && w.err == nil; i++ {
		name := layerName("layers.", i)
		if i > 0 { // the input of the first layer is already normalized
			*n.next() = w.norm(name+"attn_norm", n.width, false)
		}
		up := w.split(name+"mlp.Wi", 2, n.inner, n.width)
		l := layer{
			qkv:            w.normed(w.linear(n.width, w.split(name+"attn.Wqkv", 3, n.width, n.width)...)),
			out:            w.linear(n.width, w.part(name+"attn.Wo", n.width, n.width, false)),
			afterAttention: w.norm(name+"mlp_norm", n.width, false),
			up:             w.normed(w.gated(n.width, up[0], up[1])),
			down:           w.linear(n.inner, w.part(name+"mlp.Wo", n.width, n.inner, false)),
		}
		if layerTypes[i] == slidingAttention {
			l.window, l.rotation = window, 1
		}
		n.layers = append(n.layers, l)
	}
	*n.next() = w.norm("final_norm", n.width, false)
	return n, maxLen, w.err
}

// layerTypes returns the attention type of each layer, from layer_types
// (transformers 5) or global_attn_every_n_layers (transformers 4).
func (c *config) layerTypes(layers int) []string {
	var types []string
	if c.get("layer_types", &types, "a list of strings") {
		if len(types) != layers {
			c.fail("layer_types", "has %d layers, num_hidden_layers is %d", len(types), layers)
		}
		for _, kind := range types {
			if kind != fullAttention && kind != slidingAttention {
				c.fail("layer_types", "%q is not supported; supported: %s, %s", kind, fullAttention, slidingAttention)
			}
		}
		return types
	}
	interval := c.size("global_attn_every_n_layers", 3, maxLayers)
	for i := range layers {
		if i%interval == 0 {
			types = append(types, fullAttention)
		} else {
			types = append(types, slidingAttention)
		}
	}
	return types
}

// ropeThetas returns the rotation bases of full and sliding attention layers, from rope_parameters
// (transformers 5) or global_rope_theta and local_rope_theta (transformers 4).
func (c *config) ropeThetas() (full, sliding float64) {
	if !c.has("rope_parameters") {
		full = c.number("global_rope_theta", 160_000, 1, 1e12)
		if v, ok := c.values["local_rope_theta"]; ok && v.Kind() == 'n' {
			return full, full
		}
		return full, c.number("local_rope_theta", 10_000, 1, 1e12)
	}
	all := c.object("rope_parameters")
	theta := func(kind string) float64 {
		o := all.object(kind)
		o.oneOf("rope_type", "default", "default")
		if !o.has("rope_theta") {
			o.fail("rope_theta", "missing")
		}
		v := o.number("rope_theta", 0, 1, 1e12)
		c.err = cmp.Or(c.err, o.err, all.err)
		return v
	}
	return theta(fullAttention), theta(slidingAttention)
}
