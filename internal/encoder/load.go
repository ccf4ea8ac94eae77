package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// maxTokenizer limits the size of tokenizer.json in bytes. A file with a
// vocabulary of 250,000 pieces takes 20 to 35 MB.
const maxTokenizer = 64 << 20

// maxModelLength is the largest plausible model_max_length. Larger values are ignored: transformers
// writes a number of thirty digits if the length is unlimited.
const maxModelLength = 1 << 20

// Open opens the model in dir. The weights are memory-mapped, so the files must
// not change until Close. Open returns an error for unsupported architectures,
// options and labels, and for missing or misshapen tensors.
func Open(dir string, o Options) (*Model, error) {
	path := filepath.Join(dir, tokenizerFile)
	m, err := load(dir, o)
	if err != nil {
		return nil, err
	}
	data, err := safefile.ReadFile(path, maxTokenizer)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	t, err := tokenizer.Parse(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %.500s", path, err.Error()), m.Close())
	}
	m.tokenizer = t.SplitSpecials()
	if err := m.checkTokenizer(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.Close())
	}
	if err := m.readWindow(dir); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
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
	if o.Device != ort.None {
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
		limit := cmp.Or(m.sentence.maxLength, m.info.Window)
		if m.info.MaxTokens != 0 {
			limit = min(limit, m.info.MaxTokens)
		}
		m.info.MaxTokens, m.info.Window = limit, limit
		return nil
	}
	m.head, err = w.head(c, family, kind, m.info.Hidden, len(m.info.Labels), o.Head)
	return err
}

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
			if m.template, err = parseTemplate(c.text("prompt", hhemPrompt)); err != nil {
				c.fail("prompt", "%v", err)
			}
		} else {
			checkT5(c)
		}
		if err = c.err; err == nil {
			m.network, err = t5(w, prefix)
		}
	default:
		m.network, m.info.MaxTokens, err = bert(c, w, family)
		m.info.Window = m.info.MaxTokens
	}
	if err == nil {
		m.info.Hidden = m.network.width
	}
	return err
}

// passTokensOnGPU is the GPU's counterpart of passTokens. It is larger because a GPU
// computes thousands of rows in parallel.
const passTokensOnGPU = 16384

// useONNX builds the ONNX graph of the model and opens a session for it. parts
// contains the weights of the linear layers.
func (m *Model) useONNX(parts map[*kernel.Linear][]kernel.Part, o Options) error {
	g := newGraphBuilder(parts)
	d := &onnxModel{maxTokens: passTokens}
	if o.Device.IsGPU() {
		d.maxTokens = passTokensOnGPU
	}
	hidden := m.network.buildGraph(g)
	g.Output(m.head.buildGraph(g, hidden))
	d.feeds = g.feeds
	var err error
	if d.library, err = ort.Open(o.Library); err != nil {
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	if d.session, err = d.library.Session(&g.Graph, o.Device); err != nil {
		d.library.Close()
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	m.onnx = d
	m.info.Kernel = fmt.Sprintf("ONNX Runtime %s on %s", d.library.Version(), o.Device)
	return nil
}

// Calibration uses random token sequences, because which inputs are large depends on
// the model much more than on the text.
const (
	calibrationSequences = 6
	calibrationTokens    = 64
)

// quantize converts the layers of a network loaded in float32 to int8. maxTokens
// limits the length of calibration sequences; 0 means no limit.
func (m *Model) quantize(ctx context.Context, layers []*dense, maxTokens int) error {
	r := rand.New(rand.NewPCG(1, 2))
	n := calibrationTokens
	if maxTokens > 0 {
		n = min(n, maxTokens)
	}
	ids := make([]int32, n)
	for range calibrationSequences {
		for i := range ids {
			ids[i] = r.Int32N(int32(m.network.embed.words.rows))
		}
		m.pass.add(ids, make([]int32, n))
	}
	p := &m.pass
	if _, err := m.network.forward(ctx, p); err != nil {
		return err
	}
	p.pool.For(len(layers), func(_ *kernel.Worker, i int) { layers[i].quantize(p.pool.Kernels()) })
	m.network.fold()
	p.precision = kernel.Int8
	return nil
}

// checkTokenizer checks that the network accepts the ids of the vocabulary and the ids
// and types that the post-processor inserts.
func (m *Model) checkTokenizer() error {
	last := m.tokenizer.MaxID()
	if last < 0 {
		return errors.New("/model/vocab: has no tokens")
	}
	if err := m.network.embed.check([]int32{last}, []int32{0}); err != nil {
		return fmt.Errorf("/model/vocab: %w", err)
	}
	e, err := m.encodePair(Pair{"a", "a"})
	if m.info.Kind == Embed {
		e, err = m.tokenizer.Encode("a", 0)
	}
	if err == nil { // the vocabulary may lack "a"
		err = m.network.embed.check(e.IDs, e.TypeIDs)
		if err != nil {
			err = fmt.Errorf("/post_processor: %w", err)
		}
	}
	if errors.Is(err, tokenizer.ErrNoUnknownToken) {
		return nil
	}
	return err
}

// readWindow lowers the window to the maximum length of the tokenizer. HHEM ignores that
// length: it is that of its base model, and its inference code does not truncate.
func (m *Model) readWindow(dir string) error {
	if m.info.Kind == HHEM {
		return nil
	}
	c, err := readOptional(dir, tokenizerConfigFile)
	if err != nil {
		return err
	}
	if v := optional(c, "model_max_length", 0.0, "a number"); v >= 1 && v <= maxModelLength {
		m.info.Window = min(cmp.Or(m.info.Window, maxModelLength), int(v))
	}
	return c.err
}
