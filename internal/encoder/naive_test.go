package encoder

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"encoding/json"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// naive computes models in float64, one step after another and as their papers
// write them, on weights that follow from their names. The weights that it asks
// for are those that a file of the model has.
type naive struct {
	config  map[string]any
	round   func(float64) float64 // to what a file can hold
	tensors map[string]tensor
}

type tensor struct {
	shape  []int
	values []float64
}

type matrix [][]float64

func toFloat32(x float64) float64 { return float64(float32(x)) }

func toBrain(x float64) float64 {
	return float64(math.Float32frombits(math.Float32bits(float32(x)) &^ 0xffff))
}

// toHalf keeps 11 bits of a number, and none of one that is too small for that.
func toHalf(x float64) float64 {
	if math.Abs(x) < 1.0/(1<<14) {
		return 0
	}
	f, e := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(f, 11)), e-11)
}

func newNaive(config map[string]any) *naive {
	return &naive{config: config, round: toFloat32, tensors: make(map[string]tensor)}
}

func (n *naive) size(key string) int { return n.config[key].(int) }

// get returns a tensor, which has a spread of 0.4 about 0 or, for the gain of a
// norm, about 1.
func (n *naive) get(name string, shape ...int) []float64 {
	if t, ok := n.tensors[name]; ok {
		return t.values
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	r := rand.New(rand.NewPCG(h.Sum64(), 7))
	count := 1
	for _, d := range shape {
		count *= d
	}
	middle := 0.0
	if strings.HasSuffix(name, "orm.weight") {
		middle = 1
	}
	v := make([]float64, count)
	for i := range v {
		v[i] = n.round(middle + 0.4*r.NormFloat64())
	}
	n.tensors[name] = tensor{shape, v}
	return v
}

func (n *naive) rows(name string, rows, width int) matrix {
	return slices.Collect(slices.Chunk(n.get(name, rows, width), width))
}

// linear is x·Wᵀ + b.
func (n *naive) linear(x matrix, name string, out int, bias bool) matrix {
	w := n.rows(name+".weight", out, len(x[0]))
	b := make([]float64, out)
	if bias {
		b = n.get(name+".bias", out)
	}
	y := make(matrix, len(x))
	for i := range x {
		y[i] = slices.Clone(b)
		for o := range out {
			for k, v := range x[i] {
				y[i][o] += v * w[o][k]
			}
		}
	}
	return y
}

func (n *naive) layerNorm(x matrix, name string, bias bool, eps float64) matrix {
	width := len(x[0])
	gain, shift := n.get(name+".weight", width), make([]float64, width)
	if bias {
		shift = n.get(name+".bias", width)
	}
	return each(x, func(row []float64) []float64 {
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(width)
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(width)
		}
		y := make([]float64, width)
		for i, v := range row {
			y[i] = (v-mean)/math.Sqrt(variance+eps)*gain[i] + shift[i]
		}
		return y
	})
}

func (n *naive) rmsNorm(x matrix, name string, eps float64) matrix {
	gain := n.get(name+".weight", len(x[0]))
	return each(x, func(row []float64) []float64 {
		squares := 0.0
		for _, v := range row {
			squares += v * v / float64(len(row))
		}
		y := make([]float64, len(row))
		for i, v := range row {
			y[i] = v / math.Sqrt(squares+eps) * gain[i]
		}
		return y
	})
}

func each(x matrix, f func(row []float64) []float64) matrix {
	y := make(matrix, len(x))
	for i := range x {
		y[i] = f(x[i])
	}
	return y
}

func values(x matrix, f func(float64) float64) matrix {
	return each(x, func(row []float64) []float64 {
		y := make([]float64, len(row))
		for i, v := range row {
			y[i] = f(v)
		}
		return y
	})
}

func zip(x, y matrix, f func(a, b float64) float64) matrix {
	z := make(matrix, len(x))
	for i := range x {
		for j := range x[i] {
			z[i] = append(z[i], f(x[i][j], y[i][j]))
		}
	}
	return z
}

func plus(x, y matrix) matrix { return zip(x, y, func(a, b float64) float64 { return a + b }) }

func gelu(x float64) float64 { return x * 0.5 * (1 + math.Erf(x/math.Sqrt2)) }

func geluTanh(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// attention is softmax(score)·v by head, over the keys that a query sees.
func attention(v matrix, heads int, score func(h, i, j int) float64, sees func(i, j int) bool) matrix {
	d := len(v[0]) / heads
	y := make(matrix, len(v))
	for i := range v {
		y[i] = make([]float64, len(v[0]))
		for h := range heads {
			var keys []int
			var scores []float64
			for j := range v {
				if sees == nil || sees(i, j) {
					keys, scores = append(keys, j), append(scores, score(h, i, j))
				}
			}
			for k, p := range softmax(scores) {
				for c := h * d; c < (h+1)*d; c++ {
					y[i][c] += p * v[keys[k]][c]
				}
			}
		}
	}
	return y
}

// dot is the product of head h of two rows.
func dot(a, b []float64, h, d int) float64 {
	sum := 0.0
	for c := h * d; c < (h+1)*d; c++ {
		sum += a[c] * b[c]
	}
	return sum
}

// bert is BertForSequenceClassification, RoBERTa where prefix says so.
func (n *naive) bert(s sequence) []float64 {
	width, heads, inner := n.size("hidden_size"), n.size("num_attention_heads"), n.size("intermediate_size")
	eps := n.config["layer_norm_eps"].(float64)
	roberta := n.config["model_type"] != "bert"
	prefix, kinds := "bert.", 2
	if roberta {
		prefix, kinds = "roberta.", 1
	}
	words := n.rows(prefix+"embeddings.word_embeddings.weight", n.size("vocab_size"), width)
	positions := n.rows(prefix+"embeddings.position_embeddings.weight", n.size("max_position_embeddings"), width)
	types := n.rows(prefix+"embeddings.token_type_embeddings.weight", kinds, width)
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
		at := layerName(prefix+"encoder.layer.", l)
		q := n.linear(x, at+"attention.self.query", width, true)
		k := n.linear(x, at+"attention.self.key", width, true)
		v := n.linear(x, at+"attention.self.value", width, true)
		d := width / heads
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) / math.Sqrt(float64(d)) }, nil)
		x = n.layerNorm(plus(x, n.linear(y, at+"attention.output.dense", width, true)), at+"attention.output.LayerNorm", true, eps)
		y = values(n.linear(x, at+"intermediate.dense", inner, true), gelu)
		x = n.layerNorm(plus(x, n.linear(y, at+"output.dense", width, true)), at+"output.LayerNorm", true, eps)
	}
	if roberta {
		x = values(n.linear(x[:1], "classifier.dense", width, true), math.Tanh)
		return n.linear(x, "classifier.out_proj", 3, true)[0]
	}
	x = values(n.linear(x[:1], "bert.pooler.dense", width, true), math.Tanh)
	return n.linear(x, "classifier", 3, true)[0]
}

// hhem is HHEMv2ForSequenceClassification with sizes of its own.
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
		at := layerName(prefix+"encoder.block.", l)
		self, ff := at+"layer.0.SelfAttention.", at+"layer.1.DenseReluDense."
		in := n.rmsNorm(x, at+"layer.0.layer_norm", 1e-6)
		q, k, v := n.linear(in, self+"q", heads*d, false), n.linear(in, self+"k", heads*d, false), n.linear(in, self+"v", heads*d, false)
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) + biases[t5Bucket(j-i)][h] }, nil)
		x = plus(x, n.linear(y, self+"o", width, false))
		in = n.rmsNorm(x, at+"layer.1.layer_norm", 1e-6)
		y = zip(values(n.linear(in, ff+"wi_0", inner, false), geluTanh), n.linear(in, ff+"wi_1", inner, false),
			func(a, b float64) float64 { return a * b })
		x = plus(x, n.linear(y, ff+"wo", width, false))
	}
	x = n.rmsNorm(x, prefix+"encoder.final_layer_norm", 1e-6)
	return n.linear(x[:1], "t5.classifier", 2, true)[0]
}

// t5Bucket is the rule of T5 for 32 buckets and a farthest distance of 128: 16
// for keys that follow, 0 to 7 one by one, and 8 more for the powers of
// 16^(1/8) above 8.
func t5Bucket(distance int) int {
	if distance > 0 {
		return 16 + t5Bucket(-distance)
	}
	bucket := 0
	for bucket < 15 && float64(-distance) >= map[bool]float64{true: float64(bucket + 1), false: 8 * math.Pow(2, float64(bucket-7)/2)}[bucket < 8] {
		bucket++
	}
	return bucket
}

// modernBERT is ModernBertForSequenceClassification with mean pooling.
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
		at := layerName("model.layers.", l)
		theta := n.config["global_rope_theta"].(float64)
		var sees func(i, j int) bool
		if l%n.size("global_attn_every_n_layers") != 0 {
			theta = n.config["local_rope_theta"].(float64)
			sees = func(i, j int) bool { return max(i-j, j-i) <= n.size("local_attention")/2 }
		}
		in := x
		if l > 0 {
			in = n.layerNorm(x, at+"attn_norm", false, eps)
		}
		qkv := n.linear(in, at+"attn.Wqkv", 3*width, false)
		var q, k, v matrix
		for i, row := range qkv {
			q, k, v = append(q, turned(row[:width], d, i, theta)), append(k, turned(row[width:2*width], d, i, theta)), append(v, row[2*width:])
		}
		y := attention(v, heads, func(h, i, j int) float64 { return dot(q[i], k[j], h, d) / math.Sqrt(float64(d)) }, sees)
		x = plus(x, n.linear(y, at+"attn.Wo", width, false))
		both := n.linear(n.layerNorm(x, at+"mlp_norm", false, eps), at+"mlp.Wi", 2*inner, false)
		y = each(both, func(row []float64) []float64 {
			return zip(values(matrix{row[:inner]}, gelu), matrix{row[inner:]}, func(a, b float64) float64 { return a * b })[0]
		})
		x = plus(x, n.linear(y, at+"mlp.Wo", width, false))
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

// turned is rotary position embedding, a complex product for each pair.
func turned(row []float64, d, position int, theta float64) []float64 {
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

// deberta is DebertaV2ForSequenceClassification.
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
			most := float64(n.size("max_position_embeddings") - 1)
			b = int(math.Ceil(math.Log(far/middle)/math.Log(most/middle)*(middle-1)) + middle)
			if distance < 0 {
				b = -b
			}
		}
		return min(max(b+span, 0), 2*span-1)
	}
	for l := range n.size("num_hidden_layers") {
		at := layerName("deberta.encoder.layer.", l)
		self := at + "attention.self."
		q, posQ := n.linear(x, self+"query_proj", width, true), n.linear(table, self+"query_proj", width, true)
		k, posK := n.linear(x, self+"key_proj", width, true), n.linear(table, self+"key_proj", width, true)
		v := n.linear(x, self+"value_proj", width, true)
		y := attention(v, heads, func(h, i, j int) float64 {
			c := column(i - j)
			return (dot(q[i], k[j], h, d) + dot(q[i], posK[c], h, d) + dot(k[j], posQ[c], h, d)) / math.Sqrt(3*float64(d))
		}, nil)
		x = n.layerNorm(plus(x, n.linear(y, at+"attention.output.dense", width, true)), at+"attention.output.LayerNorm", true, eps)
		y = values(n.linear(x, at+"intermediate.dense", inner, true), gelu)
		x = n.layerNorm(plus(x, n.linear(y, at+"output.dense", width, true)), at+"output.LayerNorm", true, eps)
	}
	x = values(n.linear(x[:1], "pooler.dense", width, true), gelu)
	return n.linear(x, "classifier", 3, true)[0]
}

// write makes a folder of the model with the tensors that were asked for, in
// the type given.
func (n *naive) write(t testing.TB, dtype string) string {
	t.Helper()
	dir := t.TempDir()
	config, err := json.Marshal(n.config)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, dir, configFile, config)
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for name, tensor := range n.tensors {
		from := len(data)
		for _, v := range tensor.values {
			bits := math.Float32bits(float32(v))
			switch dtype {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, bits)
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(bits>>16))
			case "F16":
				half := uint16(bits >> 31 << 15)
				if bits<<1 != 0 {
					half |= uint16((bits>>23&0xff)-127+15)<<10 | uint16(bits>>13&0x3ff)
				}
				data = binary.LittleEndian.AppendUint16(data, half)
			}
		}
		header[name] = map[string]any{"dtype": dtype, "shape": tensor.shape, "data_offsets": []int{from, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	writeFile(t, dir, "model.safetensors", append(append(file, text...), data...))
	return dir
}

func writeFile(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tinyModel is a small model of each family and what computes it in float64.
type tinyModel struct {
	*naive
	run func(sequence) []float64
}

// tiny returns the small models by family. Their sizes fit no vector's width.
func tiny() map[string]tinyModel {
	names := map[string]string{"0": "entailment", "1": "neutral", "2": "contradiction"}
	shared := func(family, class string, more map[string]any) *naive {
		config := map[string]any{
			"model_type": family, "architectures": []string{class}, "id2label": names,
			"vocab_size": 23, "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 2,
			"intermediate_size": 27, "max_position_embeddings": 48, "layer_norm_eps": 1e-5, "norm_eps": 1e-5,
		}
		for key, value := range more {
			config[key] = value
		}
		return newNaive(config)
	}
	bert := shared("bert", "BertForSequenceClassification", nil)
	roberta := shared("roberta", "RobertaForSequenceClassification", map[string]any{"type_vocab_size": 1, "pad_token_id": 1})
	hhem := newNaive(map[string]any{
		"model_type": "HHEMv2", "architectures": []string{"HHEMv2ForSequenceClassification"},
		"prompt": "<pad> Premise: {text1} Hypothesis: {text2}",
	})
	modern := shared("modernbert", "ModernBertForSequenceClassification", map[string]any{
		"num_hidden_layers": 4, "global_attn_every_n_layers": 3, "local_attention": 6,
		"global_rope_theta": 3000.0, "local_rope_theta": 50.0, "classifier_pooling": "mean",
	})
	deberta := shared("deberta-v2", "DebertaV2ForSequenceClassification", map[string]any{
		"relative_attention": true, "share_att_key": true, "norm_rel_ebd": "layer_norm", "position_biased_input": false,
		"pos_att_type": []string{"p2c", "c2p"}, "position_buckets": 8, "type_vocab_size": 0, "max_relative_positions": -1,
	})
	return map[string]tinyModel{
		"bert": {bert, bert.bert}, "roberta": {roberta, roberta.bert}, "t5": {hhem, hhem.hhem},
		"modernbert": {modern, modern.modernBERT}, "deberta": {deberta, deberta.deberta},
	}
}

// texts are sequences of several lengths, with a padding token (1) among them.
func texts() []sequence {
	var seqs []sequence
	for i, n := range []int{1, 2, 7, 17, 40, 46, 3, 33} {
		s := sequence{make([]int32, n), make([]int32, n)}
		for j := range n {
			s.ids[j] = int32((i*i + 5*j + j*j*3) % 23)
			s.types[j] = int32(j * 2 / n)
		}
		seqs = append(seqs, s)
	}
	return seqs
}

// Each family computes what its formulas say, with weights of each type.
func TestNetworksComputeTheirFormulas(t *testing.T) {
	round := map[string]func(float64) float64{"F32": toFloat32, "BF16": toBrain, "F16": toHalf}
	for dtype := range round {
		for family, tiny := range tiny() {
			t.Run(family+"/"+dtype, func(t *testing.T) {
				tiny.round = round[dtype]
				var want [][]float64
				for _, s := range texts() {
					want = append(want, tiny.run(s))
				}
				dir := tiny.write(t, dtype)
				for _, path := range kernel.Names() {
					m, err := load(dir, Options{Kernel: path, Threads: 2})
					if err != nil {
						t.Fatal(err)
					}
					defer m.Close()
					got, err := m.classify(t.Context(), texts())
					if err != nil {
						t.Fatal(err)
					}
					var d deviation
					for i := range want {
						d.add(float64s(got[i]), want[i])
					}
					t.Logf("%s: off by at most %.2g", path, d.worst)
					if d.worst > 1e-4 {
						t.Errorf("%s: off by %.2g", path, d.worst)
					}
				}
			})
		}
	}
}
