package llm

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A pause that begins while requests are queued applies to them too.
func TestPauseAppliesToQueuedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewRateLimiter(60, 0, NewClock(time.Now))
		start := time.Now()
		var mu sync.Mutex
		var sent []time.Duration
		c := Wrap(completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
			mu.Lock()
			sent = append(sent, time.Since(start))
			first := len(sent) == 1
			mu.Unlock()
			if !first {
				return &Reply{}, nil
			}
			_ = NewClock(time.Now).Sleep(ctx, 500*time.Millisecond) // until the others are queued
			return nil, status(429, "Retry-After", "20")
		}), nil, p)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { _, _ = c.Complete(t.Context(), ask(nil)) })
		}
		wg.Wait()
		if sent[1] < 20*time.Second || sent[4] < sent[1]+time.Second {
			t.Errorf("got requests at %v", sent)
		}
	})
}

func TestPaceLimitsRequests(t *testing.T) {
	clock := newFakeClock()
	start := clock.Now()
	p := NewRateLimiter(60, 0, clock)
	c := Wrap(&script{}, nil, p)
	for range 31 {
		if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if d := clock.Now().Sub(start); d < 29*time.Second || d > 31*time.Second {
		t.Errorf("31 requests at 60 a minute took %s", d)
	}
	if float64(p.limit)*60 != 60 {
		t.Errorf("got pace %v", float64(p.limit)*60)
	}
}

func TestPaceLimitsTokens(t *testing.T) {
	clock := newFakeClock()
	start := clock.Now()
	c := Wrap(&script{usage: usage.Usage{Requests: 1, PromptTokens: 900, CompletionTokens: 100}}, func(string) int { return 250 }, NewRateLimiter(0, 60_000, clock))
	for range 60 {
		if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
			t.Fatal(err)
		}
	}
	// 60,000 tokens at 60,000 per minute: a quarter of the prompts is sent at once.
	if d := clock.Now().Sub(start); d < 40*time.Second || d > 62*time.Second {
		t.Errorf("took %s, which is too long or too short", d)
	}
}

func TestPaceAllowsPromptAboveLimit(t *testing.T) {
	c := Wrap(&script{}, func(string) int { return 1e6 }, NewRateLimiter(0, 100, newFakeClock()))
	if _, err := c.Complete(t.Context(), ask(nil)); err != nil {
		t.Error(err)
	}
}

func TestPaceSlowsDownAndRecovers(t *testing.T) {
	clock := newFakeClock()
	p := NewRateLimiter(600, 0, clock)
	s := &script{steps: []error{status(429, "Retry-After", "20"), status(429), nil}}
	c := Wrap(s, nil, p)
	_, _ = c.Complete(t.Context(), ask(nil))
	slow := float64(p.limit) * 60
	before := clock.Now()
	_, _ = c.Complete(t.Context(), ask(nil))
	if d := clock.Now().Sub(before); d < 20*time.Second {
		t.Errorf("got a pause of %s", d)
	}
	if slow != 420 || float64(p.limit)*60 >= slow {
		t.Errorf("got paces %v, then %v", slow, float64(p.limit)*60)
	}
	for range 200 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(500 * time.Millisecond)
	}
	if float64(p.limit)*60 != 600 {
		t.Errorf("recovered to %v", float64(p.limit)*60)
	}
}

func TestPaceFindsLimitWithoutConfig(t *testing.T) {
	clock := newFakeClock()
	p := NewRateLimiter(0, 0, clock)
	steps := make([]error, 40)
	steps[39] = status(429)
	s := &script{steps: append(steps, nil)}
	c := Wrap(s, nil, p)
	for range 40 {
		if !math.IsInf(float64(p.limit)*60, 1) {
			t.Fatal("limited before the first 429")
		}
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(100 * time.Millisecond)
	}
	if l := float64(p.limit) * 60 / 60; l < 5 || l > 9 {
		t.Errorf("got a limit of %v after 10 requests a second", l)
	}
	for range 400 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(500 * time.Millisecond)
	}
	if !math.IsInf(float64(p.limit)*60, 1) {
		t.Errorf("got a limit of %v", float64(p.limit)*60)
	}
}

func TestPaceNeverStops(t *testing.T) {
	clock := newFakeClock()
	p := NewRateLimiter(600, 0, clock)
	c := Wrap(&script{steps: []error{status(429)}}, nil, p)
	for range 100 {
		_, _ = c.Complete(t.Context(), ask(nil))
		clock.pass(time.Second)
	}
	if l := float64(p.limit) * 60; l < 30 {
		t.Errorf("got a limit of %v", l)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Complete(ctx, ask(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
