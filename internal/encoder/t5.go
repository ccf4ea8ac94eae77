package encoder

import "github.com/ragfaith/ragfaith/internal/encoder/kernel"

// Parameters of HHEM's base model, google/flan-t5-base. HHEM's files do not contain
// them.
const (
	t5Eps          = 1e-6
	t5DecoderStart = 0 // decoder_start_token_id, the padding token
)

// t5 loads the encoder of T5 version 1.1, which flan-t5 uses: gated GELU, no
// scaling of attention scores, and no biases. All sizes are taken from the
// tensors, whose names start with prefix.
func t5(w *weights, prefix string) (*network, error) {
	w.prefix, w.eps, w.rms = prefix, t5Eps, true
	n := &network{preNorm: true, act: kernel.GeluTanh, scale: 1}
	const block0 = "encoder.block.0.layer.0.SelfAttention."
	vocabulary, width := w.shape("shared.weight")
	buckets, heads := w.shape(block0 + "relative_attention_bias.weight")
	attnWidth, _ := w.shape(block0 + "q.weight")
	inner, _ := w.shape("encoder.block.0.layer.1.DenseReluDense.wi_0.weight")
	switch {
	case w.err != nil:
		return nil, w.err
	case buckets < 4 || buckets%4 != 0 || buckets > 4*t5MaxDistance-4:
		w.fail(block0+"relative_attention_bias.weight", "unsupported number of buckets: %d", buckets)
	case attnWidth%heads != 0:
		w.fail(block0+"q.weight", "%d rows are not divisible by %d heads", attnWidth, heads)
	case heads > maxHeads:
		w.fail(block0+"relative_attention_bias.weight", "more than %d heads", maxHeads)
	case max(width, attnWidth, inner) > min(maxRatio*min(width, attnWidth), maxWidth):
		w.fail(block0+"q.weight", "unsupported widths: %d, %d and %d", width, attnWidth, inner)
	}
	if w.err != nil {
		return nil, w.err
	}
	n.width, n.inner, n.heads, n.head = width, inner, heads, attnWidth/heads
	n.embed.words = w.table("shared.weight", vocabulary, width)
	n.relative = &relative{heads: heads, buckets: buckets}
	bias := w.table(block0+"relative_attention_bias.weight", buckets, heads)
	n.relative.values = make([]float32, buckets*heads)
	widen(n.relative.values, bias.raw)
	layers := w.countLayers("encoder.block.")
	for i := 0; i < layers && w.err == nil; i++ {
		name := layerName("encoder.block.", i)
		self, ff := name+"layer.0.SelfAttention.", name+"layer.1.DenseReluDense."
		*n.next() = w.norm(name+"layer.0.layer_norm", width, false)
		n.layers = append(n.layers, layer{
			qkv: w.normed(w.linear(width, w.part(self+"q", attnWidth, width, false),
				w.part(self+"k", attnWidth, width, false), w.part(self+"v", attnWidth, width, false))),
			out:            w.linear(attnWidth, w.part(self+"o", width, attnWidth, false)),
			afterAttention: w.norm(name+"layer.1.layer_norm", width, false),
			up:             w.normed(w.gated(width, w.part(ff+"wi_0", inner, width, false), w.part(ff+"wi_1", inner, width, false))),
			down:           w.linear(inner, w.part(ff+"wo", width, inner, false)),
		})
	}
	*n.next() = w.norm("encoder.final_layer_norm", width, false)
	return n, w.err
}

// checkT5 rejects configurations other than those of flan-t5.
func checkT5(c *config) {
	c.oneOf("feed_forward_proj", "relu", "gated-gelu")
	c.require("tie_word_embeddings", false)
	for key, want := range map[string]float64{"layer_norm_epsilon": t5Eps, "relative_attention_max_distance": t5MaxDistance, "decoder_start_token_id": t5DecoderStart} {
		if v := optional(c, key, want, "a number"); v != want {
			c.fail(key, "%v is not supported", v)
		}
	}
}
