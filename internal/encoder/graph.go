package encoder

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// A graph is a model in the hands of ONNX Runtime: its network, and the head or
// the pooling of its sentences.
type graph struct {
	library  *ort.Library
	session  *ort.Session
	feeds    []func(b *padded) ort.Tensor
	width    int  // values of a row of output
	perToken bool // a row a token, else a row a sequence
	tokens   int  // of a pass, padding too, unless a single text has more
}

// passTokensOnGPU is passTokens where thousands of rows are computed at once.
const passTokensOnGPU = 16384

// padded is sequences of tokens, to be padded to one length.
type padded struct {
	seqs   []sequence
	length int
}

// spread returns a row of that length for each sequence, of which set sets the
// tokens that there are.
func (b *padded) spread(set func(dst []int32, s sequence)) []int32 {
	values := make([]int32, len(b.seqs)*b.length)
	for i, s := range b.seqs {
		set(values[i*b.length:][:len(s.ids)], s)
	}
	return values
}

// hand gives the network to ONNX Runtime. parts is what its layers are made of.
func (m *Model) hand(parts map[*kernel.Linear][]kernel.Part, o Options) error {
	g := newDrawing(parts)
	d := &graph{tokens: passTokens}
	if o.Device.Provider == ort.CUDA {
		d.tokens = passTokensOnGPU
	}
	hidden := m.network.draw(g)
	rows := dimBatch
	if m.head == nil {
		d.width = m.info.Hidden
		g.Output(g.pool(m.sentence.pooling, hidden, d.width), rows, "width")
	} else {
		d.width, d.perToken = len(m.info.Labels), m.head.pooling == eachToken
		if d.perToken {
			rows = "tokens"
		}
		g.Output(m.head.draw(g, hidden), rows, "labels")
	}
	d.feeds = g.feeds
	var err error
	if d.library, err = ort.Open(o.Library); err != nil {
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	if d.session, err = d.library.Session(&g.Graph, o.Device, o.Threads); err != nil {
		d.library.Close()
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	m.graph = d
	m.info.Kernel = fmt.Sprintf("ONNX Runtime %s on %s", d.library.Version(), o.Device)
	return nil
}

// close gives back what the library holds. d may be nil.
func (d *graph) close() {
	if d != nil {
		d.session.Close()
		d.library.Close()
	}
}

// fill returns how many of the sequences, which are in order of falling length,
// make a batch: of so many tokens that a pass takes, and of no more than a quarter
// padding in any sequence.
func (d *graph) fill(seqs []sequence, order []int) int {
	longest, n := len(seqs[order[0]].ids), 1
	for n < len(order) && (n+1)*longest <= d.tokens && 4*len(seqs[order[n]].ids) >= 3*longest {
		n++
	}
	return n
}

// runGraph computes sequences in the order given and hands the output of each to
// keep: a row of values, or one a token.
func (m *Model) runGraph(ctx context.Context, seqs []sequence, order []int, keep func(i int, output []float32) error) error {
	for len(order) > 0 {
		n := m.graph.fill(seqs, order)
		if err := m.onceInGraph(ctx, seqs, order[:n], keep); err != nil {
			return err
		}
		order = order[n:]
	}
	return nil
}

// onceInGraph computes one batch.
func (m *Model) onceInGraph(ctx context.Context, seqs []sequence, numbers []int, keep func(i int, output []float32) error) error {
	if err := m.enter(ctx); err != nil {
		return err
	}
	defer func() { <-m.gate }()
	if m.closed {
		return errClosed()
	}
	d := m.graph
	b := &padded{length: len(seqs[numbers[0]].ids)}
	for _, i := range numbers {
		b.seqs = append(b.seqs, seqs[i])
	}
	var inputs []ort.Tensor
	for _, feed := range d.feeds {
		inputs = append(inputs, feed(b))
	}
	stride := 1
	if d.perToken {
		stride = b.length
	}
	out := make([]float32, len(numbers)*stride*d.width)
	if err := d.session.Run(ctx, ort.Of("", out, len(numbers)*stride, d.width), inputs...); err != nil {
		return err
	}
	for s, i := range numbers {
		rows := 1
		if d.perToken {
			rows = len(seqs[i].ids)
		}
		if err := keep(i, out[s*stride*d.width:][:rows*d.width]); err != nil {
			return err
		}
	}
	return nil
}
