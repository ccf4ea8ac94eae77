// Package encoder runs transformer encoders in pure Go. It reads a model in the
// layout of Hugging Face (config.json, tokenizer.json, and model.safetensors or
// pytorch_model.bin) and computes its output for texts.
//
// # Models
//
// The package supports text pair classifiers based on BERT, RoBERTa, XLM-RoBERTa, DeBERTa v2 and v3
// and ModernBERT, ModernBERT token classifiers, HHEM-2.1-Open (a T5 encoder), T5 models whose first
// output token is the class, and sentence encoders in the layout of sentence-transformers.
// Configuration values that affect the output are either supported or rejected with an error that
// names the key and the value.
//
// # Batches
//
// The texts of a call are sorted by length and computed in passes of about two
// thousand tokens, without padding. The output for a text is bit-identical
// regardless of batching and the number of threads.
//
// If Options.Device is set, ONNX Runtime computes the same networks. It pads texts of similar
// length to the same length, so the last digits of the output may depend on the batch.
//
// # Memory
//
// Float32 weights are used directly from the mapped file. In addition, a model
// allocates buffers for one pass or for its longest text, whichever is larger. Their
// size is linear in the length of the text.
package encoder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// Options configures how a model runs. The zero value selects float32, all
// processors and the fastest kernels.
type Options struct {
	Precision kernel.Precision
	Threads   int    // 0 means GOMAXPROCS
	Kernel    string // one of kernel.Names; "" means the fastest
	// Labels maps label names to supported, contradicted or not_mentioned. The
	// meaning of other labels is derived from their names.
	Labels map[string]string
	// Template combines a pair into one text: {text1} is the premise, {text2} the hypothesis, and
	// special tokens in between are recognized. "" means the template of the model's files.
	Template string
	// LabelNames replaces the names of the labels in config.json.
	LabelNames []string
	// LabelTokens are the output tokens that a T5 model with a decoder uses as labels.
	LabelTokens []int
	// Head is the linear layer that computes the logits of LabelNames from the pooled first
	// token, for models that are not saved as sequence classifiers. "" means the head of a
	// sequence classifier.
	Head string
	// Device selects ONNX Runtime, which computes in float32 and ignores Kernel.
	// The zero value computes in Go.
	Device ort.Device
	// Library is the ONNX Runtime library or a directory that contains it.
	Library string
	// Waiting, if set, is called with the context of a call before it waits for
	// another call to finish its pass; resume is called after the wait.
	Waiting func(ctx context.Context) (resume func())
}

// A Model is a loaded model. Its methods are safe for concurrent use; passes through
// the network are serialized.
type Model struct {
	network  *network
	info     Info
	weights  *checkpoint.Set
	head     *head
	sentence *sentence // nil for classifiers
	template *template // nil if the tokenizer combines pairs

	tokenizer *tokenizer.Tokenizer
	onnx      *onnxModel // nil unless ONNX Runtime is used

	onWait func(ctx context.Context) (resume func()) // optional, see Options.Waiting
	gate   chan struct{}                             // semaphore of size 1, held during a pass
	closed bool                                      // guarded by gate
	pass   pass                                      // guarded by gate
}

// Info describes the model.
func (m *Model) Info() Info {
	info := m.info
	info.Labels, info.Meanings = slices.Clone(info.Labels), slices.Clone(info.Meanings)
	return info
}

// Close waits for the current pass and releases the weights. Calls that need further
// passes fail. Later calls of Close do nothing.
func (m *Model) Close() error {
	m.gate <- struct{}{}
	defer m.release()
	if m.closed {
		return nil
	}
	m.closed, m.pass = true, pass{}
	if m.onnx != nil {
		m.onnx.session.Close()
		m.onnx.library.Close()
	}
	return m.weights.Close()
}

// acquire waits for the current pass to finish and starts another one, which release
// ends. It returns the error of ctx if that is done first, or an error after Close.
func (m *Model) acquire(ctx context.Context) error {
	select {
	case m.gate <- struct{}{}:
	default:
		if m.onWait != nil {
			defer m.onWait(ctx)()
		}
		select {
		case m.gate <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if m.closed {
		m.release()
		return errors.New("the model is closed")
	}
	return nil
}

func (m *Model) release() { <-m.gate }

// CheckConfig returns the error of Open for a model whose architecture is not supported.
// file is the name of its configuration in errors, data the content; sentence means that
// the model has a modules.json.
func CheckConfig(file string, data []byte, sentence bool, o Options) error {
	c, err := parseConfig(file, data)
	if err != nil {
		return err
	}
	_, _, err = new(Model).familyOf(c, sentence, o)
	return err
}

// familyOf returns the family and the kind of a model. sentence means that it has a modules.json.
func (m *Model) familyOf(c *config, sentence bool, o Options) (family string, kind Kind, err error) {
	var architectures []string
	c.get("architectures", &architectures, "a list of strings")
	family = c.text("model_type", "")
	if c.err != nil {
		return "", "", c.err
	}
	name := ""
	if len(architectures) > 0 {
		name = architectures[0]
	}
	m.info.Architecture = name
	if name == "HHEMv2ForSequenceClassification" {
		return "t5", HHEM, nil
	}
	if name == "T5ForConditionalGeneration" && family == "t5" {
		if len(o.LabelTokens) == 0 {
			return "", "", fmt.Errorf("%s: architectures: %s writes text; it can judge only if the tokens of its verdicts are known", c.file, name)
		}
		return "t5", Classify, nil
	}
	// The classes of transformers have the model type as their prefix.
	class, ok := map[string]string{
		"bert": "Bert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta",
		"deberta-v2": "DebertaV2", "modernbert": "ModernBert",
	}[family]
	if !ok {
		return "", "", fmt.Errorf("%s: model_type: %.100q is not supported; supported: bert, roberta, xlm-roberta, deberta-v2, modernbert, HHEMv2", c.file, family)
	}
	task, ok := strings.CutPrefix(name, class)
	switch {
	case !ok && name != "":
		return "", "", fmt.Errorf("%s: architectures: %.100q does not match model_type %q", c.file, name, family)
	case o.Head != "" && (family == "bert" || family == "roberta"), task == "ForSequenceClassification":
		return family, Classify, nil
	case task == "ForTokenClassification" && family == "modernbert":
		return family, Tokens, nil
	case sentence:
		return family, Embed, nil
	}
	return "", "", fmt.Errorf("%s: architectures: %.100q is not supported; supported: sequence classifiers, ModernBERT token classifiers, and sentence encoders with %s", c.file, name, modulesFile)
}

// A template combines a pair of texts into one text: its pieces are before, between and
// after them. Special tokens in the pieces are recognized.
type template [3]string
