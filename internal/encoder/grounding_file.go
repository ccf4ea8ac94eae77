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

// A model for claims is one safetensors file, which training/export.py writes.
// Its metadata has
//
//   - format and version, as below;
//   - config, the sizes of the network, by the keys of a BERT's config.json;
//   - layout, the numbers of the layout that it was trained with;
//   - verdict, text that is not looked at here; it may be missing;
//   - sha256, in hexadecimal, of config, layout and verdict, a zero byte behind
//     each, and of all that follows the header.
//
// The tensor tokenizer has the bytes of tokenizer.json, the others are weights.
// A weight of type I8 has a scale for each row in the tensor of its name and
// ".scale". The inputs of a linear layer are first multiplied by the values of
// its "smooth", where there is such a tensor.
const (
	groundingFormat  = "ragfaith-grounding"
	groundingVersion = "1"
	tokenizerTensor  = "tokenizer"
)

// exportAgain says where a file that fits comes from.
const exportAgain = "export the weights with training/export.py of this version"

// groundingFile is such a file on its way to a model.
type groundingFile struct {
	*safetensors.File
	name string // for errors
	meta map[string]string
}

// readGrounding checks what the metadata says.
func readGrounding(file *safetensors.File, name string) (*groundingFile, error) {
	f := &groundingFile{file, name, make(map[string]string)}
	if format, _ := file.Metadata("format"); format != groundingFormat {
		return nil, fmt.Errorf("%s: is no grounding model: its metadata has the format %.40q, want %q; %s", name, format, groundingFormat, exportAgain)
	}
	if version, _ := file.Metadata("version"); version != groundingVersion {
		return nil, fmt.Errorf("%s: version %.40q of the format, this program reads version %s: take the program that the file belongs to, or %s", name, version, groundingVersion, exportAgain)
	}
	for _, key := range []string{"config", "layout", "sha256", "verdict"} {
		text, ok := file.Metadata(key)
		if !ok && key != "verdict" {
			return nil, fmt.Errorf("%s: metadata has no %s; %s", name, key, exportAgain)
		}
		f.meta[key] = text
	}
	return f, f.checkLayout()
}

// checkLayout refuses a model that was trained with another layout.
func (f *groundingFile) checkLayout() error {
	c, err := parseConfig(f.name+": layout", []byte(f.meta["layout"]))
	if err != nil {
		return err
	}
	numbers := []struct {
		key  string
		want int
	}{
		{"max_window", mostWindow},
		{"max_claim", mostClaim},
		{"akin_prefix", akinPrefix},
		{"cls", clsToken},
		{"sep", sepToken},
		{"types", tokenTypes},
	}
	for _, n := range numbers {
		if got := c.size(n.key, maxRows); c.err == nil && got != n.want {
			c.fail(n.key, "the model was trained with %d, this program has %d: take the program that the file belongs to, or train it with this version", got, n.want)
		}
	}
	return c.err
}

// sum returns the checksum of the contents.
func (f *groundingFile) sum() string {
	h := sha256.New()
	for _, key := range []string{"config", "layout", "verdict"} {
		h.Write(append([]byte(f.meta[key]), 0))
	}
	h.Write(f.Data())
	return hex.EncodeToString(h.Sum(nil))
}

// verify compares the checksum with what the file says.
func (f *groundingFile) verify() error {
	if sum := f.sum(); sum != f.meta["sha256"] {
		return fmt.Errorf("%s: is damaged: its sha256 is %s, and %.64q is what it was written with; fetch the file again, or %s", f.name, sum, f.meta["sha256"], exportAgain)
	}
	return nil
}

// network loads the network and its heads, but does not lay out weights of 8 bits.
func (f *groundingFile) network(w *weights) (*postNorm, *claimHeads, error) {
	c, err := parseConfig(f.name+": config", []byte(f.meta["config"]))
	if err != nil {
		return nil, nil, err
	}
	n := new(postNorm)
	s := c.post(n, 1e-12, 0)
	c.word("position_embedding_type", "absolute", "absolute")
	if longest := mostWindow + 2 + mostClaim + 1; s.positions < longest {
		c.fail("max_position_embeddings", "%d, but a window with a claim takes %d", s.positions, longest)
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
		at := layerName("blocks.", i)
		n.layers = append(n.layers, postLayer{
			qkv:     w.smoothed(at+"qkv", 3*s.width, s.width),
			out:     w.linear(s.width, w.part(at+"out", s.width, s.width, true)),
			attNorm: w.norm(at+"norm1", s.width, true),
			up:      w.smoothed(at+"up", s.inner, s.width),
			down:    w.linear(s.inner, w.part(at+"down", s.width, s.inner, true)),
			ffNorm:  w.norm(at+"norm2", s.width, true),
		})
	}
	h := &claimHeads{
		width:   s.width,
		hidden:  w.exact(3*s.width, w.part("hidden", s.width, 3*s.width, true)),
		classes: w.exact(s.width, w.part("classes", claimClasses, s.width, true)),
		token:   w.exact(s.width, w.part("token", 1, s.width, true)),
	}
	return n, h, w.err
}

// smoothed is normed, or linear with the layer's "smooth" where it has one.
func (w *weights) smoothed(name string, out, in int) *dense {
	part := w.part(name, out, in, true)
	if !w.has(name + ".smooth") {
		return w.normed(in, part)
	}
	d := w.linear(in, part)
	if smooth := w.vector(name+".smooth", in); d != nil {
		d.smooth = smooth
	}
	return d
}

// load makes a model of the file.
func (f *groundingFile) load(o Options) (*Grounding, error) {
	if o.Device != (Options{}).Device {
		return nil, fmt.Errorf("%s: a grounding model is computed by this program only, and not on %s", f.name, o.Device)
	}
	k, err := o.kernels()
	if err != nil {
		return nil, err
	}
	g := &Grounding{engine: newEngine(k, o), file: f.File, threads: o.Threads, verdict: f.meta["verdict"], digest: f.meta["sha256"]}
	w := &weights{dir: f.name, set: f.File, k: k, p: o.Precision, eight: true}
	n, heads, err := f.network(w)
	if err != nil {
		return nil, err
	}
	g.network, g.heads = n, heads
	t := f.Tensor(tokenizerTensor)
	if t == nil {
		return nil, fmt.Errorf("%s: tensor %q is missing; %s", f.name, tokenizerTensor, exportAgain)
	}
	text, err := t.Bytes()
	if err != nil {
		return nil, err
	}
	// These take the time that it is to open a model.
	var work errgroup.Group
	var damage, wrong error
	work.Go(func() error { damage = f.verify(); return nil })
	work.Go(func() error { wrong = g.readTokenizer(text, n.vocabulary()); return nil })
	g.pass.pool.For(len(w.layers), func(_ *kernel.Worker, i int) { w.layers[i].lay(k) })
	if err := errors.Join(work.Wait(), damage); err != nil {
		return nil, err
	}
	if wrong != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.name, tokenizerTensor, wrong)
	}
	return g, g.prepare(w, n)
}

// readTokenizer parses the tokenizer, to which no text spells a special token, and
// lists its pieces.
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
			return fmt.Errorf("want %s as the token %d", want, id)
		}
	}
	return nil
}
