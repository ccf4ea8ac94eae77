package encoder

import (
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// What the configuration of HHEM leaves to its foundation, google/flan-t5-base,
// and tensors do not show.
const (
	t5Eps      = 1e-6
	t5Farthest = 128 // relative_attention_max_distance
)

// relative is the attention bias of T5 (Raffel et al., 2020, "Exploring the
// Limits of Transfer Learning with a Unified Text-to-Text Transformer", section
// 2.1): a number for each head and bucket of distances.
type relative struct {
	heads, buckets int
	values         []float32 // [buckets][heads]
	byDistance     []float32 // [heads][2*longest-1]
	longest        int
}

// bucket returns the bucket of a distance of a key behind its query. Half the
// buckets are for each direction, and half of those for single distances.
func (r *relative) bucket(distance int) int {
	half := r.buckets / 2
	base := 0
	if distance > 0 {
		base = half
	}
	n, exact := max(distance, -distance), half/2
	if n < exact {
		return base + n
	}
	share := math.Log(float64(n)/float64(exact)) / math.Log(t5Farthest/float64(exact))
	return base + min(exact+int(share*float64(half-exact)), half-1)
}

// upTo returns the biases of each head by distance for sequences of up to n
// tokens, and the length that they are laid out for.
func (r *relative) upTo(n int) ([]float32, int) {
	if n > r.longest {
		r.longest = n + n/8
		span := 2*r.longest - 1
		r.byDistance = make([]float32, r.heads*span)
		for i := range span {
			row := r.values[r.bucket(i-r.longest+1)*r.heads:]
			for h := range r.heads {
				r.byDistance[h*span+i] = row[h]
			}
		}
	}
	return r.byDistance, r.longest
}

// t5 loads the encoder of T5 in the form of version 1.1, of which flan-t5 is:
// gated GELU, no scale of queries by keys, and no biases. All sizes are those of
// the tensors.
func t5(w *weights) (*preNorm, error) {
	w.prefix = "t5.transformer."
	n := &preNorm{eps: t5Eps, rms: true, act: kernel.GeluTanh, scale: 1}
	const block0 = "encoder.block.0.layer.0.SelfAttention."
	vocabulary, width := w.shape("shared.weight")
	buckets, heads := w.shape(block0 + "relative_attention_bias.weight")
	attended, _ := w.shape(block0 + "q.weight")
	inner, _ := w.shape("encoder.block.0.layer.1.DenseReluDense.wi_0.weight")
	switch {
	case w.err != nil:
		return nil, w.err
	case buckets < 4 || buckets%4 != 0 || buckets > 4*t5Farthest-4:
		w.fail(block0+"relative_attention_bias.weight", "%d buckets are not supported", buckets)
	case attended%heads != 0:
		w.fail(block0+"q.weight", "%d rows are not divided by %d heads", attended, heads)
	case max(width, attended, inner) > maxWidth:
		w.fail(block0+"q.weight", "a layer is wider than %d", maxWidth)
	}
	if w.err != nil {
		return nil, w.err
	}
	n.width, n.inner, n.heads, n.head = width, inner, heads, attended/heads
	n.words = w.table("shared.weight", vocabulary, width)
	n.relative = &relative{heads: heads, buckets: buckets}
	bias := w.table(block0+"relative_attention_bias.weight", buckets, heads)
	n.relative.values = make([]float32, buckets*heads)
	widen(n.relative.values, bias.raw)
	layers := w.count("encoder.block.")
	for i := 0; i < layers && w.err == nil; i++ {
		at := layerName("encoder.block.", i)
		self, ff := at+"layer.0.SelfAttention.", at+"layer.1.DenseReluDense."
		n.layers = append(n.layers, preLayer{
			attNorm: w.norm(at+"layer.0.layer_norm", width, false),
			qkv: w.normed(width, w.part(self+"q", attended, width, false),
				w.part(self+"k", attended, width, false), w.part(self+"v", attended, width, false)),
			out:    w.linear(attended, w.part(self+"o", width, attended, false)),
			ffNorm: w.norm(at+"layer.1.layer_norm", width, false),
			gated:  w.normed(width, w.part(ff+"wi_0", inner, width, false), w.part(ff+"wi_1", inner, width, false)),
			down:   w.linear(inner, w.part(ff+"wo", width, inner, false)),
		})
	}
	n.final = w.norm("encoder.final_layer_norm", width, false)
	return n, w.err
}

// layerName is what the names of a layer's tensors begin with.
func layerName(prefix string, i int) string { return prefix + strconv.Itoa(i) + "." }
