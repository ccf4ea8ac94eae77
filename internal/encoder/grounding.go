package encoder

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// A Grounding is a model that predicts whether windows of text support claims. It
// is a BERT whose input is a window followed by several claims, so that the window
// is computed once. Its methods are safe for concurrent use; passes through the
// network are serialized.
//
// The output for a claim depends only on its text and its window. It is
// bit-identical regardless of batching and the number of threads.
type Grounding struct {
	engine
	file      *safetensors.File
	heads     *claimHeads
	tokenizer *tokenizer.Tokenizer
	pieces    []string // vocabulary of the tokenizer, by token id
	threads   int
	verdict   string
	digest    string
	precision kernel.Precision
}

// A Group is a window of text and the claims to check against it. The window is
// truncated to 256 tokens and each claim to 96.
type Group struct {
	Window string
	Claims []string
}

// ClaimOutput holds the logits of a claim, given its window.
type ClaimOutput struct {
	Logits [3]float32 // in the order of Info.Labels: supported, not_mentioned, contradicted
	Tokens []TokenLogit
}

// A TokenLogit is the output for one token of a claim.
type TokenLogit struct {
	Start, End  int     // byte range in the claim
	Unsupported float32 // logit of the token being unsupported by the window
}

// OpenGrounding opens a model file written by training/export.py. The file is
// memory-mapped, so it must not change until Close. OpenGrounding returns an error
// for files of another format, version or layout, damaged files, and missing or
// misshapen tensors.
//
// Options.Device must be unset; Labels and Library are ignored.
//
// With Int8, weights stored as int8 are used unchanged and float32 weights are
// quantized. With Float32, int8 weights are converted to float32.
func OpenGrounding(path string, o Options) (*Grounding, error) {
	file, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	g, err := newGrounding(file, path, o)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return g, nil
}

// ParseGrounding is like OpenGrounding for a file in memory. data must not be
// modified.
func ParseGrounding(data []byte, o Options) (*Grounding, error) {
	const name = "grounding model"
	file, err := safetensors.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return newGrounding(file, name, o)
}

func newGrounding(file *safetensors.File, name string, o Options) (*Grounding, error) {
	f, err := readGrounding(file, name)
	if err != nil {
		return nil, err
	}
	return f.load(o)
}

// prepare selects the precision of the network and, for int8, quantizes the layers
// that are stored as float32.
func (g *Grounding) prepare(w *weights, n *postNorm) error {
	g.precision = w.precision
	if w.precision != kernel.Int8 {
		return nil
	}
	var floats []*dense
	for _, d := range w.layers {
		if d.parts != nil {
			floats = append(floats, d)
		}
	}
	if len(floats) > 0 {
		return g.quantize(context.Background(), floats, n.embed.positions.rows)
	}
	g.pass.precision = kernel.Int8
	return nil
}

// Close waits for the current pass and closes the file. Calls that need further
// passes fail.
func (g *Grounding) Close() error { return g.close(g.file.Close) }

// Info describes the model. MaxTokens and Window apply to a window, including
// special tokens.
func (g *Grounding) Info() Info {
	n := g.network.(*postNorm)
	return Info{
		Architecture: groundingFormat, Kind: Claims, Hidden: n.width, Layers: len(n.layers),
		Labels:    []string{"supported", "not_mentioned", "contradicted"},
		Meanings:  []Meaning{Supported, NotMentioned, Contradicted},
		MaxTokens: maxWindowTokens + 2, Window: maxWindowTokens + 2,
		Kernel: g.pass.pool.Kernels().Name(), Precision: g.precision,
	}
}

// Verdict returns the verdict parameters stored in the file, or "".
func (g *Grounding) Verdict() string { return g.verdict }

// Digest returns the hexadecimal SHA-256 stored in the file, which identifies the
// model.
func (g *Grounding) Digest() string { return g.digest }

// Count returns the number of tokens of text, without special tokens or
// truncation.
func (g *Grounding) Count(text string) int { return g.tokenizer.Count(text) }

// encode returns the first limit tokens of a text, without special tokens, and their
// byte ranges.
func (g *Grounding) encode(text string, limit int) (ids []int32, offsets [][2]int, err error) {
	e, err := g.tokenizer.Encode(text, 0)
	if err != nil {
		return nil, nil, err
	}
	lo, hi := 0, len(e.IDs)
	for lo < hi && e.Sequence[lo] < 0 {
		lo++
	}
	for hi > lo && e.Sequence[hi-1] < 0 {
		hi--
	}
	hi = min(hi, lo+limit)
	return e.IDs[lo:hi], e.Offsets[lo:hi], nil
}

// Embed returns an embedding for each text, a unit vector of Info.Hidden values.
// It is the mean of the last hidden values for the text as a window without
// claims. Texts are truncated to 256 tokens.
func (g *Grounding) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	seqs := make([]tokenSequence, len(texts))
	err := g.forEachInput(ctx, len(texts), func(_ *wordMatcher, i int) error {
		ids, _, err := g.encode(texts[i], maxWindowTokens)
		if err != nil {
			return fmt.Errorf("text %d: %w", i, err)
		}
		seqs[i].start(ids, 0, 0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	result := make([][]float32, len(texts))
	width := g.heads.width
	normalizer := sentence{unitLength: true}
	length := func(i int) int { return len(seqs[i].ids) }
	return result, forEachPass(byLengthDescending(len(seqs), length), length, func(indices []int) error {
		fill := func(b *batch) {
			for _, i := range indices {
				b.add(seqs[i].ids, seqs[i].types)
			}
		}
		return g.runPass(ctx, false, fill, func(p *pass, hidden []float32) error {
			pooled, _ := p.poolRows(meanOfTokens, hidden, width)
			for s, i := range indices {
				result[i] = slices.Clone(pooled[s*width : (s+1)*width])
				normalizer.normalize(result[i])
				if err := checkFinite(result[i], i); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// forEachInput calls f for n inputs on up to g.threads goroutines, each with its own
// wordMatcher.
func (g *Grounding) forEachInput(ctx context.Context, n int, f func(m *wordMatcher, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := max(1, min(g.threads, n))
	for w := range workers {
		group.Go(func() error {
			m := &wordMatcher{pieces: g.pieces}
			for i := w; i < n; i += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f(m, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
