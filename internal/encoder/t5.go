package encoder

import (
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// Parameters of HHEM's base model, google/flan-t5-base. HHEM's files do not contain them.
const (
	t5Eps          = 1e-6
	t5DecoderStart = 0 // decoder_start_token_id, the padding token
)

// t5 loads the encoder of T5 version 1.1, which flan-t5 uses: gated GELU, no scaling of attention
// scores, and no biases. All sizes are taken from the tensors, whose names start with prefix.
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
	case buckets < 4 || buckets%4 != 0 || buckets > 4*kernel.MaxDistance-4:
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
	for key, want := range map[string]float64{"layer_norm_epsilon": t5Eps, "relative_attention_max_distance": kernel.MaxDistance, "decoder_start_token_id": t5DecoderStart} {
		if v := optional(c, key, want, "a number"); v != want {
			c.fail(key, "%v is not supported", v)
		}
	}
}

// t5Decoder computes the first step of the decoder of T5: the logits of a few
// vocabulary entries as the first output token. Its only input is the start token,
// so self-attention is a linear layer, and the attention over the encoder's output
// has a single query. The keys and values of that attention are never computed:
//
//	q·(Wk h) = (Wkᵀ q)·h  and  Σ a Wv h = Wv Σ a h
//
// which takes two vectors per head instead of two matrices per token.
type t5Decoder struct {
	*network   // sizes of the encoder
	start      []float32
	blocks     []t5DecoderBlock
	norm       kernel.Norm
	vocabulary *kernel.Linear // rows of the output layer that are labels
}

// t5DecoderBlock computes
//
//	x += selfOut(selfValue(norm(x)))
//	x += out(attention(query(norm(x)), hidden))
//	x += down(gated(norm(x)))
type t5DecoderBlock struct {
	selfNorm, crossNorm, ffNorm kernel.Norm
	selfValue, selfOut          *dense
	query, out                  *dense
	key, value                  table
	up, down                    *dense
}

// t5Decoder loads the decoder of a T5 model whose encoder is n. labels are the ids of
// the output tokens whose logits to compute.
func (w *weights) t5Decoder(n *network, labels []int) (*t5Decoder, error) {
	width, attnWidth, inner := n.width, n.heads*n.head, n.inner
	d := &t5Decoder{network: n, start: make([]float32, width)}
	n.embed.words.copy(d.start, t5DecoderStart)
	for i, count := 0, w.countLayers("decoder.block."); i < count && w.err == nil; i++ {
		layer := layerName("decoder.block.", i)
		self, cross, ff := layer+"layer.0.", layer+"layer.1.", layer+"layer.2."
		d.blocks = append(d.blocks, t5DecoderBlock{
			selfNorm:  w.norm(self+"layer_norm", width, false),
			selfValue: w.linear(width, w.part(self+"SelfAttention.v", attnWidth, width, false)),
			selfOut:   w.linear(attnWidth, w.part(self+"SelfAttention.o", width, attnWidth, false)),
			crossNorm: w.norm(cross+"layer_norm", width, false),
			query:     w.linear(width, w.part(cross+"EncDecAttention.q", attnWidth, width, false)),
			key:       w.table(cross+"EncDecAttention.k.weight", attnWidth, width),
			value:     w.table(cross+"EncDecAttention.v.weight", attnWidth, width),
			out:       w.linear(attnWidth, w.part(cross+"EncDecAttention.o", width, attnWidth, false)),
			ffNorm:    w.norm(ff+"layer_norm", width, false),
			up: w.gated(width, w.part(ff+"DenseReluDense.wi_0", inner, width, false),
				w.part(ff+"DenseReluDense.wi_1", inner, width, false)),
			down: w.linear(inner, w.part(ff+"DenseReluDense.wo", width, inner, false)),
		})
	}
	d.norm = w.norm("decoder.final_layer_norm", width, false)
	rows, _ := w.shape("lm_head.weight")
	output := w.table("lm_head.weight", rows, width)
	chosen := make([]float32, len(labels)*width)
	for i, id := range labels {
		if id >= rows && w.err == nil {
			w.fail("lm_head.weight", "has %d rows, but a label is token %d", rows, id)
		}
		if w.err != nil {
			return nil, w.err
		}
		output.copy(chosen[i*width:], id)
	}
	d.vocabulary = w.kernels.Linear(kernel.Float32, width, kernel.Part{W: kernel.Raw{F32: chosen}, Out: len(labels)})
	return d, nil
}

// run returns the logits of the labels, one row per sequence, in memory owned by p.
// hidden is the output of the encoder for all tokens.
func (d *t5Decoder) run(p *pass, hidden []float32) []float32 {
	rows, width, attnWidth := len(p.starts), d.width, d.heads*d.head
	x, t, attn := make([]float32, rows*width), make([]float32, rows*width), make([]float32, rows*attnWidth)
	query, inner := make([]float32, rows*attnWidth), make([]float32, rows*d.inner)
	cross, shared := make([]*crossAttention, rows), make([]float32, 2*d.heads*width)
	for s, start := range p.starts {
		copy(x[s*width:], d.start)
		cross[s] = d.newCrossAttention(p.pool.Kernels(), hidden[start*width:(start+p.lengths[s])*width])
		cross[s].probes, cross[s].means = shared[:d.heads*width], shared[d.heads*width:]
	}
	for i := range d.blocks {
		b := &d.blocks[i]
		p.pool.Norm(&b.selfNorm, t, x, nil)
		p.pool.Apply(b.selfValue.Linear, attn, t, kernel.None)
		p.pool.Apply(b.selfOut.Linear, t, attn, kernel.None)
		add(x, t)
		p.pool.Norm(&b.crossNorm, t, x, nil)
		p.pool.Apply(b.query.Linear, query, t, kernel.None)
		for s, a := range cross {
			a.attend(p.pool, d, b, attn[s*attnWidth:(s+1)*attnWidth], query[s*attnWidth:(s+1)*attnWidth])
		}
		p.pool.Apply(b.out.Linear, t, attn, kernel.None)
		add(x, t)
		p.pool.Norm(&b.ffNorm, t, x, nil)
		p.pool.Apply(b.up.Linear, inner, t, d.act)
		p.pool.Apply(b.down.Linear, t, inner, kernel.None)
		add(x, t)
	}
	p.pool.Norm(&d.norm, x, x, nil)
	logits := grow(&p.scratch[0], rows*d.vocabulary.Out)
	p.pool.Apply(d.vocabulary, logits, x, kernel.None)
	return logits
}

// crossAttention computes the attention over the encoder's output for one sequence, with
// that output as the weights of two linear layers over the vectors of all heads.
type crossAttention struct {
	hidden, transposed *kernel.Linear
	tokens             int
	probes, means      []float32 // [heads][width], shared by the sequences of a pass
	weights            []float32 // [heads][tokens]
}

func (d *t5Decoder) newCrossAttention(k *kernel.Kernels, hidden []float32) *crossAttention {
	tokens := len(hidden) / d.width
	transposed := make([]float32, len(hidden))
	for t := range tokens {
		for i, v := range hidden[t*d.width : (t+1)*d.width] {
			transposed[i*tokens+t] = v
		}
	}
	return &crossAttention{
		hidden:     k.Linear(kernel.Float32, d.width, kernel.Part{W: kernel.Raw{F32: hidden}, Out: tokens}),
		transposed: k.Linear(kernel.Float32, tokens, kernel.Part{W: kernel.Raw{F32: transposed}, Out: d.width}),
		tokens:     tokens,
		weights:    make([]float32, d.heads*tokens),
	}
}

// attend sets out to the attention of all heads of block b.
func (a *crossAttention) attend(p *kernel.Pool, d *t5Decoder, b *t5DecoderBlock, out, query []float32) {
	width := d.width
	p.For(d.heads, func(w *kernel.Worker, h int) {
		probe, scratch := a.probes[h*width:(h+1)*width], w.Floats(width)
		clear(probe)
		for i, q := range query[h*d.head : (h+1)*d.head] {
			row := b.key.row(h*d.head+i, scratch)
			for j := range probe {
				probe[j] += q * row[j]
			}
		}
	})
	p.Apply(a.hidden, a.weights, a.probes, kernel.None)
	for scores := range slices.Chunk(a.weights, a.tokens) { // become their softmax; T5 does not scale them
		largest, sum := slices.Max(scores), 0.0
		for t, v := range scores {
			e := math.Exp(float64(v - largest))
			scores[t] = float32(e)
			sum += e
		}
		for t := range scores {
			scores[t] /= float32(sum)
		}
	}
	p.Apply(a.transposed, a.means, a.weights, kernel.None)
	p.For(d.heads, func(w *kernel.Worker, h int) {
		mean, scratch := a.means[h*width:(h+1)*width], w.Floats(width)
		for i := range d.head {
			out[h*d.head+i] = float32(innerProduct(b.value.row(h*d.head+i, scratch), mean))
		}
	})
}

// innerProduct returns the inner product of x and the start of y.
func innerProduct(x, y []float32) float64 {
	y = y[:len(x)]
	var sums [4]float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		sums[0] += x[i] * y[i]
		sums[1] += x[i+1] * y[i+1]
		sums[2] += x[i+2] * y[i+2]
		sums[3] += x[i+3] * y[i+3]
	}
	total := float64(sums[0]) + float64(sums[1]) + float64(sums[2]) + float64(sums[3])
	for ; i < len(x); i++ {
		total += float64(x[i] * y[i])
	}
	return total
}
