package encoder

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
)

// withTrunk returns a grounding model with the trunk of a published BERT and
// random heads.
func withTrunk(t testing.TB, dir string, quantized bool) []byte {
	t.Helper()
	file, err := safetensors.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := copyFile(t, tinyFile(t, "float32"))
	w.names, w.tensors = nil, make(map[string]modelTensor)
	read := func(path string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	w.meta["config"] = string(read(configFile))
	var putInt8 []func()
	put := func(name string, matrix bool, from ...string) {
		var values []float32
		var shape []int
		for _, f := range from {
			tensor := file.Tensor(f)
			if tensor == nil {
				t.Fatalf("%s has no %s", dir, f)
			}
			v, err := tensor.Float32()
			if err != nil {
				t.Fatal(err)
			}
			values, shape = append(values, v...), tensor.Shape
		}
		shape = slices.Clone(shape)
		shape[0] *= len(from)
		if !quantized || !matrix {
			w.put(name, "F32", shape, encoded(values))
			return
		}
		scales, steps := quantizeRows(values, shape[1])
		w.put(name+".scale", "F32", shape[:1], encoded(scales))
		putInt8 = append(putInt8, func() { w.put(name, "I8", shape, steps) })
	}
	both := func(name string, matrix bool, from ...string) {
		for _, kind := range []string{".weight", ".bias"} {
			var names []string
			for _, f := range from {
				names = append(names, f+kind)
			}
			put(name+kind, matrix && kind == ".weight", names...)
		}
	}
	put("word.weight", true, "embeddings.word_embeddings.weight")
	put("position.weight", false, "embeddings.position_embeddings.weight")
	types := file.Tensor("embeddings.token_type_embeddings.weight")
	table, err := types.Float32()
	if err != nil {
		t.Fatal(err)
	}
	width := types.Shape[1]
	first, second := table[:width], table[width:]
	w.put("mark.weight", "F32", []int{tokenTypes, width}, encoded(slices.Concat(first, second, second, second)))
	both("norm", false, "embeddings.LayerNorm")
	for i := range 6 {
		layer, from := layerName("blocks.", i), layerName("encoder.layer.", i)
		self := from + "attention.self."
		both(layer+"qkv", true, self+"query", self+"key", self+"value")
		both(layer+"out", true, from+"attention.output.dense")
		both(layer+"norm1", false, from+"attention.output.LayerNorm")
		both(layer+"up", true, from+"intermediate.dense")
		both(layer+"down", true, from+"output.dense")
		both(layer+"norm2", false, from+"output.LayerNorm")
	}
	r := rand.New(rand.NewPCG(5, 6))
	head := func(name string, out, in int) {
		values := make([]float32, out*in)
		for i := range values {
			values[i] = float32(r.NormFloat64() / math.Sqrt(float64(in)))
		}
		w.put(name+".weight", "F32", []int{out, in}, encoded(values))
		w.put(name+".bias", "F32", []int{out}, make([]byte, 4*out))
	}
	head("hidden", width, 3*width)
	head("classes", claimClasses, width)
	head("token", 1, width)
	for _, put := range putInt8 {
		put()
	}
	text := read("tokenizer.json")
	w.put(tokenizerTensor, "U8", []int{len(text)}, text)
	return w.bytes(t, true)
}

func encoded(values []float32) []byte {
	data := make([]byte, 0, 4*len(values))
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// quantizeRows converts a matrix to int8 with a scale per row.
func quantizeRows(values []float32, width int) (scales []float32, steps []byte) {
	for row := range slices.Chunk(values, width) {
		maxAbs := float32(0)
		for _, v := range row {
			maxAbs = max(maxAbs, v, -v)
		}
		scale := maxAbs / 127
		scales = append(scales, scale)
		for _, v := range row {
			q := 0.0
			if scale > 0 {
				q = math.RoundToEven(float64(v / scale))
			}
			steps = append(steps, byte(int8(q)))
		}
	}
	return scales, steps
}

func TestGroundingWithMiniLMTrunk(t *testing.T) {
	dir, want := minilm(t), readMiniLM(t)
	files := map[bool][]byte{false: withTrunk(t, dir, false), true: withTrunk(t, dir, true)}
	// The published model truncates texts to 256 tokens including special tokens.
	want = slices.DeleteFunc(want, func(s miniLMCase) bool { return len(s.IDs) > 60 })
	want = want[:min(len(want), 16)]
	var texts []string
	for _, s := range want {
		texts = append(texts, s.Text)
	}
	group := Group{"The committee directed the agency to publish its findings by March 2021. Three of five members voted in favour.", texts[:6]}
	for _, kernelName := range kernelNames() {
		var judged [2][][]ClaimOutput
		for i, precision := range []kernel.Precision{kernel.Float32, kernel.Int8} {
			g, err := ParseGrounding(files[precision == kernel.Int8], Options{Kernel: kernelName, Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			got, err := g.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			minCosine := 1.0
			for i, s := range want {
				ids, _, err := g.encode(s.Text, maxWindowTokens)
				if err != nil || !slices.Equal(ids, s.IDs[1:len(s.IDs)-1]) {
					t.Errorf("%.40q: got ids %v, %v, want %v", s.Text, ids, err, s.IDs)
				}
				minCosine = min(minCosine, cosine(got[i], s.Embedding))
			}
			t.Logf("%s, %s: min cosine %.7f", kernelName, precisionName(precision), minCosine)
			if bound := map[kernel.Precision]float64{kernel.Float32: 0.999999, kernel.Int8: 0.985}[precision]; minCosine < bound {
				t.Errorf("%s, %s: got min cosine %.7f, want %v", kernelName, precisionName(precision), minCosine, bound)
			}
			if judged[i], err = g.Judge(t.Context(), []Group{group}); err != nil {
				t.Fatal(err)
			}
		}
		var d deviation
		for i, exact := range judged[0][0] {
			near := judged[1][0][i]
			d.add(float64s(near.Logits[:]), float64s(exact.Logits[:]))
			d.add(unsupported(near), unsupported(exact))
		}
		mean := d.sum / float64(d.n)
		t.Logf("%s: int8 logits: max difference %.2g, mean %.2g", kernelName, d.max, mean)
		if mean > 0.025 {
			t.Errorf("%s: int8 logits differ by %.2g on average, want at most 0.025", kernelName, mean)
		}
	}
}
