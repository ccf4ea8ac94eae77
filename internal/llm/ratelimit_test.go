package llm

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A pause that starts while requests are queued also applies to them.
func TestPauseAppliesToQueuedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testSender(Options{RPM: 60, Clock: NewClock(time.Now)})
		start := time.Now()
		var mu sync.Mutex
		var sent []time.Duration
		c := through(s, completerFunc(func(ctx context.Context, _ *Request) (*Reply, error) {
			mu.Lock()
			sent = append(sent, time.Since(start))
			first := len(sent) == 1
			mu.Unlock()
			if !first {
				return &Reply{}, nil
			}
			_ = NewClock(time.Now).Sleep(ctx, 500*time.Millisecond) // until the others are queued
			return nil, status(429, "Retry-After", "20")
		}), 0)
		inParallel(5, func(int) { _, _ = c.Complete(t.Context(), newRequest(nil)) })
		if sent[1] < 20*time.Second || sent[4] < sent[1]+time.Second {
			t.Errorf("got requests at %v, want at least 20s between the first two", sent)
		}
	})
}

func TestRateLimiterLimitsRequests(t *testing.T) {
	clock := newFakeClock()
	start := clock.Now()
	sender := testSender(Options{RPM: 60, Clock: clock})
	p, c := sender.rate, through(sender, &script{}, 0)
	for range 31 {
		mustComplete(t, c, newRequest(nil))
	}
	if d := clock.Now().Sub(start); d < 29*time.Second || d > 31*time.Second {
		t.Errorf("31 requests at 60 per minute took %s, want 30s", d)
	}
	if float64(p.limit)*60 != 60 {
		t.Errorf("got %v requests per minute, want 60", float64(p.limit)*60)
	}
}

func TestRateLimiterSlowsDownAndRecovers(t *testing.T) {
	clock := newFakeClock()
	sender := testSender(Options{RPM: 600, Clock: clock})
	s := &script{steps: []error{status(429, "Retry-After", "20"), status(429), nil}}
	p, c := sender.rate, through(sender, s, 0)
	_, _ = c.Complete(t.Context(), newRequest(nil))
	slow := float64(p.limit) * 60
	before := clock.Now()
	_, _ = c.Complete(t.Context(), newRequest(nil))
	if d := clock.Now().Sub(before); d < 20*time.Second {
		t.Errorf("got a pause of %s, want at least 20s", d)
	}
	if slow != 420 || float64(p.limit)*60 >= slow {
		t.Errorf("got %v, then %v requests per minute, want 420, then fewer", slow, float64(p.limit)*60)
	}
	for range 200 {
		_, _ = c.Complete(t.Context(), newRequest(nil))
		clock.pass(500 * time.Millisecond)
	}
	if float64(p.limit)*60 != 600 {
		t.Errorf("recovered to %v requests per minute, want 600", float64(p.limit)*60)
	}
}

func TestRateLimiterAdaptsWithoutLimit(t *testing.T) {
	clock := newFakeClock()
	sender := testSender(Options{Clock: clock})
	p := sender.rate
	steps := make([]error, 40)
	steps[39] = status(429)
	s := &script{steps: append(steps, nil)}
	c := through(sender, s, 0)
	for range 40 {
		if !math.IsInf(float64(p.limit)*60, 1) {
			t.Fatalf("got a limit of %v before the first 429, want none", p.limit)
		}
		_, _ = c.Complete(t.Context(), newRequest(nil))
		clock.pass(100 * time.Millisecond)
	}
	if l := float64(p.limit) * 60 / 60; l < 5 || l > 9 {
		t.Errorf("got %v requests per second, want 5 to 9 after a 429 at 10", l)
	}
	for range 400 {
		_, _ = c.Complete(t.Context(), newRequest(nil))
		clock.pass(500 * time.Millisecond)
	}
	if !math.IsInf(float64(p.limit)*60, 1) {
		t.Errorf("got %v requests per minute, want no limit", float64(p.limit)*60)
	}
}

func TestRateLimiterKeepsMinimumRate(t *testing.T) {
	clock := newFakeClock()
	p := newRateLimiter(600)
	for range 100 {
		_ = p.adapt(status(429), clock.Now(), clock.Now())
		clock.pass(time.Second)
	}
	if l := float64(p.limit) * 60; l < 30 {
		t.Errorf("got %v requests per minute, want at least 30", l)
	}
}
