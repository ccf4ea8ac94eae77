package encoder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// passTokens is the maximum number of tokens of a pass with more than one text.
// Larger passes need more memory and are not faster, because layers are computed
// in blocks of rows that fit the cache.
const passTokens = 2048

// A sequence is a tokenized text or pair.
type sequence struct{ ids, types []int32 }

// check rejects sequences that the network cannot compute.
func (m *Model) check(s sequence) error {
	if len(s.ids) == 0 {
		return errors.New("the tokenizer returned no tokens")
	}
	if limit := m.info.MaxTokens; limit > 0 && len(s.ids) > limit {
		return fmt.Errorf("%d tokens, but the model accepts at most %d", len(s.ids), limit)
	}
	return m.network.check(s.ids, s.types)
}

// compute computes sequences in one or more passes. It returns the output for each: the
// logits of the sequence, the logits of each of its tokens, or its embedding.
func (m *Model) compute(ctx context.Context, seqs []sequence) ([][]float32, error) {
	result := make([][]float32, len(seqs))
	store := func(i int, output []float32) error {
		result[i] = slices.Clone(output)
		return checkFinite(output, i)
	}
	length := func(i int) int { return len(seqs[i].ids) }
	order := byLengthDescending(len(seqs), length)
	computeBatch := func(indices []int) error {
		fill := func(b *batch) {
			for _, i := range indices {
				b.add(seqs[i].ids, seqs[i].types)
			}
		}
		return m.runPass(ctx, m.head.pooling == firstToken, fill, func(p *pass, hidden []float32) error {
			output, width := m.head.run(p, hidden), m.outputWidth()
			for s, i := range indices {
				start, rows := s, 1
				if m.info.Kind == Tokens {
					start, rows = p.starts[s], p.lengths[s]
				}
				if err := store(i, output[start*width:(start+rows)*width]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var err error
	if m.onnx != nil {
		err = m.runONNX(ctx, seqs, order, store)
	} else {
		err = forEachPass(order, length, computeBatch)
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

// outputWidth returns the number of labels or the width of an embedding.
func (m *Model) outputWidth() int {
	if m.info.Kind == Embed {
		return m.info.Hidden
	}
	return len(m.info.Labels)
}

// checkFinite returns an error that names the input if a value is NaN or infinite.
func checkFinite(values []float32, input int) error {
	for _, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("input %d: the model's output is not a number", input)
		}
	}
	return nil
}

// tokens returns the logits of each token of each sequence.
func (m *Model) tokens(ctx context.Context, seqs []sequence) ([][][]float32, error) {
	logits, err := m.compute(ctx, seqs)
	if err != nil {
		return nil, err
	}
	result := make([][][]float32, len(seqs))
	for i, values := range logits {
		result[i] = slices.Collect(slices.Chunk(values, len(m.info.Labels)))
	}
	return result, nil
}

// embed returns the embedding of each sequence.
func (m *Model) embed(ctx context.Context, seqs []sequence) ([][]float32, error) {
	result, err := m.compute(ctx, seqs)
	if err != nil {
		return nil, err
	}
	for _, x := range result {
		m.sentence.normalize(x)
	}
	return result, nil
}
