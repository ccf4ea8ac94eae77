package llm

import (
	"context"
	"sync"
	"time"
)

// shares is how many parts of equal length a minute has. No part of a minute,
// wherever it begins, has more than its share of the tokens.
const shares = 4

// A tokenPace keeps tokens per minute below a limit. A request is booked as a whole,
// with the room for its reply, before it is sent, and corrected when its reply is
// there. What is larger than a share waits until nothing else is booked, goes alone,
// and takes as much of the following time as it has tokens.
type tokenPace struct {
	clock     Clock
	perMinute float64
	turn      chan struct{} // holds a value while a request waits to be booked

	mu     sync.Mutex
	booked map[*booking]struct{}
	wake   context.CancelFunc // of the request that waits; nil for none
}

// A booking is a request that is to be sent or was sent a short time ago.
type booking struct {
	tokens float64
	sent   time.Time // zero until it is sent: it counts until then
}

func newTokenPace(perMinute int, c Clock) *tokenPace {
	return &tokenPace{clock: c, perMinute: float64(perMinute), turn: make(chan struct{}, 1), booked: map[*booking]struct{}{}}
}

// book waits until n tokens fit. Those who wait come in turn.
func (t *tokenPace) book(ctx context.Context, n int) (*booking, error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.turn }()
	for {
		sleep, wake := context.WithCancel(ctx)
		b, wait := t.place(float64(n), wake)
		if b != nil {
			wake()
			return b, nil
		}
		err := t.clock.Sleep(sleep, wait)
		woken := sleep.Err() != nil
		wake()
		if err != nil && (ctx.Err() != nil || !woken) {
			return nil, err
		}
	}
}

// place books n tokens, or returns how long to wait unless wake is called before.
func (t *tokenPace) place(n float64, wake context.CancelFunc) (*booking, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	used, wait := 0.0, time.Minute
	for b := range t.booked {
		if b.sent.IsZero() {
			used += b.tokens
			continue
		}
		if b.sent.After(now) { // the clock was set back
			b.sent = now
		}
		left := t.span(b).Round(time.Microsecond) - now.Sub(b.sent)
		if left <= 0 {
			delete(t.booked, b)
			continue
		}
		used += b.tokens
		wait = min(wait, left)
	}
	if used > 0 && used+n > t.perMinute/shares {
		t.wake = wake
		return nil, wait
	}
	b := &booking{tokens: n}
	t.booked[b], t.wake = struct{}{}, nil
	return b, 0
}

// span is how long a booking counts after it was sent.
func (t *tokenPace) span(b *booking) time.Duration {
	return max(time.Minute/shares, time.Duration(b.tokens/t.perMinute*float64(time.Minute)))
}

// start says that a request is sent now.
func (t *tokenPace) start(b *booking) { t.change(func() { b.sent = t.clock.Now() }) }

// settle corrects what a request was booked for.
func (t *tokenPace) settle(b *booking, tokens int) {
	t.change(func() {
		b.tokens = float64(tokens)
		if tokens <= 0 {
			delete(t.booked, b)
		}
	})
}

func (t *tokenPace) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	if t.wake != nil {
		t.wake()
		t.wake = nil
	}
}
