package encoder

import "math"

// scale returns 1/sqrt(n), the scale of attention scores for n-dimensional heads.
func scale(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// bertShape holds sizes shared by the configurations of BERT, RoBERTa and DeBERTa.
type bertShape struct{ vocabulary, layers, positions, types int }

// readBERT reads the sizes of BERT, RoBERTa or DeBERTa into n. eps is the default of layer_norm_eps
// and minTypes the default of type_vocab_size; 0 means that token types are optional.
func (c *config) readBERT(n *network, w *weights, eps float64, minTypes int) bertShape {
	s := bertShape{
		vocabulary: c.size("vocab_size", 0, maxRows),
		layers:     c.size("num_hidden_layers", 0, maxLayers),
		positions:  c.size("max_position_embeddings", 0, maxPositions),
	}
	w.eps = float32(c.number("layer_norm_eps", eps, 0, maxEps))
	c.readWidths(n)
	n.act = c.activation("hidden_act")
	if minTypes > 0 || optional(c, "type_vocab_size", 0.0, "a number") != 0 {
		s.types = c.size("type_vocab_size", minTypes, maxRows)
	}
	for _, key := range []string{"is_decoder", "add_cross_attention", "is_encoder_decoder"} {
		c.require(key, false)
	}
	return s
}

// readWidths reads the widths of a network and its attention heads.
func (c *config) readWidths(n *network) {
	n.width = c.size("hidden_size", 0, maxWidth)
	n.inner = c.size("intermediate_size", 0, min(maxRatio*n.width, maxWidth))
	n.heads = c.size("num_attention_heads", 0, maxHeads)
	if c.err == nil && n.width%n.heads != 0 {
		c.fail("num_attention_heads", "%d does not divide hidden_size %d", n.heads, n.width)
	}
	n.head = n.width / max(n.heads, 1)
	n.scale = scale(max(n.head, 1))
}

// bert loads BERT, RoBERTa or XLM-RoBERTa, which differ in how they number
// positions. It also returns the maximum number of tokens of a sequence.
func bert(c *config, w *weights, family string) (*network, int, error) {
	n := new(network)
	s := c.readBERT(n, w, 1e-12, 2)
	c.oneOf("position_embedding_type", "absolute", "absolute")
	e := &n.embed
	maxTokens, prefixes := s.positions, []string{"bert.", ""}
	if family != "bert" {
		prefixes = []string{"roberta.", "base_model.", ""}
		// The position table has a row for the padding token at index pad_token_id.
		// Positions of other tokens start at the following row.
		e.pad = int32(c.integer("pad_token_id", 1, 0, maxRows-1))
		e.offset, e.oneType = int(e.pad)+1, true
		maxTokens -= e.offset
		if maxTokens < 1 {
			c.fail("max_position_embeddings", "%d leaves no position behind pad_token_id %d", s.positions, e.pad)
		}
	}
	if c.err != nil {
		return nil, 0, c.err
	}
	w.setPrefix("embeddings.word_embeddings.weight", prefixes...)
	n.loadBERT(w, s, "query", "key", "value")
	e.positions = w.table("embeddings.position_embeddings.weight", s.positions, n.width)
	return n, maxTokens, w.err
}

// loadBERT loads the embeddings except for those of positions, and the layers.
func (n *network) loadBERT(w *weights, s bertShape, query, key, value string) {
	width := n.width
	n.embed.words = w.table("embeddings.word_embeddings.weight", s.vocabulary, width)
	if s.types > 0 {
		n.embed.types = w.table("embeddings.token_type_embeddings.weight", s.types, width)
	}
	n.embed.norm = w.norm("embeddings.LayerNorm", width, true)
	for i := 0; i < s.layers && w.err == nil; i++ {
		name := layerName("encoder.layer.", i)
		self := name + "attention.self."
		n.layers = append(n.layers, layer{
			qkv: w.normed(w.linear(width,
				w.part(self+query, width, width, true), w.part(self+key, width, width, true), w.part(self+value, width, width, true))),
			out:            w.linear(width, w.part(name+"attention.output.dense", width, width, true)),
			afterAttention: w.norm(name+"attention.output.LayerNorm", width, true),
			up:             w.normed(w.linear(width, w.part(name+"intermediate.dense", n.inner, width, true))),
			down:           w.linear(n.inner, w.part(name+"output.dense", width, n.inner, true)),
			afterFeed:      w.norm(name+"output.LayerNorm", width, true),
		})
	}
}
