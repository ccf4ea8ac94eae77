// Package encoder runs transformer encoders: it reads a folder with a model as
// Hugging Face lays it out (config.json, model.safetensors, tokenizer.json) and
// computes what the model makes of texts, without any other software.
//
// # Models
//
// BERT, RoBERTa, XLM-RoBERTa, DeBERTa v2 and v3 and ModernBERT that classify
// pairs of texts; ModernBERT that classifies tokens; HHEM-2.1-Open, which is the
// encoder of T5; and encoders of sentences in the layout of
// sentence-transformers. Whatever in a configuration changes the numbers is
// either followed or refused by an error that names the key and the value.
//
// A Grounding is a BERT with an input and heads of its own, which judges many
// claims by one window of text. It lies in one file, with its tokenizer, that may
// be part of the program.
//
// # Batches
//
// The texts of a call are sorted by length and computed some thousand tokens at
// a time, without padding. What is computed for a text is the same to the last
// bit whatever it is computed with, and however many threads do it.
//
// With Options.Device the same networks are computed by ONNX Runtime, a library
// that this program loads: texts of about the same length are then padded to one,
// and the last digits may depend on what a text is computed with.
//
// # Memory
//
// Weights in float32 are used where they lie in the mapped file. What a call
// takes besides is bounded by the thousands of tokens at a time, or by the
// longest text, in proportion to its length.
package encoder

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// The names of a model's files in its folder, beside those of its weights.
const (
	configFile          = "config.json"
	tokenizerFile       = "tokenizer.json"
	tokenizerConfigFile = "tokenizer_config.json"
	sentenceConfigFile  = "sentence_bert_config.json"
)

// Options say how a model is run. The zero value is float32 on all processors
// with the fastest kernels.
type Options struct {
	Precision kernel.Precision
	Threads   int    // 0: as many as the Go runtime uses
	Kernel    string // a name of kernel.Names; "" is the fastest
	// Labels gives labels a meaning by their names: supported, contradicted or
	// not_mentioned. Labels that it lacks mean what their names say.
	Labels map[string]string
	// Device is where to compute with ONNX Runtime, in float32 and whatever Kernel
	// says; none is to compute in this program.
	Device ort.Device
	// Library is the file of ONNX Runtime, or a folder with it; "" is to look for it
	// where the system looks for libraries.
	Library string
	// Waiting, where it is set, is called before a call waits for its turn at the
	// model, with the context of the call, and what it returns after that.
	Waiting func(ctx context.Context) (resume func())
}

// Kind is what a model does, and which of its methods may be called.
type Kind string

// The kinds of models.
const (
	Classify Kind = "classify" // Model.Classify
	Tokens   Kind = "tokens"   // Model.Tokens
	Embed    Kind = "embed"    // Model.Embed
	HHEM     Kind = "hhem"     // Model.Classify
	Claims   Kind = "claims"   // of a Grounding
)

// Info describes a model.
type Info struct {
	Architecture string // as in config.json
	Kind         Kind
	Hidden       int // values of a token between layers, and of an embedding
	Layers       int
	Labels       []string  // in the order of logits
	Meanings     []Meaning // of the labels
	MaxTokens    int       // the longest sequence that is possible, specials included; 0: there is no such limit
	Window       int       // the longest sequence that the model was made for; 0: not known
	Kernel       string    // the name of the kernels, or of the library that computes in their place
	Precision    kernel.Precision
}

// A Model is ready to run. Its methods may be called by many goroutines, whose
// passes through the network follow one another.
type Model struct {
	engine
	info     Info
	weights  *safetensors.Set
	head     *head // nil: embeddings
	sentence *sentence
	prompt   *prompt // of HHEM, else nil

	tokenizer *tokenizer.Tokenizer
	threads   int
	graph     *graph // where ONNX Runtime computes, else nil
}

// Info describes the model.
func (m *Model) Info() Info {
	info := m.info
	info.Labels, info.Meanings = slices.Clone(info.Labels), slices.Clone(info.Meanings)
	return info
}

// Close gives the weights back, when the pass that may be under way is done.
// Calls that are not done with all their passes fail.
func (m *Model) Close() error {
	return m.close(func() error {
		m.graph.close()
		return m.weights.Close()
	})
}

// kernels returns the kernels to compute with, and sets the number of threads
// where it is left to the program.
func (o *Options) kernels() (*kernel.Kernels, error) {
	k, err := kernel.New(o.Kernel)
	if err == nil && o.Threads < 0 {
		err = fmt.Errorf("%d threads", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	return k, err
}

// load opens a model but for its tokenizer.
func load(dir string, o Options) (*Model, error) {
	c, err := readConfig(dir, configFile)
	if err != nil {
		return nil, err
	}
	return loadAs(dir, c, o)
}

// loadAs is load with a configuration that was read before.
func loadAs(dir string, c *config, o Options) (*Model, error) {
	k, err := o.kernels()
	if err != nil {
		return nil, err
	}
	set, err := safetensors.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{engine: newEngine(k, o), weights: set, threads: o.Threads}
	m.info.Kernel, m.info.Precision = k.Name(), o.Precision
	w := &weights{dir: dir, set: set, k: k, p: o.Precision}
	if o.Device != (ort.Device{}) {
		if o.Precision != kernel.Float32 {
			return nil, errors.Join(fmt.Errorf("%s computes in float32 only", o.Device), set.Close())
		}
		w.parts = make(map[*kernel.Linear][]kernel.Part)
	}
	err = m.build(dir, c, w, o.Labels)
	if err == nil && w.parts != nil {
		err = m.hand(w.parts, o)
	}
	if err != nil {
		return nil, errors.Join(err, set.Close())
	}
	if o.Precision == kernel.Int8 {
		if err := m.quantise(context.Background(), w.layers, m.info.MaxTokens); err != nil {
			return nil, errors.Join(err, set.Close())
		}
	}
	return m, nil
}

// build makes the network and the head that the configuration asks for.
func (m *Model) build(dir string, c *config, w *weights, given map[string]string) error {
	family, kind, err := m.identify(dir, c)
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
		if m.info.Meanings, err = meanings(m.info.Labels, given); err != nil {
			return fmt.Errorf("%s: %w", c.file, err)
		}
	}
	if err := m.grow(c, w, family); err != nil {
		return err
	}
	if kind == Embed {
		return m.sentence.fit(&m.info)
	}
	m.head, err = w.head(c, family, kind, m.info.Hidden, len(m.info.Labels))
	return err
}

// grow loads the network of a family.
func (m *Model) grow(c *config, w *weights, family string) error {
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
