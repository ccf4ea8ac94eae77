package encoder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// maxTokenizer is the longest tokenizer.json that is read, in bytes. That of a
// vocabulary of 250,000 pieces has 17 MB.
const maxTokenizer = 256 << 20

// Open reads the model in a folder: config.json, model.safetensors or its shards,
// tokenizer.json, and modules.json with what it names. Weights are mapped and not
// read; Close gives them back. An architecture that is not supported, a tensor
// that is missing or misshapen, and a file that is cut or was tampered with are
// errors that name it.
func Open(dir string, o Options) (*Model, error) {
	m, err := load(dir, o)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "tokenizer.json")
	data, err := readFile(path, maxTokenizer)
	if err == nil {
		if m.tokenizer, err = tokenizer.Parse(data); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// A Pair is a text and what is to be judged by it.
type Pair struct{ Premise, Hypothesis string }

// Classify returns a logit for each label of Info, a row for each pair. A pair
// that is longer than the model can read is cut, the longer text first; HHEM reads
// any length. It is an error on a model of another kind.
func (m *Model) Classify(ctx context.Context, pairs []Pair) ([][]float32, error) {
	if m.info.Kind != Classify && m.info.Kind != HHEM {
		return nil, m.wrongKind("classify pairs")
	}
	seqs := make([]sequence, len(pairs))
	for i, p := range pairs {
		e, err := m.pair(p)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
		seqs[i] = sequence{e.IDs, e.TypeIDs}
	}
	return m.classify(ctx, seqs)
}

// TokenLogits are the logits of the tokens of a pair, and where each comes from.
type TokenLogits struct {
	tokenizer.Encoding             // without the specials' rows, Offsets are {0, 0}
	Logits             [][]float32 // a logit for each label, a row for each token
}

// Tokens returns the logits of each token of each pair. It is an error on a model
// of another kind.
func (m *Model) Tokens(ctx context.Context, pairs []Pair) ([]TokenLogits, error) {
	if m.info.Kind != Tokens {
		return nil, m.wrongKind("classify tokens")
	}
	out, seqs := make([]TokenLogits, len(pairs)), make([]sequence, len(pairs))
	for i, p := range pairs {
		e, err := m.pair(p)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
		out[i].Encoding, seqs[i] = e, sequence{e.IDs, e.TypeIDs}
	}
	logits, err := m.tokens(ctx, seqs)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Logits = logits[i]
	}
	return out, nil
}

// Embed returns a vector of Info.Hidden values for each text, of length 1 where
// the model's modules say so. Longer texts than Info.MaxTokens are cut. It is an
// error on a model of another kind.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m.info.Kind != Embed {
		return nil, m.wrongKind("embed texts")
	}
	seqs := make([]sequence, len(texts))
	for i, text := range texts {
		e, err := m.tokenizer.Encode(text, m.truncation())
		if err != nil {
			return nil, fmt.Errorf("text %d: %w", i, err)
		}
		seqs[i] = sequence{e.IDs, e.TypeIDs}
	}
	return m.embed(ctx, seqs)
}

// Count is how many tokens a text has, without specials.
func (m *Model) Count(text string) int { return m.tokenizer.Count(text) }

// Specials is how many tokens of a pair belong to neither text.
func (m *Model) Specials() int {
	if m.prompt != nil {
		return m.tokenizer.Count(m.prompt.fill("", "")) + m.tokenizer.Specials(false)
	}
	return m.tokenizer.Specials(true)
}

// pair is a pair as the model reads it.
func (m *Model) pair(p Pair) (tokenizer.Encoding, error) {
	if m.prompt != nil {
		return m.tokenizer.Encode(m.prompt.fill(p.Premise, p.Hypothesis), nil)
	}
	return m.tokenizer.EncodePair(p.Premise, p.Hypothesis, m.truncation())
}

// truncation is to what the model can read, or to what it was made for where it
// could read more; nil for none.
func (m *Model) truncation() *tokenizer.Truncation {
	most := m.info.Window
	if m.info.MaxTokens > 0 {
		most = m.info.MaxTokens
	}
	if most == 0 {
		return nil
	}
	return &tokenizer.Truncation{MaxLength: most, Strategy: tokenizer.LongestFirst}
}

func (m *Model) wrongKind(what string) error {
	return fmt.Errorf("a model of the kind %q does not %s", m.info.Kind, what)
}
