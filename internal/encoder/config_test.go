package encoder

import (
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
)

func TestLoadRejectsUnsupportedConfig(t *testing.T) {
	badSizes := []any{0, -1, 1.5, 1e18, "20", true, []int{1}}
	tests := []struct {
		family, key string
		values      []any
	}{
		{"bert", "hidden_act", []any{"relu", 3}},
		{"bert", "position_embedding_type", []any{"relative_key", "relative_key_query"}},
		{"bert", "is_decoder", []any{true, "no"}},
		{"bert", "layer_norm_eps", []any{0, -1e-5, 7, "1e-5"}},
		{"bert", "vocab_size", badSizes},
		{"bert", "hidden_size", badSizes},
		{"bert", "intermediate_size", badSizes},
		{"bert", "num_hidden_layers", badSizes},
		{"bert", "num_attention_heads", append([]any{3, 40}, badSizes...)},
		{"bert", "max_position_embeddings", badSizes},
		{"bert", "type_vocab_size", badSizes},
		{"bert", "model_type", []any{"gpt2", "", 5}},
		{"bert", "architectures", []any{[]string{"BertForMaskedLM"}, []string{"BertModel"}, []string{"RobertaForSequenceClassification"}, []string{}, "Bert"}},
		{"bert", "id2label", []any{map[string]string{"0": "entailment", "2": "neutral"}, "entailment", map[string][]int{"0": {1}}}},
		{"roberta", "pad_token_id", []any{-1, 161, 1e9, 0.5}},
		{"deberta", "relative_attention", []any{false}},
		{"deberta", "share_att_key", []any{false}},
		{"deberta", "norm_rel_ebd", []any{"batch_norm", "none"}},
		{"deberta", "position_biased_input", []any{true}},
		{"deberta", "pos_att_type", []any{[]string{"p2p", "c2p"}, "c2p|p2p", "c2p", []string{}, 7}},
		{"deberta", "position_buckets", []any{-1, 2, 1.5, 1e12, 126, "8", nil}},
		{"deberta", "max_relative_positions", []any{1e12, 1.5}},
		{"deberta", "conv_kernel_size", []any{3}},
		{"deberta", "embedding_size", []any{10}},
		{"deberta", "attention_head_size", []any{16}},
		{"deberta", "pooler_hidden_act", []any{"mish"}},
		{"deberta", "pooler_hidden_size", []any{10}},
		{"deberta", "type_vocab_size", []any{-1, 1.5}},
		{"modernbert", "hidden_activation", []any{"mish"}},
		{"modernbert", "classifier_activation", []any{"mish"}},
		{"modernbert", "classifier_pooling", []any{"max", 1}},
		{"modernbert", "attention_bias", []any{true}},
		{"modernbert", "mlp_bias", []any{true}},
		{"modernbert", "norm_bias", []any{true}},
		{"modernbert", "global_attn_every_n_layers", []any{0, -3, "3"}},
		{"modernbert", "local_attention", []any{0, 1, -8, 1e12}},
		{"modernbert", "global_rope_theta", []any{0, -1, 1e300, "big"}},
		{"modernbert", "local_rope_theta", []any{0, 1}},
		{"modernbert", "norm_eps", []any{0, 1}},
		{"modernbert", "rope_scaling", []any{map[string]any{"type": "linear", "factor": 2}}},
		{"modernbert", "layer_types", []any{[]string{"full_attention"}, []string{"full_attention", "chunked", "full_attention", "full_attention"}, "full"}},
		{"modernbert", "rope_parameters", []any{
			map[string]any{},
			map[string]any{"full_attention": map[string]any{"rope_theta": 5.0}},
			map[string]any{
				"full_attention":    map[string]any{"rope_theta": 5.0, "rope_type": "yarn"},
				"sliding_attention": map[string]any{"rope_theta": 5.0, "rope_type": "default"},
			},
			map[string]any{"full_attention": map[string]any{"rope_type": "default"}, "sliding_attention": map[string]any{"rope_theta": 5.0}},
			3,
		}},
		{"t5", "prompt", []any{"", "no placeholders", "{text1} {text1} {text2}", "{text1} {text2} {text3}", "{text2} {text1}", 4}},
	}
	dirs := map[string]string{}
	configs := map[string]map[string]any{}
	for family := range tiny() {
		dirs[family], configs[family] = writeTiny(t, family)
	}
	for _, tt := range tests {
		for _, value := range tt.values {
			t.Run(fmt.Sprintf("%s/%s=%v", tt.family, tt.key, value), func(t *testing.T) {
				config := maps.Clone(configs[tt.family])
				config[tt.key] = value
				writeConfig(t, dirs[tt.family], config)
				m, err := load(dirs[tt.family], Options{Threads: 1})
				checkRejected(t, m, err, tt.key)
			})
		}
	}
}

// checkRejected checks that a model was rejected with an error that contains each of want.
func checkRejected(t *testing.T, m *Model, err error, want ...string) {
	t.Helper()
	if err == nil {
		m.Close()
	}
	for _, s := range want {
		if err == nil || !strings.Contains(err.Error(), s) {
			t.Errorf("got error %v, want one that contains %q", err, s)
		}
	}
}

// Sizes are checked against the tensors before memory is allocated.
func TestLoadRejectsMismatchedSizes(t *testing.T) {
	dir, config := writeTiny(t, "bert")
	tests := []struct {
		key    string
		value  any
		tensor string
		want   string
	}{
		{"vocab_size", 1 << 24, "bert.embeddings.word_embeddings.weight", "want shape [16777216 16], got [259 16]"},
		{"hidden_size", 1 << 16, "bert.embeddings.word_embeddings.weight", "want shape [259 65536], got [259 16]"},
		{"intermediate_size", 256, "bert.encoder.layer.0.intermediate.dense.weight", "want shape [256 16], got [28 16]"},
		{"max_position_embeddings", 49, "bert.embeddings.position_embeddings.weight", "want shape [49 16], got [160 16]"},
		{"type_vocab_size", 3, "bert.embeddings.token_type_embeddings.weight", "want shape [3 16], got [2 16]"},
		{"num_hidden_layers", 1 << 10, "bert.encoder.layer.2.attention.self.query.weight", "missing"},
		{"id2label", map[string]string{"0": "entailment", "1": "neutral"}, "classifier.weight", "has 3 labels, config.json has 2"},
	}
	for _, tt := range tests {
		t.Run(tt.key, func(t *testing.T) {
			config := maps.Clone(config)
			config[tt.key] = tt.value
			writeConfig(t, dir, config)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			m, err := load(dir, Options{Threads: 1})
			runtime.ReadMemStats(&after)
			checkRejected(t, m, err, tt.tensor, tt.want)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 1<<20 {
				t.Errorf("got %d bytes allocated, want at most 1 MiB", allocated)
			}
		})
	}
}

func TestLoadRejectsMissingTensors(t *testing.T) {
	for family := range tiny() {
		complete, _ := writeTiny(t, family)
		set, err := checkpoint.OpenDir(complete)
		if err != nil {
			t.Fatal(err)
		}
		defer set.Close()
		for _, name := range set.Names() {
			dir, _ := writeTiny(t, family)
			rewriteWeights(t, dir, "F32", func(other string, values []float32) []float32 {
				if other == name {
					return nil
				}
				return values
			})
			m, err := load(dir, Options{Threads: 1})
			checkRejected(t, m, err, name)
		}
	}
}

// transformers 4 and 5 write the configuration of ModernBERT in different forms.
func TestModernBERTReadsBothConfigForms(t *testing.T) {
	for _, name := range []string{"modernbert", "modernbert-tokens"} {
		dir := copyGolden(t, name)
		writeFile(t, dir, configFile, readFile(t, filepath.Join(dir, "config.transformers5.json")))
		compareCases(t, mustLoad(t, dir, goldenOptions(name)), readGolden(t, name), kernel.Float32)
	}
}

func TestConfigUsesDefaultsOfTransformers(t *testing.T) {
	for family, keys := range map[string][]string{
		"bert":       {"layer_norm_eps"},
		"deberta":    {"pooler_hidden_act", "hidden_act", "max_relative_positions", "type_vocab_size"},
		"modernbert": {"norm_eps", "hidden_activation"},
	} {
		dir, config := writeTiny(t, family)
		for _, key := range keys {
			delete(config, key)
		}
		writeConfig(t, dir, config)
		mustLoad(t, dir, Options{Threads: 1})
	}
}
