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

// passTokens is the maximum number of tokens of a pass with more than one text.
// Larger passes need more memory and are not faster, because layers are computed
// in blocks of rows that fit the cache.
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
	store := func(i int, output []float32) error {
		if slices.ContainsFunc(output, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }) {
			return fmt.Errorf("input %d: the model's output is not a number", i)
		}
		result[i] = slices.Clone(output)
		if m.sentence != nil {
			m.sentence.normalize(result[i])
		}
		return nil
	}
	// In this order, the first pass allocates buffers that are large enough for the others.
	order := make([]int, len(seqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(seqs[b].ids), len(seqs[a].ids)) })
	size, run := passSize, m.runPass
	if m.onnx != nil {
		size, run = m.onnx.batchSize, m.runONNX
	}
	for len(order) > 0 {
		n := size(seqs, order)
		if err := run(ctx, seqs, order[:n], store); err != nil {
			return nil, err
		}
		order = order[n:]
	}
	return result, nil
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

// runPass computes the sequences with the given indices in one pass and calls store
// with the output of each.
func (m *Model) runPass(ctx context.Context, seqs []sequence, indices []int, store func(i int, output []float32) error) (err error) {
	if err := m.acquire(ctx); err != nil {
		return err
	}
	defer m.release()
	defer recoverFault(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	p := &m.pass
	p.reset()
	for _, i := range indices {
		p.add(seqs[i].ids, seqs[i].types)
	}
	p.first = m.head.pooling == firstToken
	if len(p.ids) > passTokens {
		// Free the memory that an unusually long text needed.
		defer func() { m.pass = pass{pool: p.pool, precision: p.precision} }()
	}
	hidden, err := m.network.forward(ctx, p)
	if err != nil {
		return err
	}
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
}

// runONNX is runPass for one batch, whose first sequence must be the longest.
func (m *Model) runONNX(ctx context.Context, seqs []sequence, indices []int, store func(i int, output []float32) error) error {
	if err := m.acquire(ctx); err != nil {
		return err
	}
	defer m.release()
	d := m.onnx
	b := &paddedBatch{length: len(seqs[indices[0]].ids)}
	for _, i := range indices {
		b.seqs = append(b.seqs, seqs[i])
	}
	var inputs []ort.Tensor
	for _, feed := range d.feeds {
		inputs = append(inputs, feed(b))
	}
	stride, width := 1, m.outputWidth()
	if m.info.Kind == Tokens {
		stride = b.length
	}
	out := make([]float32, len(indices)*stride*width)
	if err := d.session.Run(ctx, ort.NewTensor("", out, len(indices)*stride, width), inputs...); err != nil {
		return err
	}
	for s, i := range indices {
		rows := 1
		if m.info.Kind == Tokens {
			rows = len(seqs[i].ids)
		}
		if err := store(i, out[s*stride*width:][:rows*width]); err != nil {
			return err
		}
	}
	return nil
}

// outputWidth returns the number of labels or the width of an embedding.
func (m *Model) outputWidth() int {
	if m.info.Kind == Embed {
		return m.info.Hidden
	}
	return len(m.info.Labels)
}
