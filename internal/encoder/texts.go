package encoder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// maxTokenizer is the longest tokenizer.json that is read, in bytes. That of a
// vocabulary of a quarter of a million pieces has some 20 MB.
const maxTokenizer = 256 << 20

// maxWindow is the longest window that a tokenizer's configuration can mean.
// Where there is no limit it has a number of thirty digits.
const maxWindow = 1 << 20

// Pair is a claim and the text that it is held against.
type Pair struct{ Premise, Hypothesis string }

// Tagged is a pair as tokens, and what the model says of each.
type Tagged struct {
	Logits   [][]float32 // a row a token, a value a label
	Offsets  [][2]int    // bytes of the text that a token came from; {0, 0} for an added special
	Sequence []int8      // 0: that text is the premise, 1: the hypothesis, -1: an added special
}

// Open opens the model in a folder. The weights stay in their file, which must
// not change until Close. An architecture, a setting or a label that is not
// supported, and a tensor that is missing or of another shape, are errors that
// name it.
func Open(dir string, o Options) (*Model, error) {
	path := filepath.Join(dir, tokenizerFile)
	m, err := load(dir, o)
	if err != nil {
		return nil, err
	}
	data, err := readFile(path, maxTokenizer)
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	t, err := tokenizer.Parse(data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), m.Close())
	}
	m.tokenizer = t.SplitSpecials()
	if err := m.readWindow(dir); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// readWindow narrows the window to what the tokenizer is set to, where it is.
func (m *Model) readWindow(dir string) error {
	c, err := readConfig(dir, tokenizerConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	v := 0.0
	if c.get("model_max_length", &v, "a number") && v >= 1 && v <= maxWindow {
		if m.info.Window == 0 || int(v) < m.info.Window {
			m.info.Window = int(v)
		}
	}
	return c.err
}

// Tokenizer returns the model's tokenizer, to which a text spells no special
// tokens.
func (m *Model) Tokenizer() *tokenizer.Tokenizer { return m.tokenizer }

// Length returns how many tokens a pair is, with specials, and with the prompt
// where the model has one.
func (m *Model) Length(p Pair) (int, error) {
	e, err := m.encodePair(p)
	return len(e.IDs), err
}

// Classify returns the logits of each pair, one a label of Info. Nothing is cut
// off: a pair of more than MaxTokens is an error.
func (m *Model) Classify(ctx context.Context, pairs []Pair) ([][]float32, error) {
	if err := m.want(Classify, HHEM); err != nil {
		return nil, err
	}
	encodings, err := m.encode(ctx, len(pairs), func(i int) (tokenizer.Encoding, error) { return m.encodePair(pairs[i]) })
	if err != nil {
		return nil, err
	}
	return m.classify(ctx, sequences(encodings))
}

// Tokens returns the logits of each token of each pair. Nothing is cut off: a
// pair of more than MaxTokens is an error.
func (m *Model) Tokens(ctx context.Context, pairs []Pair) ([]Tagged, error) {
	if err := m.want(Tokens); err != nil {
		return nil, err
	}
	encodings, err := m.encode(ctx, len(pairs), func(i int) (tokenizer.Encoding, error) { return m.encodePair(pairs[i]) })
	if err != nil {
		return nil, err
	}
	logits, err := m.tokens(ctx, sequences(encodings))
	if err != nil {
		return nil, err
	}
	tagged := make([]Tagged, len(pairs))
	for i, e := range encodings {
		tagged[i] = Tagged{logits[i], e.Offsets, e.Sequence}
	}
	return tagged, nil
}

// Embed returns an embedding of Hidden values for each text, normalised where
// modules.json says so. What goes beyond MaxTokens is cut off, and space around a
// text too, as sentence-transformers does.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := m.want(Embed); err != nil {
		return nil, err
	}
	var limit *tokenizer.Truncation
	if m.info.MaxTokens > 0 {
		limit = &tokenizer.Truncation{MaxLength: m.info.MaxTokens}
	}
	encodings, err := m.encode(ctx, len(texts), func(i int) (tokenizer.Encoding, error) {
		return m.tokenizer.Encode(strings.TrimFunc(texts[i], pythonSpace), limit)
	})
	if err != nil {
		return nil, err
	}
	return m.embed(ctx, sequences(encodings))
}

// pythonSpace tells whether str.strip of Python takes a character off.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// want refuses a call that the model is not for.
func (m *Model) want(kinds ...Kind) error {
	for _, kind := range kinds {
		if m.info.Kind == kind {
			return nil
		}
	}
	return fmt.Errorf("the model %s is of kind %q, want %q", m.info.Architecture, m.info.Kind, kinds[0])
}

func (m *Model) encodePair(p Pair) (tokenizer.Encoding, error) {
	if m.prompt != nil {
		return m.tokenizer.EncodePrompt(m.prompt.fill(p.Premise, p.Hypothesis), nil)
	}
	return m.tokenizer.EncodePair(p.Premise, p.Hypothesis, nil)
}

// encodeChunk is how many inputs are turned into tokens in one piece of work.
const encodeChunk = 16

// encode turns n inputs into tokens, several at a time, and checks that the
// network can take them.
func (m *Model) encode(ctx context.Context, n int, one func(i int) (tokenizer.Encoding, error)) ([]tokenizer.Encoding, error) {
	encodings := make([]tokenizer.Encoding, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(m.threads)
	for lo := 0; lo < n; lo += encodeChunk {
		group.Go(func() error {
			for i := lo; i < min(lo+encodeChunk, n); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				e, err := one(i)
				if err == nil {
					err = m.check(sequence{e.IDs, e.TypeIDs})
				}
				if err != nil {
					return fmt.Errorf("input %d: %w", i, err)
				}
				encodings[i] = e
			}
			return nil
		})
	}
	return encodings, group.Wait()
}

func sequences(encodings []tokenizer.Encoding) []sequence {
	seqs := make([]sequence, len(encodings))
	for i, e := range encodings {
		seqs[i] = sequence{e.IDs, e.TypeIDs}
	}
	return seqs
}
