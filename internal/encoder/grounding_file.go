package encoder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// A grounding model is one safetensors file, written by training/export.py. Its
// metadata contains
//
//   - format and version, the constants below;
//   - config, the sizes of the network under the keys of a BERT config.json;
//   - layout, the constants of the input layout used in training;
//   - verdict, optional parameters that this package passes through;
//   - sha256, in hexadecimal, of config, layout and verdict, each followed by a
//     zero byte, and of everything after the header.
//
// The tensor "tokenizer" holds tokenizer.json; all others are weights. A weight of
// type I8 has a scale per row in the tensor with the suffix ".scale". Inputs of a
// linear layer are multiplied by its tensor "smooth", if present.
const (
	groundingFormat  = "ragfaith-grounding"
	groundingVersion = "1"
	tokenizerTensor  = "tokenizer"
)

const exportHint = "export the weights with training/export.py of this version"

// groundingFile is an open grounding model file with validated metadata.
type groundingFile struct {
	*safetensors.File
	name string // file name used in errors
	meta map[string]string
}

// readGrounding reads and validates the metadata of a file.
func readGrounding(file *safetensors.File, name string) (*groundingFile, error) {
	f := &groundingFile{file, name, make(map[string]string)}
	if format, _ := file.Metadata("format"); format != groundingFormat {
		return nil, fmt.Errorf("%s: not a grounding model: format is %.40q, want %q; %s", name, format, groundingFormat, exportHint)
	}
	if version, _ := file.Metadata("version"); version != groundingVersion {
		return nil, fmt.Errorf("%s: unsupported format version %.40q, want %s: use the matching release of ragfaith, or %s", name, version, groundingVersion, exportHint)
	}
	for _, key := range []string{"config", "layout", "sha256", "verdict"} {
		text, ok := file.Metadata(key)
		if !ok && key != "verdict" {
			return nil, fmt.Errorf("%s: missing metadata %s; %s", name, key, exportHint)
		}
		f.meta[key] = text
	}
	return f, f.checkLayout()
}

// checkLayout rejects models trained with another input layout.
func (f *groundingFile) checkLayout() error {
	c, err := parseConfig(f.name+": layout", []byte(f.meta["layout"]))
	if err != nil {
		return err
	}
	constants := []struct {
		key  string
		want int
	}{
		{"max_window", maxWindowTokens},
		{"max_claim", maxClaimTokens},
		{"akin_prefix", minSharedPrefix},
		{"cls", clsToken},
		{"sep", sepToken},
		{"types", tokenTypes},
	}
	for _, constant := range constants {
		if got := c.size(constant.key, maxRows); c.err == nil && got != constant.want {
			c.fail(constant.key, "model was trained with %d, want %d: use the matching release of ragfaith, or train with this version", got, constant.want)
		}
	}
	return c.err
}

// sum returns the checksum of the contents, in hexadecimal.
func (f *groundingFile) sum() string {
	h := sha256.New()
	for _, key := range []string{"config", "layout", "verdict"} {
		h.Write(append([]byte(f.meta[key]), 0))
	}
	h.Write(f.Data())
	return hex.EncodeToString(h.Sum(nil))
}

// verify compares the checksum of the contents with the one in the metadata.
func (f *groundingFile) verify() error {
	if sum := f.sum(); sum != f.meta["sha256"] {
		return fmt.Errorf("%s: file is damaged: sha256 is %s, want %.64q; download it again, or %s", f.name, sum, f.meta["sha256"], exportHint)
	}
	return nil
}

// network loads the network and its heads. Layers stored as int8 are unusable until
// prepareInt8 is called.
func (f *groundingFile) network(w *weights) (*postNorm, *claimHeads, error) {
	c, err := parseConfig(f.name+": config", []byte(f.meta["config"]))
	if err != nil {
		return nil, nil, err
	}
	n := new(postNorm)
	s := c.readPostNorm(n, 1e-12, 0)
	c.oneOf("position_embedding_type", "absolute", "absolute")
	if need := maxWindowTokens + 2 + maxClaimTokens + 1; s.positions < need {
		c.fail("max_position_embeddings", "got %d, but a window with a claim needs %d", s.positions, need)
	}
	if c.err != nil {
		return nil, nil, c.err
	}
	n.embed = embeddings{
		words:     w.table("word.weight", s.vocabulary, s.width),
		positions: w.table("position.weight", s.positions, s.width),
		types:     w.table("mark.weight", tokenTypes, s.width),
		norm:      w.norm("norm", s.width, true),
	}
	for i := 0; i < s.layers && w.err == nil; i++ {
		layer := layerName("blocks.", i)
		n.layers = append(n.layers, postLayer{
			qkv:     w.smoothedLinear(layer+"qkv", 3*s.width, s.width),
			out:     w.linear(s.width, w.part(layer+"out", s.width, s.width, true)),
			attNorm: w.norm(layer+"norm1", s.width, true),
			up:      w.smoothedLinear(layer+"up", s.inner, s.width),
			down:    w.linear(s.inner, w.part(layer+"down", s.width, s.inner, true)),
			ffNorm:  w.norm(layer+"norm2", s.width, true),
		})
	}
	h := &claimHeads{
		width:   s.width,
		hidden:  w.float32Linear(3*s.width, w.part("hidden", s.width, 3*s.width, true)),
		classes: w.float32Linear(s.width, w.part("classes", claimClasses, s.width, true)),
		token:   w.float32Linear(s.width, w.part("token", 1, s.width, true)),
	}
	return n, h, w.err
}

// smoothedLinear loads a layer with the smoothing factors in the file, if any.
func (w *weights) smoothedLinear(name string, out, in int) *dense {
	part := w.part(name, out, in, true)
	if !w.has(name + ".smooth") {
		return w.normedLinear(in, part)
	}
	d := w.linear(in, part)
	if smooth := w.vector(name+".smooth", in); d != nil {
		d.smooth = smooth
	}
	return d
}

// load loads the model.
func (f *groundingFile) load(o Options) (*Grounding, error) {
	if o.Device != (Options{}).Device {
		return nil, fmt.Errorf("%s: grounding models do not support device %s", f.name, o.Device)
	}
	k, err := o.kernels()
	if err != nil {
		return nil, err
	}
	g := &Grounding{engine: newEngine(k, o), file: f.File, threads: o.Threads, verdict: f.meta["verdict"], digest: f.meta["sha256"]}
	w := &weights{dir: f.name, set: f.File, kernels: k, precision: o.Precision, allowInt8: true}
	n, heads, err := f.network(w)
	if err != nil {
		return nil, err
	}
	g.network, g.heads = n, heads
	t := f.Tensor(tokenizerTensor)
	if t == nil {
		return nil, fmt.Errorf("%s: missing tensor %q; %s", f.name, tokenizerTensor, exportHint)
	}
	text, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	// These steps dominate the time to open a model, so they run in parallel.
	var work errgroup.Group
	var sumErr, tokenizerErr error
	work.Go(func() error { sumErr = f.verify(); return nil })
	work.Go(func() error { tokenizerErr = g.readTokenizer(text, n.vocabulary()); return nil })
	g.pass.pool.For(len(w.layers), func(_ *kernel.Worker, i int) { w.layers[i].prepareInt8(k) })
	if err := errors.Join(work.Wait(), sumErr); err != nil {
		return nil, err
	}
	if tokenizerErr != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.name, tokenizerTensor, tokenizerErr)
	}
	return g, g.prepare(w, n)
}

// readTokenizer parses the tokenizer and reads its vocabulary. Special tokens that
// are spelled out in a text are split like other text.
func (g *Grounding) readTokenizer(text []byte, vocabulary int) error {
	t, err := tokenizer.Parse(text)
	if err != nil {
		return err
	}
	g.tokenizer = t.SplitSpecials()
	if g.pieces, err = g.tokenizer.Texts(vocabulary); err != nil {
		return err
	}
	for id, want := range map[int]string{clsToken: "[CLS]", sepToken: "[SEP]"} {
		if id >= vocabulary || g.pieces[id] != want {
			return fmt.Errorf("token %[2]d is not %[1]s", want, id)
		}
	}
	return nil
}
