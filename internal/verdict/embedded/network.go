package embedded

import (
	"context"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// Sizes of the network.
const (
	hidden     = 768
	inner      = 4 * hidden
	headDim    = 64
	heads      = hidden / headDim
	layers     = 8
	vocabulary = 30527
	positions  = 512
	classes    = 3
	epsilon    = 1e-5
	buckets    = 32 // of distances between tokens
)

// Limits of a passage and a claim in tokens, without the special tokens around them. They are those of
// training/judge/evaluate.py.
const (
	maxPassage = 190
	maxClaim   = 60
)

// maxTokens limits the tokens of a group and of a pass, and so the memory.
const maxTokens = 2048

// A network is an MPNet encoder that reads passages and, beside each, the claims about it. A passage attends to itself, a claim to
// the passage and to itself, so that its result does not depend on the other claims. It is safe for concurrent use.
type network struct {
	tokens *tokenizer.Tokenizer

	words     matrix      // [vocabulary][hidden]
	positions []float32   // [positions][hidden]
	distances [][]float32 // see kernel.DistanceBiases
	norm      kernel.Norm
	layers    []layer
	head      *kernel.Linear
	tokenHead struct{ weights, bias []float32 } // [hidden], [1]; log odds of wrong tokens

	passes chan *pass // one for each processor, which limits the memory
}

// A layer computes
//
//	x = norm(x + out(attention(qkv(x))))
//	x = norm(x + down(gelu(up(x))))
type layer struct {
	qkv, out, up, down *kernel.Linear
	attended, fed      kernel.Norm
}

// A finding is the output of the network for a claim: logits, and the log odds that each token is
// wrong, special tokens included.
type finding struct {
	logits
	wrong []float64
}

// A group is a passage and the claims that are compared with it, as token ids.
type group struct {
	passage []int32
	claims  [][]int32
}

// logits are the outputs for a claim: supported, contradicted, not mentioned.
type logits [classes]float32

// odds returns the log odds of "supported" against the other two classes.
func (l logits) odds() float64 {
	s, c, n := float64(l[0]), float64(l[1]), float64(l[2])
	top := max(c, n)
	return s - top - math.Log(math.Exp(c-top)+math.Exp(n-top))
}

// contradiction returns the probability of "contradicted".
func (l logits) contradiction() float64 {
	c := float64(l[1])
	return 1 / (1 + math.Exp(float64(l[0])-c) + math.Exp(float64(l[2])-c))
}

// encodePassage returns the first tokens of a passage, between two special tokens.
func (n *network) encodePassage(text string) ([]int32, error) {
	e, err := n.tokens.Encode(text, maxPassage+2)
	return e.IDs, err
}

// encodeClaim returns the last tokens of a claim, which may follow a question, between two special tokens, and their positions in text.
func (n *network) encodeClaim(text string) (ids []int32, offsets [][2]int, err error) {
	e, err := n.tokens.Encode(text, 0)
	if cut := len(e.IDs) - (maxClaim + 2); err == nil && cut > 0 {
		e.IDs, e.Offsets = slices.Delete(e.IDs, 1, 1+cut), slices.Delete(e.Offsets, 1, 1+cut)
	}
	return e.IDs, e.Offsets, err
}

// run returns the findings on the claims of all groups, in order. waiting is that of Options. The only possible error is that of ctx.
func (n *network) run(ctx context.Context, groups []group, waiting func(context.Context) (resume func())) ([]finding, error) {
	p, err := n.wait(ctx, waiting)
	if err != nil {
		return nil, err
	}
	defer func() { n.passes <- p }()
	var result []finding
	for len(groups) > 0 {
		p.reset()
		for len(groups) > 0 && (len(p.passages) == 0 || len(p.passages)+len(p.claims)+groups[0].size() <= maxTokens) {
			p.add(groups[0])
			groups = groups[1:]
		}
		some, err := n.forward(ctx, p)
		if err != nil {
			return nil, err
		}
		result = append(result, some...)
	}
	return result, nil
}

// wait returns a pass when one is free.
func (n *network) wait(ctx context.Context, waiting func(context.Context) (resume func())) (*pass, error) {
	if waiting != nil {
		defer waiting(ctx)()
	}
	select {
	case p := <-n.passes:
		return p, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (g group) size() int {
	size := len(g.passage)
	for _, c := range g.claims {
		size += len(c)
	}
	return size
}

// A pass is the computation of some groups. Its rows are the tokens of all passages, followed by those of all claims.
type pass struct {
	pool             *kernel.Pool
	passages, claims []int32 // token ids
	lengths, prefix  []int   // of the sequences: passages, then claims; see kernel.Attention
	ownLengths       []int
	owners           []int

	x, qkv, attended []float32
}

func (p *pass) reset() {
	p.passages, p.claims, p.lengths, p.prefix, p.ownLengths, p.owners = p.passages[:0], p.claims[:0], p.lengths[:0], p.prefix[:0], p.ownLengths[:0], p.owners[:0]
}

func (p *pass) add(g group) {
	for _, c := range g.claims {
		p.claims = append(p.claims, c...)
		p.ownLengths = append(p.ownLengths, len(c))
		p.owners = append(p.owners, len(p.lengths))
	}
	p.passages = append(p.passages, g.passage...)
	p.lengths, p.prefix = append(p.lengths, len(g.passage)), append(p.prefix, -1)
}

// embed sets the input of the first layer.
func (n *network) embed(p *pass) {
	p.x = grow(p.x, (len(p.passages)+len(p.claims))*hidden)
	rows, word, steps := p.x, make([]int8, hidden), make([]int8, hidden/kernel.Block)
	sequence := func(ids []int32, start int) {
		for i, id := range ids {
			scale, position := n.words(word, steps, int(id)), n.positions[(start+i)*hidden:][:hidden]
			for j := range hidden {
				rows[j] = float32(word[j]*steps[j/kernel.Block])*scale + position[j]
			}
			rows = rows[hidden:]
		}
	}
	at := 0
	for _, length := range p.lengths {
		sequence(p.passages[at:at+length], 0)
		at += length
	}
	at = 0
	for i, length := range p.ownLengths {
		sequence(p.claims[at:at+length], p.lengths[p.owners[i]])
		at += length
	}
	p.pool.Norm(&n.norm, p.x, p.x, nil)
}

func (n *network) forward(ctx context.Context, p *pass) ([]finding, error) {
	n.embed(p)
	lengths, prefix := append(p.lengths, p.ownLengths...), append(p.prefix, p.owners...)
	rows := len(p.x) / hidden
	p.qkv, p.attended = grow(p.qkv, rows*3*hidden), grow(p.attended, rows*hidden)
	p.pool.Rows(kernel.Int8, rows, func(w *kernel.Worker, lo, hi int) {
		w.Apply(n.layers[0].qkv, p.qkv[lo*3*hidden:], p.x[lo*hidden:hi*hidden], kernel.None)
	})
	first := 0 // row that is still needed
	for i := range n.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.pool.Attend(&kernel.Attention{
			Q: p.qkv, K: p.qkv[hidden:], V: p.qkv[2*hidden:], Stride: 3 * hidden, Out: p.attended, OutStride: hidden,
			Lengths: lengths, Prefix: prefix, Heads: heads, HeadDim: headDim, Scale: float32(1 / math.Sqrt(headDim)),
			Prepare: func(_ *kernel.Worker, _, head, _, _ int) []float32 { return n.distances[head] },
			Bias: func(_ *kernel.Worker, distances []float32, sequence, query, lo, hi int, dst []float32) {
				if k := prefix[sequence]; k >= 0 {
					query += lengths[k]
				}
				copy(dst, distances[positions-1-query+lo:positions-1-query+hi])
			},
		})
		if i == len(n.layers)-1 {
			first = len(p.passages)
		}
		l, x, attended := &n.layers[i], p.x[first*hidden:], p.attended[first*hidden:]
		p.pool.Rows(kernel.Int8, rows-first, func(w *kernel.Worker, lo, hi int) {
			x := x[lo*hidden : hi*hidden]
			t, up := w.Floats(len(x)), w.Floats((hi-lo)*inner)
			w.Apply(l.out, t, attended[lo*hidden:hi*hidden], kernel.None)
			w.Norm(&l.attended, x, x, t)
			w.Apply(l.up, up, x, kernel.Gelu)
			w.Apply(l.down, t, up, kernel.None)
			w.Norm(&l.fed, x, x, t)
			if i+1 < len(n.layers) {
				w.Apply(n.layers[i+1].qkv, p.qkv[lo*3*hidden:], x, kernel.None)
			}
		})
	}
	return n.classify(p, p.x[first*hidden:]), nil
}

// classify applies the heads to the tokens x of the claims: one to the sum of the first token of a claim and the mean of its tokens,
// the other to each token.
func (n *network) classify(p *pass, x []float32) []finding {
	result := make([]finding, len(p.ownLengths))
	sum := make([]float32, hidden)
	for i, length := range p.ownLengths {
		for j := range hidden {
			total := 0.0
			for t := range length {
				total += float64(x[t*hidden+j])
			}
			sum[j] = x[j] + float32(total/float64(length))
		}
		p.pool.Apply(n.head, result[i].logits[:], sum, kernel.None)
		for ; length > 0; length-- {
			wrong := float64(n.tokenHead.bias[0])
			for j, w := range n.tokenHead.weights {
				wrong += float64(w) * float64(x[j])
			}
			result[i].wrong = append(result[i].wrong, wrong)
			x = x[hidden:]
		}
	}
	return result
}

func grow(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}
