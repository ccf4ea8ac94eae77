package encoder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// passTokens is the maximum number of tokens of a pass with more than one text. Larger passes need
// more memory and are not faster, because layers are computed in blocks of rows that fit the cache.
const passTokens = 2048

// check rejects sequences that the network cannot compute.
func (m *Model) check(s sequence) error {
	if len(s.ids) == 0 {
		return errors.New("the tokenizer returned no tokens")
	}
	if limit := m.info.MaxTokens; limit > 0 && len(s.ids) > limit {
		return fmt.Errorf("%d tokens, but the model accepts at most %d", len(s.ids), limit)
	}
	return m.network.embed.check(s.ids, s.types)
}

// compute computes sequences in one or more passes. It returns the output for each: the
// logits of the sequence, the logits of all its tokens, or its embedding.
func (m *Model) compute(ctx context.Context, seqs []sequence) ([][]float32, error) {
	result := make([][]float32, len(seqs))
	// In this order, the first pass allocates buffers that are large enough for the others.
	order := make([]int, len(seqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(seqs[b].ids), len(seqs[a].ids)) })
	size := passSize
	if m.onnx != nil {
		size = m.onnx.batchSize
	}
	for len(order) > 0 {
		n := size(seqs, order)
		if err := m.computeBatch(ctx, seqs, order[:n], result); err != nil {
			return nil, err
		}
		order = order[n:]
	}
	return result, nil
}

// computeBatch sets the results of the sequences with the given indices.
func (m *Model) computeBatch(ctx context.Context, seqs []sequence, indices []int, result [][]float32) error {
	if err := m.acquire(ctx); err != nil {
		return err
	}
	defer m.release()
	batch := make([]sequence, len(indices))
	for s, i := range indices {
		batch[s] = seqs[i]
	}
	run := m.runPass
	if m.onnx != nil {
		run = m.runONNX
	}
	output, starts, err := run(ctx, batch)
	if err != nil {
		return err
	}
	width := m.outputWidth()
	for s, i := range indices {
		start, rows := s, 1
		if m.info.Kind == Tokens {
			start, rows = starts[s], len(batch[s].ids)
		}
		result[i] = slices.Clone(output[start*width : (start+rows)*width])
		if slices.ContainsFunc(result[i], func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			return fmt.Errorf("input %d: the model's output is not a number", i)
		}
		if m.sentence != nil {
			m.sentence.normalize(result[i])
		}
	}
	return nil
}

// passSize returns the number of sequences in the next pass: up to passTokens tokens.
// A longer sequence gets its own pass.
func passSize(seqs []sequence, order []int) int {
	n, tokens := 1, len(seqs[order[0]].ids)
	for n < len(order) && tokens+len(seqs[order[n]].ids) <= passTokens {
		tokens += len(seqs[order[n]].ids)
		n++
	}
	return n
}

// recoverFault recovers from a memory fault and stores an error in err. Reading a
// mapped file that was truncated causes such a fault.
func recoverFault(err *error) {
	switch r := recover().(type) {
	case nil:
	case interface{ Addr() uintptr }:
		*err = errors.New("the weight file can't be read: it was changed while the model was in use")
	default:
		panic(r)
	}
}

// runPass computes a batch in Go. It returns the output, and for each sequence the first of the rows that belong to its
// tokens.
func (m *Model) runPass(ctx context.Context, batch []sequence) (output []float32, starts []int, err error) {
	defer recoverFault(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	p := &m.pass
	p.ids, p.types, p.lengths, p.starts, p.longest = p.ids[:0], p.types[:0], p.lengths[:0], p.starts[:0], 0
	for _, s := range batch {
		p.add(s.ids, s.types)
	}
	p.first = m.head.pooling == firstToken
	if len(p.ids) > passTokens {
		// Free the memory that an unusually long text needed.
		defer func() { m.pass = pass{pool: p.pool, precision: p.precision} }()
	}
	hidden, err := m.network.forward(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return m.head.run(p, hidden), p.starts, nil
}

// runONNX is runPass for a batch whose first sequence is the longest.
func (m *Model) runONNX(ctx context.Context, batch []sequence) (output []float32, starts []int, err error) {
	b := &paddedBatch{batch, len(batch[0].ids)}
	var inputs []ort.Tensor
	for _, feed := range m.onnx.feeds {
		inputs = append(inputs, feed(b))
	}
	for s := range batch {
		starts = append(starts, s*b.length)
	}
	rows, width := len(batch), m.outputWidth()
	if m.info.Kind == Tokens {
		rows *= b.length
	}
	output = make([]float32, rows*width)
	return output, starts, m.onnx.session.Run(ctx, ort.NewTensor("", output, rows, width), inputs...)
}

// outputWidth returns the number of labels or the width of an embedding.
func (m *Model) outputWidth() int {
	if m.info.Kind == Embed {
		return m.info.Hidden
	}
	return len(m.info.Labels)
}
