package llm

import (
	"context"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// shares is how many parts of equal length a minute has. Prompts are spread over
// them, so that a minute's tokens are not sent at once.
const shares = 4

// A tokenPace keeps the tokens of any minute, wherever it begins, below a limit. A
// request is booked as a whole, with the room for its reply, before it is sent, and
// corrected when its reply is there. One that is larger than the limit waits for a
// minute in which nothing was sent, goes alone, and takes as many of the following
// minutes as it has limits.
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
	prompt, tokens float64
	sent           time.Time // zero until it is sent: it counts until then
}

func newTokenPace(perMinute int, c Clock) *tokenPace {
	return &tokenPace{clock: c, perMinute: float64(perMinute), turn: make(chan struct{}, 1), booked: map[*booking]struct{}{}}
}

// book waits until a request of that size fits. Those who wait come in turn.
func (t *tokenPace) book(ctx context.Context, s Size) (*booking, error) {
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.turn }()
	for {
		sleep, wake := context.WithCancel(ctx)
		b, wait := t.place(s, wake)
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

// place books a request, or returns how long to wait unless wake is called before.
func (t *tokenPace) place(s Size, wake context.CancelFunc) (*booking, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	minute, share, wait := 0.0, 0.0, time.Minute
	for b := range t.booked {
		if b.sent.After(now) { // the clock was set back
			b.sent = now
		}
		age := now.Sub(b.sent)
		if b.sent.IsZero() {
			age = 0
		}
		left := t.span(b) - age
		if left <= 0 {
			delete(t.booked, b)
			continue
		}
		minute += b.tokens
		if first := time.Minute/shares - age; first > 0 {
			share += b.prompt
			left = min(left, first)
		}
		wait = min(wait, left)
	}
	b := &booking{prompt: float64(s.Prompt), tokens: float64(s.Prompt + s.Room)}
	if minute > 0 && minute+b.tokens > t.perMinute || share > 0 && share+b.prompt > t.perMinute/shares {
		t.wake = wake
		return nil, wait
	}
	t.booked[b], t.wake = struct{}{}, nil
	return b, 0
}

// span is how long a booking counts after it was sent.
func (t *tokenPace) span(b *booking) time.Duration {
	return max(time.Minute, time.Duration(b.tokens/t.perMinute*float64(time.Minute)))
}

// start says that a request is sent now.
func (t *tokenPace) start(b *booking) { t.change(func() { b.sent = t.clock.Now() }) }

// settle corrects what a request was booked for.
func (t *tokenPace) settle(b *booking, u usage.Usage) {
	t.change(func() {
		b.prompt, b.tokens = float64(u.PromptTokens), float64(u.Tokens())
		if b.tokens <= 0 {
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
