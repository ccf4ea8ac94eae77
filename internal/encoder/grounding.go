package encoder

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/safetensors"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// A Grounding judges claims by windows of text: a BERT whose input is a window
// with all claims that are held against it, so that the window is computed once.
// Its methods may be called by many goroutines, whose passes through the network
// follow one another.
//
// What comes out for a claim depends on its text and its window alone: it is the
// same to the last bit whatever other claims and windows it is computed with,
// and however many threads do it.
type Grounding struct {
	engine
	file      *safetensors.File
	heads     *claimHeads
	tokenizer *tokenizer.Tokenizer
	pieces    []string // of the tokenizer, by their ids
	threads   int
	verdict   string
	digest    string
	precision kernel.Precision
}

// Group is a window of text, and claims to hold against it. Of a window the first
// 256 tokens count and of a claim the first 96: what follows is cut off.
type Group struct {
	Window string
	Claims []string
}

// Held is what a model makes of a claim and its window.
type Held struct {
	Logits [3]float32 // by the labels of Info: supported, not_mentioned, contradicted
	Tokens []TokenMark
}

// TokenMark is a token of a claim.
type TokenMark struct {
	Start, End  int     // bytes of the claim that it came from
	Unsupported float32 // logit of the window not supporting it
}

// OpenGrounding opens a model in a file, which training/export.py writes. Weights
// stay in the file as far as the kernels can use them there; it must not change
// until Close. A file of another format, version or layout, one that is damaged,
// and a tensor that is missing or of another shape are errors that say so.
//
// Options.Device must be none; Labels and Library mean nothing here.
//
// A file in 8 bits is computed in 8 bits as it is with Options.Precision Int8,
// and widened with Float32; one in float32 is quantised with Int8.
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

// ParseGrounding is OpenGrounding for a file in memory, which must not change.
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

// prepare makes the network int8 if it is to be and the file is not, and learns
// what Info tells.
func (g *Grounding) prepare(w *weights, n *postNorm) error {
	g.precision = w.p
	if w.p != kernel.Int8 {
		return nil
	}
	var rest []*dense
	for _, d := range w.layers {
		if d.parts != nil {
			rest = append(rest, d)
		}
	}
	if len(rest) > 0 {
		return g.quantise(context.Background(), rest, n.embed.positions.rows)
	}
	g.pass.precision = kernel.Int8
	return nil
}

// Close gives the file back, when the pass that may be under way is done. Calls
// that are not done with all their passes fail.
func (g *Grounding) Close() error { return g.close(g.file.Close) }

// Info describes the model. MaxTokens and Window are those of a window, with its
// specials.
func (g *Grounding) Info() Info {
	n := g.network.(*postNorm)
	return Info{
		Architecture: groundingFormat, Kind: Claims, Hidden: n.width, Layers: len(n.layers),
		Labels:    []string{"supported", "not_mentioned", "contradicted"},
		Meanings:  []Meaning{Supported, NotMentioned, Contradicted},
		MaxTokens: mostWindow + 2, Window: mostWindow + 2,
		Kernel: g.pass.pool.Kernels().Name(), Precision: g.precision,
	}
}

// Verdict returns the text that the file has for whoever makes verdicts of
// logits; "" if it has none.
func (g *Grounding) Verdict() string { return g.verdict }

// Digest returns the SHA-256 that the file states of its contents, in
// hexadecimal. It tells models apart.
func (g *Grounding) Digest() string { return g.digest }

// Count returns how many tokens a text is, without specials and with nothing cut
// off.
func (g *Grounding) Count(text string) int { return g.tokenizer.Count(text) }

// encode returns the tokens of a text without specials, most at most, and the
// bytes that each came from.
func (g *Grounding) encode(text string, most int) (ids []int32, offsets [][2]int, err error) {
	e, err := g.tokenizer.Encode(text, nil)
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
	hi = min(hi, lo+most)
	return e.IDs[lo:hi], e.Offsets[lo:hi], nil
}

// Embed returns an embedding of Hidden values for each text, of length 1: the
// mean of the last hidden values of a text as a window without claims. Of a text
// the first 256 tokens count.
func (g *Grounding) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	groups := make([]group, len(texts))
	err := g.each(ctx, len(texts), func(_ *marks, i int) error {
		ids, _, err := g.encode(texts[i], mostWindow)
		if err != nil {
			return fmt.Errorf("text %d: %w", i, err)
		}
		groups[i].begin(ids, 0, 0)
		return nil
	})
	if err != nil {
		return nil, err
	}
	result := make([][]float32, len(texts))
	width := g.heads.width
	unit := sentence{normalise: true}
	length := func(i int) int { return len(groups[i].ids) }
	return result, passes(longestFirst(len(groups), length), length, func(numbers []int) error {
		fill := func(b *batch) {
			for _, i := range numbers {
				b.add(groups[i].ids, groups[i].types)
			}
		}
		return g.once(ctx, false, fill, func(p *pass, hidden []float32) error {
			pooled, _ := p.pooled(meanOfTokens, hidden, width)
			for s, i := range numbers {
				result[i] = append([]float32(nil), pooled[s*width:(s+1)*width]...)
				unit.finish(result[i])
				if err := finite(result[i], i); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// each calls f for each of n inputs, several at a time, each time with marks that
// no other call has.
func (g *Grounding) each(ctx context.Context, n int, f func(m *marks, i int) error) error {
	work, ctx := errgroup.WithContext(ctx)
	pieces := max(1, min(g.threads, n))
	for w := range pieces {
		work.Go(func() error {
			m := &marks{pieces: g.pieces}
			for i := w; i < n; i += pieces {
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
	return work.Wait()
}
