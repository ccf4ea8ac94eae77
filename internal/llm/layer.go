package llm

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Size is what a request may come to, in tokens.
type Size struct {
	Prompt int
	Room   int // for the reply
}

// Send makes one request and says what it cost, in failure too.
type Send func(context.Context) (usage.Usage, error)

// A Layer stands between a caller and a server: it calls send once, again, later
// or not at all, and returns the usage of all its calls together. Retry, Pace,
// Budget, Breaker and Meter are layers, and serve completions and embeddings
// alike. size is asked only by those that need it.
type Layer interface {
	Around(ctx context.Context, size func() Size, send Send) (usage.Usage, error)
}

// Layered puts layers around next, the outermost first. tokens sizes a text; nil
// takes Rough.
func Layered(next Completer, tokens func(string) int, layers ...Layer) Completer {
	if tokens == nil {
		tokens = Rough
	}
	for i := len(layers) - 1; i >= 0; i-- {
		next = &layeredCompleter{layers[i], next, tokens}
	}
	return next
}

// LayeredEmbedder puts layers around next, the outermost first.
func LayeredEmbedder(next Embedder, tokens func(string) int, layers ...Layer) Embedder {
	if tokens == nil {
		tokens = Rough
	}
	for i := len(layers) - 1; i >= 0; i-- {
		next = &layeredEmbedder{layers[i], next, tokens}
	}
	return next
}

type layeredCompleter struct {
	layer  Layer
	next   Completer
	tokens func(string) int
}

// Complete implements Completer.
func (l *layeredCompleter) Complete(ctx context.Context, r *Request) (*Reply, error) {
	var reply *Reply
	u, err := l.layer.Around(ctx, func() Size { return sizeOf(r, l.tokens) }, func(ctx context.Context) (usage.Usage, error) {
		got, err := l.next.Complete(ctx, r)
		if err != nil {
			return UsageOf(err), err
		}
		reply = got
		return got.Usage, nil
	})
	if err != nil {
		return nil, withUsage(err, u)
	}
	out := *reply
	out.Usage = u
	return &out, nil
}

type layeredEmbedder struct {
	layer  Layer
	next   Embedder
	tokens func(string) int
}

// Embed implements Embedder.
func (l *layeredEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error) {
	var out [][]float32
	size := func() (s Size) {
		for _, t := range texts {
			s.Prompt += l.tokens(t)
		}
		return s
	}
	u, err := l.layer.Around(ctx, size, func(ctx context.Context) (usage.Usage, error) {
		got, u, err := l.next.Embed(ctx, texts)
		out = got
		return u, err
	})
	if err != nil {
		return nil, u, withUsage(err, u)
	}
	return out, u, nil
}
