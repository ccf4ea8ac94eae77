package encoder

import (
	"math"
	"slices"
)

// bert computes BertForSequenceClassification or RobertaForSequenceClassification.
func (n *naive) bert(s sequence) []float64 {
	width, heads, inner := n.size("hidden_size"), n.size("num_attention_heads"), n.size("intermediate_size")
	eps := n.config["layer_norm_eps"].(float64)
	roberta := n.config["model_type"] != "bert"
	prefix, typeRows := "bert.", 2
	if roberta {
		prefix, typeRows = "roberta.", 1
	}
	words := n.rows(prefix+"embeddings.word_embeddings.weight", n.size("vocab_size"), width)
	positions := n.rows(prefix+"embeddings.position_embeddings.weight", n.size("max_position_embeddings"), width)
	types := n.rows(prefix+"embeddings.token_type_embeddings.weight", typeRows, width)
	var x matrix
	counted := 0
	for i, id := range s.ids {
		position, kind := i, int(s.types[i])
		if roberta {
			kind, position = 0, 1
			if id != 1 {
				counted++
				position += counted
			}
		}
		x = append(x, plus(plus(matrix{words[id]}, matrix{positions[position]}), matrix{types[kind]})[0])
	}
	x = n.layerNorm(x, prefix+"embeddings.LayerNorm", true, eps)
	for l := range n.size("num_hidden_layers") {
		layer := layerName(prefix+"encoder.layer.", l)
		q := n.linear(x, layer+"attention.self.query", width, true)
		k := n.linear(x, layer+"attention.self.key", width, true)
		v := n.linear(x, layer+"attention.self.value", width, true)
		d := width / heads
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) / math.Sqrt(float64(d)) }, nil)
		x = n.layerNorm(plus(x, n.linear(y, layer+"attention.output.dense", width, true)), layer+"attention.output.LayerNorm", true, eps)
		y = values(n.linear(x, layer+"intermediate.dense", inner, true), gelu)
		x = n.layerNorm(plus(x, n.linear(y, layer+"output.dense", width, true)), layer+"output.LayerNorm", true, eps)
	}
	if roberta {
		x = values(n.linear(x[:1], "classifier.dense", width, true), math.Tanh)
		return n.linear(x, "classifier.out_proj", 3, true)[0]
	}
	x = values(n.linear(x[:1], "bert.pooler.dense", width, true), math.Tanh)
	return n.linear(x, "classifier", 3, true)[0]
}

// hhem computes HHEMv2ForSequenceClassification with small sizes.
func (n *naive) hhem(s sequence) []float64 {
	const vocabulary, width, heads, d, inner, layers = 23, 12, 3, 6, 20, 2
	const prefix = "t5.transformer."
	words := n.rows(prefix+"shared.weight", vocabulary, width)
	var x matrix
	for _, id := range s.ids {
		x = append(x, words[id])
	}
	biases := n.rows(prefix+"encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight", 32, heads)
	for l := range layers {
		layer := layerName(prefix+"encoder.block.", l)
		self, ff := layer+"layer.0.SelfAttention.", layer+"layer.1.DenseReluDense."
		in := n.rmsNorm(x, layer+"layer.0.layer_norm", 1e-6)
		q, k, v := n.linear(in, self+"q", heads*d, false), n.linear(in, self+"k", heads*d, false), n.linear(in, self+"v", heads*d, false)
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) + biases[t5Bucket(j-i)][h] }, nil)
		x = plus(x, n.linear(y, self+"o", width, false))
		in = n.rmsNorm(x, layer+"layer.1.layer_norm", 1e-6)
		y = zip(values(n.linear(in, ff+"wi_0", inner, false), geluTanh), n.linear(in, ff+"wi_1", inner, false),
			func(a, b float64) float64 { return a * b })
		x = plus(x, n.linear(y, ff+"wo", width, false))
	}
	x = n.rmsNorm(x, prefix+"encoder.final_layer_norm", 1e-6)
	return n.linear(x[:1], "t5.classifier", 2, true)[0]
}

// t5Bucket returns T5's bucket of a distance for 32 buckets and a maximum distance
// of 128. Buckets of positive distances start at 16. Absolute distances 0 to 7
// have one bucket each, and the lower bounds of the other 8 grow by a factor of
// 16^(1/8).
func t5Bucket(distance int) int {
	if distance > 0 {
		return 16 + t5Bucket(-distance)
	}
	bucket := 0
	for next := 1.0; bucket < 15 && float64(-distance) >= next; bucket++ {
		if next++; bucket >= 7 {
			next = 8 * math.Pow(2, float64(bucket-6)/2)
		}
	}
	return bucket
}

// modernBERT computes ModernBertForSequenceClassification with mean pooling.
func (n *naive) modernBERT(s sequence) []float64 {
	width, heads, inner := n.size("hidden_size"), n.size("num_attention_heads"), n.size("intermediate_size")
	d := width / heads
	eps := n.config["norm_eps"].(float64)
	words := n.rows("model.embeddings.tok_embeddings.weight", n.size("vocab_size"), width)
	var x matrix
	for _, id := range s.ids {
		x = append(x, words[id])
	}
	x = n.layerNorm(x, "model.embeddings.norm", false, eps)
	for l := range n.size("num_hidden_layers") {
		layer := layerName("model.layers.", l)
		theta := n.config["global_rope_theta"].(float64)
		var visible func(i, j int) bool
		if l%n.size("global_attn_every_n_layers") != 0 {
			theta = n.config["local_rope_theta"].(float64)
			visible = func(i, j int) bool { return max(i-j, j-i) <= n.size("local_attention")/2 }
		}
		in := x
		if l > 0 {
			in = n.layerNorm(x, layer+"attn_norm", false, eps)
		}
		qkv := n.linear(in, layer+"attn.Wqkv", 3*width, false)
		var q, k, v matrix
		for i, row := range qkv {
			q, k, v = append(q, rotate(row[:width], d, i, theta)), append(k, rotate(row[width:2*width], d, i, theta)), append(v, row[2*width:])
		}
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) / math.Sqrt(float64(d)) }, visible)
		x = plus(x, n.linear(y, layer+"attn.Wo", width, false))
		both := n.linear(n.layerNorm(x, layer+"mlp_norm", false, eps), layer+"mlp.Wi", 2*inner, false)
		y = each(both, func(row []float64) []float64 {
			return zip(values(matrix{row[:inner]}, gelu), matrix{row[inner:]}, func(a, b float64) float64 { return a * b })[0]
		})
		x = plus(x, n.linear(y, layer+"mlp.Wo", width, false))
	}
	x = n.layerNorm(x, "model.final_norm", false, eps)
	mean := make([]float64, width)
	for _, row := range x {
		for i, v := range row {
			mean[i] += v / float64(len(x))
		}
	}
	x = n.layerNorm(values(n.linear(matrix{mean}, "head.dense", width, false), gelu), "head.norm", false, eps)
	return n.linear(x, "classifier", 3, true)[0]
}

// rotate applies rotary position embedding as a complex product for each pair.
func rotate(row []float64, d, position int, theta float64) []float64 {
	y := slices.Clone(row)
	for h := 0; h < len(row); h += d {
		for i := range d / 2 {
			angle := float64(position) / math.Pow(theta, 2*float64(i)/float64(d))
			z := complex(row[h+i], row[h+d/2+i]) * complex(math.Cos(angle), math.Sin(angle))
			y[h+i], y[h+d/2+i] = real(z), imag(z)
		}
	}
	return y
}

// deberta computes DebertaV2ForSequenceClassification.
func (n *naive) deberta(s sequence) []float64 {
	width, heads, inner := n.size("hidden_size"), n.size("num_attention_heads"), n.size("intermediate_size")
	span, d, eps := n.size("position_buckets"), width/heads, n.config["layer_norm_eps"].(float64)
	words := n.rows("deberta.embeddings.word_embeddings.weight", n.size("vocab_size"), width)
	var x matrix
	for _, id := range s.ids {
		x = append(x, words[id])
	}
	x = n.layerNorm(x, "deberta.embeddings.LayerNorm", true, eps)
	table := n.layerNorm(n.rows("deberta.encoder.rel_embeddings.weight", 2*span, width), "deberta.encoder.LayerNorm", true, eps)
	column := func(distance int) int {
		b, middle := distance, float64(span/2)
		if far := math.Abs(float64(distance)); far > middle {
			farthest := float64(n.size("max_position_embeddings") - 1)
			b = int(math.Ceil(math.Log(far/middle)/math.Log(farthest/middle)*(middle-1)) + middle)
			if distance < 0 {
				b = -b
			}
		}
		return min(max(b+span, 0), 2*span-1)
	}
	for l := range n.size("num_hidden_layers") {
		layer := layerName("deberta.encoder.layer.", l)
		self := layer + "attention.self."
		q, posQ := n.linear(x, self+"query_proj", width, true), n.linear(table, self+"query_proj", width, true)
		k, posK := n.linear(x, self+"key_proj", width, true), n.linear(table, self+"key_proj", width, true)
		v := n.linear(x, self+"value_proj", width, true)
		y := attention(v, heads, func(h, i, j int) float64 {
			c := column(i - j)
			return (dot(q[i], k[j], h, d) + dot(q[i], posK[c], h, d) + dot(k[j], posQ[c], h, d)) / math.Sqrt(3*float64(d))
		}, nil)
		x = n.layerNorm(plus(x, n.linear(y, layer+"attention.output.dense", width, true)), layer+"attention.output.LayerNorm", true, eps)
		y = values(n.linear(x, layer+"intermediate.dense", inner, true), gelu)
		x = n.layerNorm(plus(x, n.linear(y, layer+"output.dense", width, true)), layer+"output.LayerNorm", true, eps)
	}
	x = values(n.linear(x[:1], "pooler.dense", width, true), gelu)
	return n.linear(x, "classifier", 3, true)[0]
}
