package encoder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// A Pair is a claim, Hypothesis, and the text to check it against, Premise.
type Pair struct{ Premise, Hypothesis string }

// Tagged is the output of Model.Tokens for a pair.
type Tagged struct {
	Logits   [][]float32 // indexed by token and label
	Offsets  [][2]int    // byte range of each token in its text; {0, 0} for special tokens
	Sequence []int8      // source of each token: 0 for the premise, 1 for the hypothesis, -1 for special tokens
}

// Count returns the number of tokens of a text without special tokens. A special token that
// is spelled out in the text, such as [SEP], counts as plain text.
func (m *Model) Count(text string) int { return m.tokenizer.Count(text) }

// Specials returns the length of a pair of empty texts.
func (m *Model) Specials() int {
	n, _ := m.Length(Pair{}) // 0 on error
	return n
}

// Length returns the number of tokens of a pair, including special tokens and the template.
func (m *Model) Length(p Pair) (int, error) {
	e, err := m.encodePair(p)
	return len(e.IDs), err
}

// Classify returns the logits of each pair, in the order of Info.Labels. It does not
// truncate pairs: a pair longer than MaxTokens is an error.
func (m *Model) Classify(ctx context.Context, pairs []Pair) ([][]float32, error) {
	_, logits, err := evaluate(ctx, m, pairs, m.encodePair, Classify, HHEM)
	return logits, err
}

// Tokens returns the logits of each token of each pair. It does not truncate
// pairs: a pair longer than MaxTokens is an error.
func (m *Model) Tokens(ctx context.Context, pairs []Pair) ([]Tagged, error) {
	encodings, logits, err := evaluate(ctx, m, pairs, m.encodePair, Tokens)
	if err != nil {
		return nil, err
	}
	tagged := make([]Tagged, len(pairs))
	for i, e := range encodings {
		tagged[i] = Tagged{slices.Collect(slices.Chunk(logits[i], len(m.info.Labels))), e.Offsets, e.Sequence}
	}
	return tagged, nil
}

// Embed returns an embedding of Info.Hidden values for each text. It is normalized
// if modules.json lists a Normalize module. Like sentence-transformers, Embed
// trims white space and truncates to MaxTokens.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	_, embeddings, err := evaluate(ctx, m, texts, func(text string) (tokenizer.Encoding, error) {
		return m.tokenizer.Encode(strings.TrimFunc(text, isPythonSpace), m.info.MaxTokens)
	}, Embed)
	return embeddings, err
}

// isPythonSpace reports whether Python's str.strip removes r.
func isPythonSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func (m *Model) encodePair(p Pair) (tokenizer.Encoding, error) {
	if m.template != nil {
		return m.tokenizer.EncodePrompt(m.template.fill(p.Premise, p.Hypothesis))
	}
	return m.tokenizer.EncodePair(p.Premise, p.Hypothesis)
}

// evaluate returns the tokens and the output for each input of a model of one of the given kinds.
func evaluate[T any](
	ctx context.Context, m *Model, inputs []T, encode func(T) (tokenizer.Encoding, error), kinds ...Kind,
) ([]tokenizer.Encoding, [][]float32, error) {
	if !slices.Contains(kinds, m.info.Kind) {
		return nil, nil, fmt.Errorf("the model %s is of kind %q, want %q", m.info.Architecture, m.info.Kind, kinds[0])
	}
	encodings, seqs := make([]tokenizer.Encoding, len(inputs)), make([]sequence, len(inputs))
	for i, input := range inputs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		e, err := encode(input)
		encodings[i], seqs[i] = e, sequence{e.IDs, e.TypeIDs}
		if err == nil {
			err = m.check(seqs[i])
		}
		if err != nil {
			return nil, nil, fmt.Errorf("input %d: %w", i, err)
		}
	}
	outputs, err := m.compute(ctx, seqs)
	return encodings, outputs, err
}

// Placeholders in a template.
const (
	firstText  = "{text1}"
	secondText = "{text2}"
)

// parseTemplate parses a template, which must contain the placeholders in order.
func parseTemplate(text string) (*template, error) {
	before, rest, _ := strings.Cut(text, firstText)
	between, after, ok := strings.Cut(rest, secondText)
	if t := (template{before, between, after}); ok && !strings.ContainsAny(strings.Join(t[:], ""), "{}") {
		return &t, nil
	}
	return nil, fmt.Errorf("want %s and %s once each, in this order and without other braces, got %.300q", firstText, secondText, text)
}

// hhemPrompt is the template of HHEM-2.1-Open, from its model card. The code of its
// configuration has it too, so config.json may lack it.
const hhemPrompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"

// fill returns the five parts of the filled template. The second and fourth are the texts.
func (t *template) fill(premise, hypothesis string) []string {
	return []string{t[0], premise, t[1], hypothesis, t[2]}
}
