package encoder

import (
	"context"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/ort"
)

// onnxModel runs a network, including its head or sentence pooling, on ONNX Runtime.
type onnxModel struct {
	library   *ort.Library
	session   *ort.Session
	feeds     []func(b *paddedBatch) ort.Tensor
	width     int  // width of an output row
	perToken  bool // output has a row per token instead of per sequence
	maxTokens int  // maximum tokens of a batch including padding; a single text may exceed it
}

// passTokensOnGPU is the GPU's counterpart of passTokens. It is larger because a GPU
// computes thousands of rows in parallel.
const passTokensOnGPU = 16384

// paddedBatch is a batch of sequences padded to the same length.
type paddedBatch struct {
	seqs   []sequence
	length int
}

// useONNX builds the ONNX graph of the model and opens a session for it. parts
// contains the weights of the linear layers.
func (m *Model) useONNX(parts map[*kernel.Linear][]kernel.Part, o Options) error {
	g := newGraphBuilder(parts)
	d := &onnxModel{maxTokens: passTokens}
	if o.Device.Provider == ort.CUDA {
		d.maxTokens = passTokensOnGPU
	}
	hidden := m.network.buildGraph(g)
	rows := dimBatch
	d.width, d.perToken = m.outputWidth(), m.head.pooling == eachToken
	if d.perToken {
		rows = "tokens"
	}
	g.Output(m.head.buildGraph(g, hidden), rows, "outputs")
	d.feeds = g.feeds
	var err error
	if d.library, err = ort.Open(o.Library); err != nil {
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	if d.session, err = d.library.Session(&g.Graph, o.Device, o.Threads); err != nil {
		d.library.Close()
		return fmt.Errorf("device %s: %w", o.Device, err)
	}
	m.onnx = d
	m.info.Kernel = fmt.Sprintf("ONNX Runtime %s on %s", d.library.Version(), o.Device)
	return nil
}

// close closes the session and the library. d may be nil.
func (d *onnxModel) close() {
	if d != nil {
		d.session.Close()
		d.library.Close()
	}
}

// batchSize returns the number of sequences in the next batch. order must be
// sorted by descending length. A batch has up to d.maxTokens tokens, and each row
// is at most a quarter padding.
func (d *onnxModel) batchSize(seqs []sequence, order []int) int {
	longest, n := len(seqs[order[0]].ids), 1
	for n < len(order) && (n+1)*longest <= d.maxTokens && 4*len(seqs[order[n]].ids) >= 3*longest {
		n++
	}
	return n
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
	stride := 1
	if d.perToken {
		stride = b.length
	}
	out := make([]float32, len(indices)*stride*d.width)
	if err := d.session.Run(ctx, ort.NewTensor("", out, len(indices)*stride, d.width), inputs...); err != nil {
		return err
	}
	for s, i := range indices {
		rows := 1
		if d.perToken {
			rows = len(seqs[i].ids)
		}
		if err := store(i, out[s*stride*d.width:][:rows*d.width]); err != nil {
			return err
		}
	}
	return nil
}
