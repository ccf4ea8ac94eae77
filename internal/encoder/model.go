// Package encoder runs transformer encoders in pure Go. It reads a model in the
// layout of Hugging Face (config.json, tokenizer.json, and model.safetensors or
// pytorch_model.bin) and computes its output for texts.
//
// # Models
//
// The package supports text pair classifiers based on BERT, RoBERTa, XLM-RoBERTa,
// DeBERTa v2 and v3 and ModernBERT, ModernBERT token classifiers, HHEM-2.1-Open (a
// T5 encoder), and sentence encoders in the layout of sentence-transformers.
// Configuration values that affect the output are either supported or rejected
// with an error that names the key and the value.
//
// A [Grounding] is a BERT with a custom input layout and heads that checks many
// claims against one window of text. The model and its tokenizer are a single
// file, which can be embedded in a program.
//
// # Batches
//
// The texts of a call are sorted by length and computed in passes of about two
// thousand tokens, without padding. The output for a text is bit-identical
// regardless of batching and the number of threads.
//
// If Options.Device is set, ONNX Runtime computes the same networks. It pads texts
// of similar length to the same length, so the last digits of the output may
// depend on the batch.
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
	"runtime"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

const (
	configFile          = "config.json"
	tokenizerFile       = "tokenizer.json"
	tokenizerConfigFile = "tokenizer_config.json"
	sentenceConfigFile  = "sentence_bert_config.json"
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
	// Device selects ONNX Runtime, which computes in float32 and ignores Kernel.
	// The zero value computes in Go.
	Device ort.Device
	// Library is the ONNX Runtime library or a directory that contains it; ""
	// means to search the system's library path.
	Library string
	// Waiting, if set, is called with the context of a call before it waits for
	// another call to finish its pass; resume is called after the wait.
	Waiting func(ctx context.Context) (resume func())
}

// Kind is the task of a model. It determines which methods are supported.
type Kind string

// Model kinds and the methods that they support.
const (
	Classify Kind = "classify" // Model.Classify
	Tokens   Kind = "tokens"   // Model.Tokens
	Embed    Kind = "embed"    // Model.Embed
	HHEM     Kind = "hhem"     // Model.Classify
	Claims   Kind = "claims"   // Grounding.Judge
)

// Info describes a model.
type Info struct {
	Architecture string // as in config.json
	Kind         Kind
	Hidden       int // width of hidden states and embeddings
	Layers       int
	Labels       []string  // label names in the order of the logits
	Meanings     []Meaning // meaning of each label
	MaxTokens    int       // maximum sequence length with special tokens; 0 means no limit
	Window       int       // sequence length that the model was trained for; 0 means unknown
	Kernel       string    // name of the kernels, or of ONNX Runtime
	Precision    kernel.Precision
}

// A Model is a loaded model. Its methods are safe for concurrent use; passes through
// the network are serialized.
type Model struct {
	engine
	info     Info
	weights  *checkpoint.Set
	head     *head // nil for sentence encoders
	sentence *sentence
	prompt   *prompt // only for HHEM

	tokenizer *tokenizer.Tokenizer
	threads   int
	onnx      *onnxModel // nil unless ONNX Runtime is used
}

// Info describes the model.
func (m *Model) Info() Info {
	info := m.info
	info.Labels, info.Meanings = slices.Clone(info.Labels), slices.Clone(info.Meanings)
	return info
}

// Close waits for the current pass and releases the weights. Calls that need further
// passes fail.
func (m *Model) Close() error {
	return m.close(func() error {
		m.onnx.close()
		return m.weights.Close()
	})
}

// kernels returns the selected kernels and sets the default number of threads.
func (o *Options) kernels() (*kernel.Kernels, error) {
	k, err := kernel.New(o.Kernel)
	if err == nil && o.Threads < 0 {
		err = fmt.Errorf("invalid number of threads: %d", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return k, err
}

// load loads a model without its tokenizer.
func load(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir, configFile)
	if err != nil {
		return nil, err
	}
	return loadConfig(dir, c, o)
}

// loadConfig loads a model with the given configuration.
func loadConfig(dir string, c *config, o Options) (*Model, error) {
	k, err := o.kernels()
	if err != nil {
		return nil, err
	}
	set, err := checkpoint.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{engine: newEngine(k, o), weights: set, threads: o.Threads}
	m.info.Kernel, m.info.Precision = k.Name(), o.Precision
	w := &weights{dir: dir, set: set, kernels: k, precision: o.Precision}
	if o.Device != (ort.Device{}) {
		if o.Precision != kernel.Float32 {
			return nil, errors.Join(fmt.Errorf("device %s supports float32 only", o.Device), set.Close())
		}
		w.parts = make(map[*kernel.Linear][]kernel.Part)
	}
	err = m.build(dir, c, w, o.Labels)
	if err == nil && w.parts != nil {
		err = m.useONNX(w.parts, o)
	}
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	if o.Precision == kernel.Int8 {
		if err := m.quantize(context.Background(), w.layers, m.info.MaxTokens); err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return m, nil
}

// build loads the network and its head.
func (m *Model) build(dir string, c *config, w *weights, labelMap map[string]string) error {
	family, kind, err := m.detectFamily(dir, c)
	if err != nil {
		return err
	}
	m.info.Kind = kind
	if kind == Embed {
		if m.sentence, err = readSentence(dir); err != nil {
			return err
		}
	} else {
		m.info.Labels = []string{"hallucinated", "consistent"}
		if kind != HHEM {
			m.info.Labels = c.labels()
		}
		if c.err != nil {
			return c.err
		}
		if m.info.Meanings, err = meanings(m.info.Labels, labelMap); err != nil {
			return fmt.Errorf("%s: %w", c.file, err)
		}
	}
	if err := m.loadNetwork(c, w, family); err != nil {
		return err
	}
	if kind == Embed {
		return m.sentence.applyTo(&m.info)
	}
	m.head, err = w.head(c, family, kind, m.info.Hidden, len(m.info.Labels))
	return err
}

// loadNetwork loads the network of a family.
func (m *Model) loadNetwork(c *config, w *weights, family string) error {
	var post *postNorm
	var pre *preNorm
	var err error
	switch family {
	case "deberta-v2":
		post, m.info.Window, err = deberta(c, w, m.pass.pool)
	case "modernbert":
		pre, m.info.Window, err = modernBERT(c, w)
	case "t5":
		if m.prompt, err = readPrompt(c); err == nil {
			pre, err = t5(w)
		}
	default:
		post, m.info.MaxTokens, err = bert(c, w, family)
		m.info.Window = m.info.MaxTokens
	}
	switch {
	case err != nil:
		return err
	case post != nil:
		m.network, m.info.Hidden, m.info.Layers = post, post.width, len(post.layers)
	default:
		m.network, m.info.Hidden, m.info.Layers = pre, pre.width, len(pre.layers)
	}
	return nil
}
