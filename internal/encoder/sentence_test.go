package encoder

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const threeModules = `[
	{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
	{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
	{"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`

// encoderDir writes a small BERT in the layout of sentence-transformers.
func encoderDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, config := writeTiny(t, "bert")
	config["architectures"] = []string{"BertModel"}
	writeConfig(t, dir, config)
	if err := os.Mkdir(filepath.Join(dir, "1_Pooling"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		writeFile(t, dir, name, []byte(content))
	}
	return dir
}

func TestPoolingModes(t *testing.T) {
	seqs := tinySequences()
	embed := func(modules, pooling string) [][]float32 {
		dir := encoderDir(t, map[string]string{"modules.json": modules, "1_Pooling/config.json": pooling})
		got, err := mustLoad(t, dir, Options{Threads: 1}).compute(t.Context(), seqs)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	unnormalized := threeModules[:strings.LastIndex(threeModules, ",\n")] + "]"
	mean := embed(unnormalized, `{"pooling_mode_mean_tokens":true}`)
	normalized := embed(threeModules, `{"pooling_mode":"mean"}`)
	first := embed(unnormalized, `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":false}`)
	for i := range seqs {
		norm := 0.0
		for _, v := range mean[i] {
			norm += float64(v) * float64(v)
		}
		for c := range mean[i] {
			if want := float64(mean[i][c]) / math.Sqrt(norm); math.Abs(want-float64(normalized[i][c])) > 1e-6 {
				t.Errorf("text %d: got normalized value %v, want %v", i, normalized[i][c], want)
			}
			// Both modes agree for a single token.
			if len(seqs[i].ids) == 1 && mean[i][c] != first[i][c] {
				t.Errorf("text %d: got mean %v, first %v for one token; want equal values", i, mean[i][c], first[i][c])
			}
		}
	}
}

func TestSentenceEncoderRejectsUnsupportedModules(t *testing.T) {
	const mean = `{"pooling_mode_mean_tokens":true}`
	tests := []struct{ name, file, content, want string }{
		{"modules not a list", "modules.json", `{}`, "unmarshal JSON object"},
		{"truncated modules", "modules.json", `[`, "modules.json"},
		{"text after modules", "modules.json", `[],"modules":[]`, "modules.json"},
		{"no modules", "modules.json", `[]`, `type:path) "" are not supported`},
		{"dense layer", "modules.json", strings.Replace(threeModules, "models.Normalize", "models.Dense", 1), "Dense:2_Normalize"},
		{"pooling without transformer", "modules.json", `[{"path":"","type":"x.Pooling"}]`, `"Pooling:" are not`},
		{"module outside directory", "modules.json", strings.Replace(threeModules, "1_Pooling", "../1_Pooling", 1), "Pooling:../1_Pooling"},
		{"transformer in subdirectory", "modules.json", strings.Replace(threeModules, `"path":""`, `"path":"0_Transformer"`, 1), "Transformer:0_Transformer"},
		{"two pooling modes", "1_Pooling/config.json", `{"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":true}`, "pooling_mode_mean_tokens: unsupported combination"},
		{"no pooling mode", "1_Pooling/config.json", `{"pooling_mode_mean_tokens":false}`, "pooling_mode_mean_tokens"},
		{"weighted mean pooling", "1_Pooling/config.json", `{"pooling_mode_weightedmean_tokens":true}`, "pooling_mode_weightedmean_tokens: true"},
		{"unknown pooling mode", "1_Pooling/config.json", `{"pooling_mode":"max"}`, `pooling_mode: "max"`},
		{"prompt excluded from pooling", "1_Pooling/config.json", `{"include_prompt":false}`, "include_prompt: false"},
		{"zero max length", "sentence_bert_config.json", `{"max_seq_length":0}`, "max_seq_length: want an integer"},
		{"lower casing", "sentence_bert_config.json", `{"do_lower_case":true}`, "do_lower_case: true"},
		{"default prompt", "config_sentence_transformers.json", `{"default_prompt_name":"query"}`, `default_prompt_name: "query"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"modules.json": threeModules, "1_Pooling/config.json": mean}
			files[tt.file] = tt.content
			m, err := load(encoderDir(t, files), Options{Threads: 1})
			checkRejected(t, m, err, tt.want)
		})
	}
}

// The configured maximum length is limited to the number of position embeddings.
func TestSentenceEncoderLimitsMaxTokens(t *testing.T) {
	for config, want := range map[string]int{
		`{"max_seq_length":17}`: 17, `{"max_seq_length":4000}`: 160, `{"max_seq_length":null}`: 160,
	} {
		dir := encoderDir(t, map[string]string{
			"modules.json": threeModules, "1_Pooling/config.json": `{}`, "sentence_bert_config.json": config,
		})
		if got := mustLoad(t, dir, Options{Threads: 1}).Info().MaxTokens; got != want {
			t.Errorf("%s: got %d tokens, want %d", config, got, want)
		}
	}
}
