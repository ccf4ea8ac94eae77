package encoder

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// write writes the model with the tensors used so far to a directory, in the given
// data type.
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
		start := len(data)
		for _, v := range tensor.values {
			bits := math.Float32bits(float32(v))
			switch dtype {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, bits)
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(bits>>16))
			case "F16":
				f16 := uint16(bits >> 31 << 15)
				if bits<<1 != 0 {
					f16 |= uint16((bits>>23&0xff)-127+15)<<10 | uint16(bits>>13&0x3ff)
				}
				data = binary.LittleEndian.AppendUint16(data, f16)
			}
		}
		header[name] = map[string]any{"dtype": dtype, "shape": tensor.shape, "data_offsets": []int{start, len(data)}}
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

// tinyModel is a small model and its computation in float64.
type tinyModel struct {
	*naive
	run func(sequence) []float64
}

// tiny returns a small model of each family, with sizes that are no multiple of
// any vector width.
func tiny() map[string]tinyModel {
	names := map[string]string{"0": "entailment", "1": "neutral", "2": "contradiction"}
	newModel := func(family, class string, extra map[string]any) *naive {
		config := map[string]any{
			"model_type": family, "architectures": []string{class}, "id2label": names,
			"vocab_size": 23, "hidden_size": 20, "num_hidden_layers": 2, "num_attention_heads": 2,
			"intermediate_size": 27, "max_position_embeddings": 48, "layer_norm_eps": 1e-5, "norm_eps": 1e-5,
		}
		for key, value := range extra {
			config[key] = value
		}
		return newNaive(config)
	}
	bert := newModel("bert", "BertForSequenceClassification", nil)
	roberta := newModel("roberta", "RobertaForSequenceClassification", map[string]any{"type_vocab_size": 1, "pad_token_id": 1})
	hhem := newNaive(map[string]any{
		"model_type": "HHEMv2", "architectures": []string{"HHEMv2ForSequenceClassification"},
		"prompt": "<pad> Premise: {text1} Hypothesis: {text2}",
	})
	modern := newModel("modernbert", "ModernBertForSequenceClassification", map[string]any{
		"num_hidden_layers": 4, "global_attn_every_n_layers": 3, "local_attention": 6,
		"global_rope_theta": 3000.0, "local_rope_theta": 50.0, "classifier_pooling": "mean",
	})
	deberta := newModel("deberta-v2", "DebertaV2ForSequenceClassification", map[string]any{
		"relative_attention": true, "share_att_key": true, "norm_rel_ebd": "layer_norm", "position_biased_input": false,
		"pos_att_type": []string{"p2c", "c2p"}, "position_buckets": 8, "type_vocab_size": 0, "max_relative_positions": -1,
	})
	return map[string]tinyModel{
		"bert": {bert, bert.bert}, "roberta": {roberta, roberta.bert}, "t5": {hhem, hhem.hhem},
		"modernbert": {modern, modern.modernBERT}, "deberta": {deberta, deberta.deberta},
	}
}

// tinySequences returns sequences of several lengths, some with the padding token
// 1.
func tinySequences() []sequence {
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

// testTinyModels runs f for every family and data type with the directory of the
// model and the outputs of the naive computation for tinySequences.
func testTinyModels(t *testing.T, f func(t *testing.T, dir string, want [][]float64)) {
	t.Helper()
	for dtype, round := range map[string]func(float64) float64{"F32": toFloat32, "BF16": toBF16, "F16": toF16} {
		for family, tiny := range tiny() {
			t.Run(family+"/"+dtype, func(t *testing.T) {
				tiny.round = round
				var want [][]float64
				for _, s := range tinySequences() {
					want = append(want, tiny.run(s))
				}
				f(t, tiny.write(t, dtype), want)
			})
		}
	}
}

func compareRows(t *testing.T, name string, got [][]float32, want [][]float64) {
	t.Helper()
	var d deviation
	for i := range want {
		d.add(float64s(got[i]), want[i])
	}
	if t.Logf("%s: max difference %.2g", name, d.max); d.max > 1e-4 {
		t.Errorf("%s: max difference %.2g, want at most 1e-4", name, d.max)
	}
}

func TestNetworksMatchNaiveComputation(t *testing.T) {
	testTinyModels(t, func(t *testing.T, dir string, want [][]float64) {
		for _, kernelName := range kernelNames() {
			m := mustLoad(t, dir, Options{Kernel: kernelName, Threads: 2})
			got, err := m.classify(t.Context(), tinySequences())
			if err != nil {
				t.Fatal(err)
			}
			compareRows(t, kernelName, got, want)
		}
	})
}
