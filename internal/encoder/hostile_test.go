package encoder

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

// A hostileModel is a golden model with one change, with which it must be rejected.
type hostileModel struct {
	model  string // directory of the golden model
	file   string // file to change
	at     string // path of a member in it, with slashes; "" replaces the file
	value  string // JSON of the new value; "" removes the member
	reason string // part of the error, in addition to the name of the file
}

// repeated returns a JSON value that begins and ends with strings repeated n times.
func repeated(before, middle, after string, n int) string {
	return strings.Repeat(before, n) + middle + strings.Repeat(after, n)
}

// items returns a Sequence of n times the same item.
func items(member, item string, n int) string {
	return `{"type":"Sequence","` + member + `":[` + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + `]}`
}

// hostileModels returns the corpus. Hostile weights in the format of torch.save are in
// the package checkpoint.
func hostileModels() []hostileModel {
	const config, tok, weights = configFile, tokenizerFile, "model.safetensors"
	const modules, pooling, limits = modulesFile, "1_Pooling/config.json", sentenceConfigFile
	long := strconv.Quote(strings.Repeat("a", 1<<20))
	split := func(regex string) string {
		return `{"type":"Split","pattern":{"Regex":` + regex + `},"behavior":"Isolated","invert":false}`
	}
	addedToken := `{"id":1,"content":"` + strings.Repeat("a", 1000) + `","normalized":true}`
	// deberta returns the configuration of a DeBERTa of width 16.
	deberta := func(layers, buckets int) string {
		return fmt.Sprintf(`{"model_type":"deberta-v2","architectures":["DebertaV2ForSequenceClassification"],
			"id2label":{"0":"entailment","1":"neutral"},"vocab_size":9,"hidden_size":16,"intermediate_size":16,"num_attention_heads":1,
			"relative_attention":true,"share_att_key":true,"position_biased_input":false,"pos_att_type":"c2p|p2c","norm_rel_ebd":"layer_norm",
			"num_hidden_layers":%d,"position_buckets":%d,"max_relative_positions":1000000,"max_position_embeddings":64}`, layers, buckets)
	}
	return []hostileModel{
		// Not an object.
		{"bert", config, "", ``, "EOF"},
		{"bert", config, "", `{"model_type":"bert"`, "EOF"},
		{"bert", config, "", repeated(`{"a":`, "1", "}", 1<<19), "depth"},
		{"bert", config, "", `{"model_type":"bert","model_type":"bert"}`, "duplicate"},
		{"bert", config, "", `"` + strings.Repeat("a", maxConfig) + `"`, "longer than"},
		// Sizes.
		{"bert", config, "hidden_size", `1e308`, "hidden_size"},
		{"bert", config, "num_attention_heads", `512`, "from 1 to 256"},
		{"bert", config, "intermediate_size", `300`, "intermediate_size"},
		{"modernbert", config, "intermediate_size", `400`, "intermediate_size"},
		{"roberta", config, "max_position_embeddings", `2`, "position_embeddings"},
		{"bert", config, "layer_norm_eps", `Infinity`, "layer_norm_eps"},
		{"bert", config, "hidden_act", long, "hidden_act"},
		{"bert", config, "model_type", long, "model_type"},
		{"bert", config, "architectures", `[` + long + `]`, "architectures"},
		{"deberta-v2", config, "", deberta(2, 200_000), "position_buckets"},
		{"deberta-v2", config, "", deberta(1000, 1000), "position_buckets"},
		{"hhem", config, "prompt", long, "prompt"},
		// Labels.
		{"bert", config, "id2label", `{"0":"entailment","1":"neutral","99999999":"contradiction"}`, "id2label"},
		{"bert", config, "id2label", `{"0":"entailment","1":` + long + `}`, `label "aaaa`},
		{"bert", config, "num_labels", `2000`, "num_labels"},
		// Sentence encoders.
		{"bert-sentence", modules, "1/type", long, "type"},
		{"bert-sentence", modules, "1/path", long, "path"},
		{"bert-sentence", limits, "max_seq_length", `1e12`, "max_seq_length"},
		{"bert", tokenizerConfigFile, "", `[1]`, "array"},
		// Tokenizers.
		{"bert", tok, "", ``, "EOF"},
		{"bert", tok, "", repeated(`{"model":`, "1", "}", 1<<20), "objects, the limit"},
		{"bert", tok, "model/type", long, "/model: type"},
		{"bert", tok, "model/vocab", `{` + long + `:0}`, "the limit is"},
		{"bert", tok, "pre_tokenizer", split(`"(a+)+$"`), "/pre_tokenizer: type \"Split\""},
		{"bert", tok, "pre_tokenizer", split(long), "/pre_tokenizer: type \"Split\""},
		{"bert", tok, "normalizer", `{"type":"Replace","pattern":{"String":"a"},"content":` + long + `}`, "/normalizer: type \"Replace\": content has"},
		{"bert", tok, "pre_tokenizer", repeated(`{"type":"Sequence","pretokenizers":[`, `{"type":"WhitespaceSplit"}`, "]}", 20_000), "max depth"},
		{"bert", tok, "post_processor", repeated(`{"type":"Sequence","processors":[`, `{"type":"ByteLevel"}`, "]}", 20_000), "max depth"},
		{"bert", tok, "", `{"model":[` + strings.Repeat("0,", 3<<20) + `0]}`, "3145728 values"},
		{"bert", tok, "normalizer", items("normalizers", `{"type":"NFC"}`, 2000), "/normalizer: more than 32 components"},
		{"bert", tok, "normalizer", items("normalizers", "null", 1<<19), "/normalizer: more than 32 components"},
		{"bert", tok, "pre_tokenizer", items("pretokenizers", `{"type":"WhitespaceSplit"}`, 2000), "/pre_tokenizer: more than 32 components"},
		{"bert", tok, "pre_tokenizer", items("pretokenizers", "null", 1<<19), "/pre_tokenizer: more than 32 components"},
		{"bert", tok, "post_processor", items("processors", "null", 1<<19), "/post_processor: more than 32 components"},
		{"bert", tok, "added_tokens", `[` + repeated(addedToken+",", addedToken, "", 600) + `]`, "/added_tokens: more than"},
		{"bert", tok, "post_processor", `{"type":"BertProcessing","sep":["[SEP]",99999],"cls":["[CLS]",2]}`, "99999"},
		{"bert", tok, "post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"X","type_id":0}}],"pair":[{"SpecialToken":{"id":"X","type_id":0}}],"special_tokens":{"X":{"id":"X","ids":[88888],"tokens":["X"]}}}`, "88888"},
		// Weights.
		{"bert", weights, "bert.embeddings.word_embeddings.weight", ``, "of the data, want"},
		{"bert", weights, "bert.embeddings.word_embeddings.weight/dtype", `"I64"`, "word_embeddings"},
		{"bert", weights, "classifier.bias/data_offsets", `[0,12]`, "of the data, want"},
	}
}

// setMember returns JSON in which the member at a path has another value, which may be
// invalid JSON, or is removed.
func setMember(t *testing.T, data []byte, at, value string) []byte {
	t.Helper()
	var root any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	const placeholder = "HOSTILE"
	node, names := root, strings.Split(at, "/")
	for i, name := range names {
		var child any = placeholder
		switch parent := node.(type) {
		case map[string]any:
			if i < len(names)-1 {
				child = parent[name]
			}
			if parent[name] = child; value == "" && child == placeholder {
				delete(parent, name)
			}
		case []any:
			k, _ := strconv.Atoi(name)
			if i < len(names)-1 {
				child = parent[k]
			}
			parent[k] = child
		}
		node = child
	}
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Replace(out, strconv.AppendQuote(nil, placeholder), []byte(value), 1)
}

// write creates the directory of the model.
func (h *hostileModel) write(t *testing.T) string {
	t.Helper()
	dir := copyGolden(t, h.model)
	path := filepath.Join(dir, h.file)
	data := []byte(h.value)
	if h.at != "" {
		data = readFile(t, path)
		if filepath.Ext(h.file) == ".json" {
			data = setMember(t, data, h.at, h.value)
		} else { // the header of safetensors
			n := 8 + binary.LittleEndian.Uint64(data)
			header := setMember(t, data[8:n], h.at, h.value)
			data = append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), data[n:]...)
		}
	}
	writeFile(t, dir, h.file, data)
	return dir
}

// Open rejects hostile models with an error that names the file and the member, without
// using memory that the size of the files does not justify.
func TestOpenRejectsHostileModels(t *testing.T) {
	for _, h := range hostileModels() {
		t.Run(fmt.Sprintf("%s/%s/%.40s=%.40s", h.model, h.file, h.at, h.value), func(t *testing.T) {
			dir := h.write(t) // contains the name of the test
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			o := goldenOptions(h.model)
			o.Threads = 1
			m, err := Open(dir, o)
			runtime.ReadMemStats(&after)
			if err == nil {
				m.Close()
				t.Fatal("got no error")
			}
			msg := strings.ReplaceAll(err.Error(), dir, "DIR")
			named := strings.Contains(msg, filepath.Base(h.file)) || strings.Contains(msg, `tensor "`)
			if !named || !strings.Contains(msg, h.reason) {
				t.Errorf("got error %.300q, want one that contains %s and %s", msg, h.file, h.reason)
			}
			if len(msg) > 1000 {
				t.Errorf("got an error of %d bytes, want at most 1000", len(msg))
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("got %d bytes allocated, want at most 64 MiB", allocated)
			}
		})
	}
}

// The sizes of a T5 model come from its tensors, and small tensors must not lead to large
// hidden states and biases.
func TestT5RejectsHostileShapes(t *testing.T) {
	for _, tt := range []struct {
		width, attn, inner, heads int
		want                      string
	}{
		{16, 128, 16, 4, "missing"}, // the other tensors
		{64, 512, 64, 512, "more than 256 heads"},
		{1, 4096, 16, 1, "unsupported widths: 1, 4096 and 16"},
		{4096, 1, 16, 1, "unsupported widths: 4096, 1 and 16"},
		{16, 16, 4096, 1, "unsupported widths: 16, 16 and 4096"},
	} {
		var entries []string
		size := 0
		for name, shape := range map[string][]int{
			"shared": {9, tt.width},
			"encoder.block.0.layer.0.SelfAttention.relative_attention_bias": {4, tt.heads},
			"encoder.block.0.layer.0.SelfAttention.q":                       {tt.attn, tt.width},
			"encoder.block.0.layer.1.DenseReluDense.wi_0":                   {tt.inner, tt.width},
		} {
			end := size + 4*shape[0]*shape[1]
			entries = append(entries, fmt.Sprintf(`"%s.weight":{"dtype":"F32","shape":[%d,%d],"data_offsets":[%d,%d]}`, name, shape[0], shape[1], size, end))
			size = end
		}
		header := "{" + strings.Join(entries, ",") + "}"
		dir := t.TempDir()
		file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		writeFile(t, dir, "model.safetensors", append(file, make([]byte, size)...))
		set, err := checkpoint.OpenDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		k, err := kernel.New("")
		if err != nil {
			t.Fatal(err)
		}
		w := &weights{set: set, kernels: k}
		if _, err := t5(w, ""); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got error %v, want one that contains %q", tt, err, tt.want)
		}
	}
}

// FuzzOpen checks that a changed configuration and tokenizer are either rejected or
// produce a model that runs.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"bert", "roberta", "deberta-v2", "modernbert", "hhem"} {
		f.Add(name, readFile(f, filepath.Join(goldenDir(name), configFile)), readTokenizerFile(f, name), "The [MASK] caf\u00e9 \xff 12")
	}
	f.Fuzz(func(t *testing.T, name string, config, tokenizer []byte, text string) {
		if !slices.Contains(goldenNames(), name) || len(text) > 1000 {
			return
		}
		dir := copyGolden(t, name)
		writeFile(t, dir, configFile, config)
		writeFile(t, dir, tokenizerFile, tokenizer)
		o := goldenOptions(name)
		o.Threads = 1
		m, err := Open(dir, o)
		if err != nil {
			return
		}
		defer m.Close()
		if m.Info().Kind != Classify && m.Info().Kind != HHEM {
			return
		}
		logits, err := m.Classify(t.Context(), []Pair{{text, "a"}})
		if err == nil && len(logits[0]) != len(m.Info().Labels) {
			t.Errorf("got %d logits, want %d", len(logits[0]), len(m.Info().Labels))
		}
	})
}
