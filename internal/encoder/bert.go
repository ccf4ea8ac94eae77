package encoder

import "math"

// scale returns 1/sqrt(n), the scale of attention scores for n-dimensional heads.
func scale(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// bertShape holds the sizes shared by the configurations of BERT, RoBERTa and
// DeBERTa.
type bertShape struct {
	vocabulary, width, inner, layers, heads int
	positions, types                        int
	eps                                     float32
}

// readPostNorm reads the sizes of a post-norm network into n. eps is the default of
// layer_norm_eps and minTypes the default of type_vocab_size; 0 means that token
// types are optional.
func (c *config) readPostNorm(n *postNorm, eps float64, minTypes int) bertShape {
	s := bertShape{
		vocabulary: c.size("vocab_size", maxRows),
		width:      c.size("hidden_size", maxWidth),
		layers:     c.size("num_hidden_layers", maxLayers),
		positions:  c.size("max_position_embeddings", maxPositions),
		eps:        c.eps("layer_norm_eps", eps),
	}
	s.inner = c.size("intermediate_size", min(maxRatio*s.width, maxWidth))
	s.heads = c.heads("num_attention_heads", s.width)
	if minTypes > 0 || optional(c, "type_vocab_size", 0.0, "a number") != 0 {
		s.types = c.sizeOr("type_vocab_size", minTypes, maxRows)
	}
	n.width, n.inner, n.heads, n.eps = s.width, s.inner, s.heads, s.eps
	n.act = c.activation("hidden_act")
	for _, key := range []string{"is_decoder", "add_cross_attention", "is_encoder_decoder"} {
		c.require(key, false)
	}
	return s
}

// bert loads BERT, RoBERTa or XLM-RoBERTa, which differ in how they number
// positions. It also returns the maximum number of tokens of a sequence.
func bert(c *config, w *weights, family string) (*postNorm, int, error) {
	n := new(postNorm)
	eps, types := 1e-12, 2
	s := c.readPostNorm(n, eps, types)
	c.oneOf("position_embedding_type", "absolute", "absolute")
	e := &n.embed
	maxTokens := s.positions
	if family != "bert" {
		// The position table has a row for the padding token at index pad_token_id.
		// Positions of other tokens start at the following row.
		e.pad = c.tokenID("pad_token_id", 1)
		e.offset, e.oneType = int(e.pad)+1, true
		maxTokens -= e.offset
		if maxTokens < 1 {
			c.fail("max_position_embeddings", "%d leaves no position behind pad_token_id %d", s.positions, e.pad)
		}
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	w.setPrefix("embeddings.word_embeddings.weight", prefixes(family)...)
	e.words = w.table("embeddings.word_embeddings.weight", s.vocabulary, s.width)
	e.positions = w.table("embeddings.position_embeddings.weight", s.positions, s.width)
	e.types = w.table("embeddings.token_type_embeddings.weight", s.types, s.width)
	e.norm = w.norm("embeddings.LayerNorm", s.width, true)
	n.load(w, s, "query", "key", "value")
	return n, maxTokens, w.err
}

// prefixes returns the possible prefixes of the tensor names of a family.
func prefixes(family string) []string {
	switch family {
	case "deberta-v2":
		return []string{"deberta.", ""}
	case "bert":
		return []string{"bert.", ""}
	default:
		return []string{"roberta.", "base_model.", ""}
	}
}

// load loads the transformer layers.
func (n *postNorm) load(w *weights, s bertShape, query, key, value string) {
	for i := 0; i < s.layers && w.err == nil; i++ {
		layer := layerName("encoder.layer.", i)
		self := layer + "attention.self."
		n.layers = append(n.layers, postLayer{
			qkv: w.normedLinear(s.width,
				w.part(self+query, s.width, s.width, true),
				w.part(self+key, s.width, s.width, true),
				w.part(self+value, s.width, s.width, true)),
			out:     w.linear(s.width, w.part(layer+"attention.output.dense", s.width, s.width, true)),
			attNorm: w.norm(layer+"attention.output.LayerNorm", s.width, true),
			up:      w.normedLinear(s.width, w.part(layer+"intermediate.dense", s.inner, s.width, true)),
			down:    w.linear(s.inner, w.part(layer+"output.dense", s.width, s.inner, true)),
			ffNorm:  w.norm(layer+"output.LayerNorm", s.width, true),
		})
	}
}
