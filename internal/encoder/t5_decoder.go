package encoder

import (
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

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
	for weights := range slices.Chunk(a.weights, a.tokens) {
		attentionWeights(weights)
	}
	p.Apply(a.transposed, a.means, a.weights, kernel.None)
	p.For(d.heads, func(w *kernel.Worker, h int) {
		mean, scratch := a.means[h*width:(h+1)*width], w.Floats(width)
		for i := range d.head {
			out[h*d.head+i] = float32(innerProduct(b.value.row(h*d.head+i, scratch), mean))
		}
	})
}

// attentionWeights replaces scores by their softmax. T5 does not scale them.
func attentionWeights(scores []float32) {
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
