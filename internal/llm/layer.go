package llm

import (
	"context"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Size is an upper bound on the tokens of a request.
type Size struct{ Prompt, Reply int }

// Send makes one request and returns its usage, even if it fails.
type Send func(context.Context) (usage.Usage, error)

// A Layer is middleware around a request. It may call send once, several times,
// after a delay or not at all, and returns the combined usage. Retry,
// RateLimiter, Breaker and Meter are layers, as is the result of Budget.Layer.
// They work for both completions and embeddings. size is a function because it
// is expensive and only some layers need it.
type Layer interface {
	Do(ctx context.Context, size func() Size, send Send) (usage.Usage, error)
}

// Wrap wraps next in layers, outermost first. tokens counts the tokens of a
// text and defaults to EstimateTokens.
func Wrap(next Completer, tokens func(string) int, layers ...Layer) Completer {
	if tokens == nil {
		tokens = EstimateTokens
	}
	for i := len(layers) - 1; i >= 0; i-- {
		next = &layeredCompleter{layers[i], next, tokens}
	}
	return next
}

// WrapEmbedder wraps next in layers, outermost first.
func WrapEmbedder(next Embedder, tokens func(string) int, layers ...Layer) Embedder {
	if tokens == nil {
		tokens = EstimateTokens
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
	u, err := l.layer.Do(ctx, func() Size { return sizeOf(r, l.tokens) }, func(ctx context.Context) (usage.Usage, error) {
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
	u, err := l.layer.Do(ctx, size, func(ctx context.Context) (usage.Usage, error) {
		got, u, err := l.next.Embed(ctx, texts)
		out = got
		return u, err
	})
	if err != nil {
		return nil, u, withUsage(err, u)
	}
	return out, u, nil
}

// A Meter is a layer that accumulates usage, including that of failed requests.
// It must be the outermost layer to count all attempts.
type Meter struct {
	mu    sync.Mutex
	total usage.Usage
}

// Do adds the usage of send to the total.
func (m *Meter) Do(ctx context.Context, _ func() Size, send Send) (usage.Usage, error) {
	u, err := send(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total = m.total.Add(u)
	return u, err
}

// Total returns the usage so far.
func (m *Meter) Total() usage.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// A Clock provides the time to the layers.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx.Err() as soon as ctx is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// NewClock returns a Clock that reads the time from now and sleeps in real
// time.
func NewClock(now func() time.Time) Clock { return clock(now) }

type clock func() time.Time

// Now implements Clock.
func (c clock) Now() time.Time { return c() }

// Sleep implements Clock.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
