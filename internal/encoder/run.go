package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// passTokens is how many tokens are computed at a time, unless a single text has
// more. Larger passes are no faster, as layers are computed in blocks of rows
// that fit a cache, and take more memory.
const passTokens = 2048

// A sequence is a text or pair as tokens.
type sequence struct{ ids, types []int32 }

// check refuses a sequence that the network can't take.
func (m *Model) check(s sequence) error {
	if len(s.ids) == 0 {
		return errors.New("the tokenizer makes no tokens of it")
	}
	if most := m.info.MaxTokens; most > 0 && len(s.ids) > most {
		return fmt.Errorf("%d tokens, but the model takes %d at most", len(s.ids), most)
	}
	return m.network.check(s.ids, s.types)
}

// run computes the hidden values of sequences, some thousand tokens at a time,
// and hands them to done with the numbers of the sequences in the pass. first
// says that only the values of first tokens are needed. A graph computes what
// follows the hidden values too: its output for a sequence goes to keep.
func (m *Model) run(ctx context.Context, seqs []sequence, first bool, keep func(i int, output []float32) error, done func(p *pass, hidden []float32, numbers []int) error) error {
	order := make([]int, len(seqs))
	for i := range order {
		order[i] = i
	}
	// The longest come first, so that memory grows once and not by and by.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(seqs[b].ids), len(seqs[a].ids)) })
	if m.graph != nil {
		return m.runGraph(ctx, seqs, order, keep)
	}
	for len(order) > 0 {
		n, tokens := 1, len(seqs[order[0]].ids)
		for n < len(order) && tokens+len(seqs[order[n]].ids) <= passTokens {
			tokens += len(seqs[order[n]].ids)
			n++
		}
		if err := m.once(ctx, seqs, order[:n], first, done); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// once computes one pass.
func (m *Model) once(ctx context.Context, seqs []sequence, numbers []int, first bool, done func(p *pass, hidden []float32, numbers []int) error) error {
	select {
	case m.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.gate }()
	if m.closed {
		return errClosed()
	}
	m.batch.reset()
	for _, i := range numbers {
		m.batch.add(seqs[i].ids, seqs[i].types)
	}
	p := &m.pass
	p.batch, p.first = &m.batch, first
	if len(m.batch.ids) > passTokens {
		// What a text of unusual length took is not kept for ever.
		defer func() {
			m.pass = pass{pool: p.pool, precision: p.precision, observe: p.observe}
			m.batch = batch{}
		}()
	}
	hidden, err := m.network.forward(ctx, p)
	if err != nil {
		return err
	}
	return done(p, hidden, numbers)
}

// finite refuses values that no judgement can be made of.
func finite(values []float32, text int) error {
	for _, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return fmt.Errorf("input %d: the model's output is not a number", text)
		}
	}
	return nil
}

// classify returns the logits of each sequence.
func (m *Model) classify(ctx context.Context, seqs []sequence) ([][]float32, error) {
	labels := len(m.info.Labels)
	all := make([]float32, len(seqs)*labels)
	result := make([][]float32, len(seqs))
	keep := func(i int, logits []float32) error {
		result[i] = all[i*labels : (i+1)*labels : (i+1)*labels]
		copy(result[i], logits)
		return finite(result[i], i)
	}
	err := m.run(ctx, seqs, m.head.pooling == firstToken, keep, func(p *pass, hidden []float32, numbers []int) error {
		logits := m.head.run(p, hidden)
		for s, i := range numbers {
			if err := keep(i, logits[s*labels:(s+1)*labels]); err != nil {
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
	keep := func(i int, logits []float32) error {
		own := slices.Clone(logits)
		result[i] = make([][]float32, len(own)/labels)
		for t := range result[i] {
			result[i][t] = own[t*labels : (t+1)*labels : (t+1)*labels]
		}
		return finite(own, i)
	}
	err := m.run(ctx, seqs, false, keep, func(p *pass, hidden []float32, numbers []int) error {
		logits := m.head.run(p, hidden)
		for s, i := range numbers {
			if err := keep(i, logits[p.starts[s]*labels:][:p.lengths[s]*labels]); err != nil {
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
	keep := func(i int, pooled []float32) error {
		result[i] = slices.Clone(pooled)
		m.sentence.finish(result[i])
		return finite(result[i], i)
	}
	err := m.run(ctx, seqs, m.sentence.pooling == firstToken, keep, func(p *pass, hidden []float32, numbers []int) error {
		pooled, _ := p.pooled(m.sentence.pooling, hidden, width)
		for s, i := range numbers {
			if err := keep(i, pooled[s*width:(s+1)*width]); err != nil {
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
