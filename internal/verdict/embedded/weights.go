package embedded

import (
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"github.com/ragfaith/ragfaith/internal/encoder/checkpoint"
	"github.com/ragfaith/ragfaith/internal/encoder/kernel"
	"github.com/ragfaith/ragfaith/internal/encoder/tokenizer"
)

//go:embed model/judge.safetensors
var weights []byte

//go:embed model/tokenizer.json
var tokens []byte

// loadNetwork returns the network of the embedded files: weights in a safetensors file of training/judge/export.py, and
// tokenizer.json. They are part of the program, so what is wrong with them is a bug, and panics.
func loadNetwork() *network {
	l := &loader{must(checkpoint.Parse("judge.safetensors", weights)), must(kernel.New(""))}
	n := &network{layers: make([]layer, layers), passes: make(chan *pass, runtime.GOMAXPROCS(0))}
	for range cap(n.passes) {
		n.passes <- &pass{pool: kernel.NewPool(l.kernel, 1)}
	}
	var wg sync.WaitGroup
	wg.Go(func() { n.tokens = must(tokenizer.Parse(tokens)).SplitSpecials() })
	wg.Go(func() {
		n.words, n.positions = l.matrix("words.", vocabulary, hidden), l.floats("positions.weight", positions, hidden)
		n.distances = kernel.DistanceBiases(l.floats("relative.weight", buckets, heads), heads, positions)
		n.norm, n.head = l.norm("norm."), l.kernel.Linear(kernel.Float32, hidden, kernel.Part{
			W: kernel.Raw{F32: l.floats("head.weight", classes, hidden)}, Bias: l.floats("head.bias", classes), Out: classes,
		})
		n.tokenHead.weights, n.tokenHead.bias = l.floats("token_head.weight", 1, hidden), l.floats("token_head.bias", 1)
	})
	for i := range n.layers {
		wg.Go(func() {
			name := "layers." + strconv.Itoa(i) + "."
			n.layers[i] = layer{
				qkv: l.linear(hidden, l.part(name+"query.", hidden, hidden), l.part(name+"key.", hidden, hidden), l.part(name+"value.", hidden, hidden)),
				out: l.linear(hidden, l.part(name+"out.", hidden, hidden)),
				up:  l.linear(hidden, l.part(name+"up.", inner, hidden)), down: l.linear(inner, l.part(name+"down.", hidden, inner)),
				attended: l.norm(name + "norm1."), fed: l.norm(name + "norm2."),
			}
		})
	}
	wg.Wait()
	return n
}

func must[T any](v T, err error) T {
	if err != nil {
		panic("embedded judge: " + err.Error())
	}
	return v
}

// A loader reads tensors.
type loader struct {
	tensors map[string]*checkpoint.Tensor
	kernel  *kernel.Kernels
}

func (l *loader) tensor(name string, shape ...int) *checkpoint.Tensor {
	t := l.tensors[name]
	if t == nil || !slices.Equal(t.Shape, shape) {
		panic(fmt.Sprintf("embedded judge: want tensor %q of shape %v", name, shape))
	}
	return t
}

func (l *loader) floats(name string, shape ...int) []float32 {
	return must(l.tensor(name, shape...).Float32())
}

// A matrix reads a row of weights of four bits (see [kernel.Raw]).
type matrix func(integers, steps []int8, row int) (scale float32)

// matrix returns a matrix of the file. It has two values of four bits in each byte, the lower half first, 8 standing for 0, a step
// for each block of a row, and a scale for each row.
func (l *loader) matrix(name string, rows, columns int) matrix {
	packed, steps := must(l.tensor(name+"weight", rows, columns/2).Int8()), must(l.tensor(name+"steps", rows, columns/kernel.Block).Int8())
	scales := l.floats(name+"scale", rows)
	return func(to, toSteps []int8, row int) float32 {
		packed, to := packed[row*columns/2:][:columns/2], to[:columns]
		for i := 0; i < columns; i += kernel.Block {
			block := (*[kernel.Block]int8)(to[i:])
			for k, pair := range (*[kernel.Block / 2]int8)(packed[i/2:]) {
				block[2*k], block[2*k+1] = pair&15-8, int8(uint8(pair)>>4)-8
			}
		}
		copy(toSteps, steps[row*columns/kernel.Block:])
		return scales[row]
	}
}

func (l *loader) norm(name string) kernel.Norm {
	return kernel.Norm{Gain: l.floats(name+"weight", hidden), Bias: l.floats(name+"bias", hidden), Eps: epsilon}
}

func (l *loader) part(name string, out, in int) kernel.Part {
	return kernel.Part{W: kernel.Raw{I4: l.matrix(name, out, in)}, Bias: l.floats(name+"bias", out), Out: out}
}

func (l *loader) linear(in int, parts ...kernel.Part) *kernel.Linear {
	return l.kernel.Linear(kernel.Int8, in, parts...)
}
