// Package encoder runs transformer encoders in pure Go. It reads a model in the
// layout of Hugging Face (config.json, tokenizer.json, and model.safetensors or
// pytorch_model.bin) and computes its output for texts.
//
// # Models
//
// The package supports text pair classifiers based on BERT, RoBERTa, XLM-RoBERTa,
// DeBERTa v2 and v3 and ModernBERT, ModernBERT token classifiers, HHEM-2.1-Open (a
// T5 encoder), T5 models whose first output token is the class, and sentence encoders
// in the layout of sentence-transformers.
// Configuration values that affect the output are either supported or rejected
// with an error that names the key and the value.
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
	"io/fs"
	"os"
	"path/filepath"
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
	// Template combines a pair into one text: {text1} is the premise, {text2} the
	// hypothesis, and special tokens in between are recognized. "" means the template of
	// the model's files.
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
	m.onnx.close()
	return m.weights.Close()
}

// load loads a model without its tokenizer.
func load(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir, configFile)
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(o.Kernel)
	if err != nil {
		return nil, err
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	set, err := checkpoint.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{
		weights: set, onWait: o.Waiting, gate: make(chan struct{}, 1),
		pass: pass{pool: kernel.NewPool(k, o.Threads), precision: kernel.Float32},
	}
	m.info.Kernel, m.info.Precision = k.Name(), o.Precision
	w := &weights{dir: dir, set: set, kernels: k, precision: o.Precision}
	if o.Device != (ort.Device{}) {
		if o.Precision != kernel.Float32 {
			return nil, errors.Join(fmt.Errorf("device %s supports float32 only", o.Device), set.Close())
		}
		w.parts = make(map[*kernel.Linear][]kernel.Part)
	}
	err = m.build(dir, c, w, o)
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
func (m *Model) build(dir string, c *config, w *weights, o Options) error {
	_, err := os.Stat(filepath.Join(dir, modulesFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	family, kind, err := m.familyOf(c, err == nil, o)
	if err != nil {
		return err
	}
	m.info.Kind = kind
	if kind == Embed {
		if m.sentence, err = readSentence(dir); err != nil {
			return err
		}
	} else if err := m.readLabels(c, o); err != nil {
		if c.err != nil { // names the file
			return err
		}
		return fmt.Errorf("%s: %w", c.file, err)
	}
	if o.Template != "" {
		if m.template, err = parseTemplate(o.Template); err != nil {
			return fmt.Errorf("template: %w", err)
		}
	}
	if err := m.loadNetwork(c, w, family); err != nil {
		return err
	}
	if family == "t5" && kind == Classify {
		if w.parts != nil {
			return fmt.Errorf("device %s does not support models with a decoder", o.Device)
		}
		m.head = &head{pooling: eachToken}
		m.head.decoder, err = w.t5Decoder(m.network, o.LabelTokens)
		return err
	}
	if kind == Embed {
		m.head = &head{pooling: m.sentence.pooling, width: m.info.Hidden}
		m.sentence.applyTo(&m.info)
		return nil
	}
	m.head, err = w.head(c, family, kind, m.info.Hidden, len(m.info.Labels), o.Head)
	return err
}

// readLabels sets the labels of a classifier and their meanings.
func (m *Model) readLabels(c *config, o Options) (err error) {
	switch {
	case m.info.Kind == HHEM:
		m.info.Labels = []string{"hallucinated", "consistent"}
	case len(o.LabelTokens) > 0, o.Head != "":
		m.info.Labels = slices.Clone(o.LabelNames)
	default:
		m.info.Labels = c.labels()
		if n := len(m.info.Labels); o.LabelNames != nil && c.err == nil {
			if n != len(o.LabelNames) {
				return fmt.Errorf("has %d labels, want %d: %s", n, len(o.LabelNames), quoted(o.LabelNames))
			}
			m.info.Labels = slices.Clone(o.LabelNames)
		}
	}
	if c.err != nil {
		return c.err
	}
	m.info.Meanings, err = meanings(m.info.Labels, o.Labels)
	return err
}

// loadNetwork loads the network of a family.
func (m *Model) loadNetwork(c *config, w *weights, family string) error {
	var err error
	switch family {
	case "deberta-v2":
		m.network, m.info.Window, err = deberta(c, w, m.pass.pool)
	case "modernbert":
		m.network, m.info.Window, err = modernBERT(c, w)
	case "t5":
		prefix := ""
		if m.info.Kind == HHEM {
			prefix = "t5.transformer."
			m.template, err = readPrompt(c)
		} else {
			checkT5(c)
			err = c.err
		}
		if err == nil {
			m.network, err = t5(w, prefix)
		}
	default:
		m.network, m.info.MaxTokens, err = bert(c, w, family)
		m.info.Window = m.info.MaxTokens
	}
	if err == nil {
		m.info.Hidden, m.info.Layers = m.network.width, len(m.network.layers)
	}
	return err
}
