package embedded

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

// loadNetwork returns the network with the given weights, a safetensors file of training/judge/export.py, and tokenizer.json.
func loadNetwork(weights, tokens []byte) (*network, error) {
	tensors, err := checkpoint.ParseSafetensors("judge.safetensors", weights)
	if err != nil {
		return nil, err
	}
	k, err := kernel.New("")
	if err != nil {
		return nil, err
	}
	n := &network{layers: make([]layer, layers), passes: make(chan *pass, runtime.GOMAXPROCS(0))}
	for range cap(n.passes) {
		n.passes <- &pass{pool: kernel.NewPool(k, 1)}
	}
	var g errgroup.Group
	g.Go(func() error {
		t, err := tokenizer.Parse(tokens)
		if err == nil {
			n.tokens = t.SplitSpecials()
		}
		return err
	})
	g.Go(func() error {
		l := &loader{tensors: tensors, kernel: k}
		n.words, n.scales = l.rows("words.", vocabulary, hidden)
		n.positions, n.kinds = l.floats("positions.weight", positions, hidden), l.floats("kinds.weight", 2, hidden)
		n.norm, n.head = l.norm("norm."), l.linear(kernel.Float32, hidden, kernel.Part{
			W: kernel.Raw{F32: l.floats("head.weight", classes, hidden)}, Bias: l.floats("head.bias", classes), Out: classes,
		})
		n.tokenHead = tokenHead{l.floats("token_head.weight", 1, hidden), l.floats("token_head.bias", 1)}
		return l.err
	})
	for i := range n.layers {
		g.Go(func() error {
			l := &loader{tensors: tensors, kernel: k}
			name := "layers." + strconv.Itoa(i) + "."
			n.layers[i] = layer{
				qkv: l.linear(kernel.Int8, hidden, l.part(name+"query.", hidden, hidden), l.part(name+"key.", hidden, hidden), l.part(name+"value.", hidden, hidden)),
				out: l.linear(kernel.Int8, hidden, l.part(name+"out.", hidden, hidden)),
				up:  l.linear(kernel.Int8, hidden, l.part(name+"up.", inner, hidden)), down: l.linear(kernel.Int8, inner, l.part(name+"down.", hidden, inner)),
				attended: l.norm(name + "norm1."), fed: l.norm(name + "norm2."),
			}
			return l.err
		})
	}
	return n, g.Wait()
}

// A loader reads tensors and keeps the first error.
type loader struct {
	tensors map[string]*checkpoint.Tensor
	kernel  *kernel.Kernels
	err     error
}

// tensor returns a tensor, or nil after an error.
func (l *loader) tensor(name string, shape ...int) *checkpoint.Tensor {
	t := l.tensors[name]
	switch {
	case l.err != nil:
		return nil
	case t == nil:
		l.err = fmt.Errorf("tensor %q: missing", name)
		return nil
	case !slices.Equal(t.Shape, shape):
		l.err = fmt.Errorf("tensor %q: want shape %v, got %v", name, shape, t.Shape)
		return nil
	}
	return t
}

func (l *loader) floats(name string, shape ...int) []float32 {
	t := l.tensor(name, shape...)
	if t == nil {
		return nil
	}
	values, err := t.Float32()
	l.err = err
	return values
}

// rows returns an int8 matrix and the scales of its rows.
func (l *loader) rows(name string, rows, columns int) ([]int8, []float32) {
	t := l.tensor(name+"weight", rows, columns)
	if t == nil {
		return nil, nil
	}
	values, err := t.Int8()
	l.err = err
	return values, l.floats(name+"scale", rows)
}

func (l *loader) norm(name string) kernel.Norm {
	return kernel.Norm{Gain: l.floats(name+"weight", hidden), Bias: l.floats(name+"bias", hidden), Eps: epsilon}
}

func (l *loader) part(name string, out, in int) kernel.Part {
	p := kernel.Part{Bias: l.floats(name+"bias", out), Out: out}
	p.W.I8, p.W.Scales = l.rows(name, out, in)
	return p
}

func (l *loader) linear(p kernel.Precision, in int, parts ...kernel.Part) *kernel.Linear {
	if l.err != nil {
		return nil
	}
	return l.kernel.Linear(p, in, parts...)
}
