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

// run computes sequences in one or more passes. After each pass, it calls done
// with the hidden values and the indices of the pass's sequences. If first is set,
// only the first token of each sequence is computed. ONNX Runtime also computes
// the head, so instead of done it calls store with the output of each sequence.
func (m *Model) run(ctx context.Context, seqs []sequence, first bool, store func(i int, output []float32) error, done func(p *pass, hidden []float32, indices []int) error) error {
	length := func(i int) int { return len(seqs[i].ids) }
	order := byLengthDescending(len(seqs), length)
	if m.onnx != nil {
		return m.runONNX(ctx, seqs, order, store)
	}
	return forEachPass(order, length, func(indices []int) error {
		fill := func(b *batch) {
			for _, i := range indices {
				b.add(seqs[i].ids, seqs[i].types)
			}
		}
		return m.runPass(ctx, first, fill, func(p *pass, hidden []float32) error { return done(p, hidden, indices) })
	})
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

// classify returns the logits of each sequence.
func (m *Model) classify(ctx context.Context, seqs []sequence) ([][]float32, error) {
	labels := len(m.info.Labels)
	all := make([]float32, len(seqs)*labels)
	result := make([][]float32, len(seqs))
	store := func(i int, logits []float32) error {
		result[i] = all[i*labels : (i+1)*labels : (i+1)*labels]
		copy(result[i], logits)
		return checkFinite(result[i], i)
	}
	err := m.run(ctx, seqs, m.head.pooling == firstToken, store, func(p *pass, hidden []float32, indices []int) error {
		logits := m.head.run(p, hidden)
		for s, i := range indices {
			if err := store(i, logits[s*labels:(s+1)*labels]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// tokens returns the logits of each token of each sequence.
func (m *Model) tokens(ctx context.Context, seqs []sequence) ([][][]float32, error) {
	labels := len(m.info.Labels)
	result := make([][][]float32, len(seqs))
	store := func(i int, logits []float32) error {
		values := slices.Clone(logits)
		result[i] = make([][]float32, len(values)/labels)
		for t := range result[i] {
			result[i][t] = values[t*labels : (t+1)*labels : (t+1)*labels]
		}
		return checkFinite(values, i)
	}
	err := m.run(ctx, seqs, false, store, func(p *pass, hidden []float32, indices []int) error {
		logits := m.head.run(p, hidden)
		for s, i := range indices {
			if err := store(i, logits[p.starts[s]*labels:][:p.lengths[s]*labels]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// embed returns the embedding of each sequence.
func (m *Model) embed(ctx context.Context, seqs []sequence) ([][]float32, error) {
	width := m.info.Hidden
	result := make([][]float32, len(seqs))
	store := func(i int, pooled []float32) error {
		result[i] = slices.Clone(pooled)
		m.sentence.normalize(result[i])
		return checkFinite(result[i], i)
	}
	err := m.run(ctx, seqs, m.sentence.pooling == firstToken, store, func(p *pass, hidden []float32, indices []int) error {
		pooled, _ := p.poolRows(m.sentence.pooling, hidden, width)
		for s, i := range indices {
			if err := store(i, pooled[s*width:(s+1)*width]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}
