package llm

import (
	"context"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// slotsPerMinute divides a minute into equal slots. Each slot allows its share
// of prompt tokens, which prevents bursts.
const slotsPerMinute = 4

// A tokenLimiter keeps the tokens in every sliding minute below a limit. A
// request reserves the tokens of its prompt and its longest possible reply
// before it is sent. Its actual usage replaces the reservation once the reply
// arrives. A nil tokenLimiter has no limit. A request larger than the limit waits until no other reservation is
// active, is sent alone, and then blocks others for as many minutes as it
// exceeds the limit.
type tokenLimiter struct {
	clock Clock
	limit float64
	turn  chan struct{} // semaphore: only one request waits for a reservation at a time

	mu       sync.Mutex
	reserved map[*reservation]struct{}
	wake     context.CancelFunc // wakes the waiting request, if any
}

// A reservation accounts for a request that is about to be sent or was sent
// recently.
type reservation struct {
	prompt, tokens float64
	sent           time.Time // zero before it is sent
}

func newTokenLimiter(perMinute int, clock Clock) *tokenLimiter {
	return &tokenLimiter{clock: clock, limit: float64(perMinute), turn: make(chan struct{}, 1), reserved: map[*reservation]struct{}{}}
}

// reserve waits until a request of size s fits. Requests are served in order.
func (t *tokenLimiter) reserve(ctx context.Context, s Size) (*reservation, error) {
	if t == nil {
		return nil, nil
	}
	select {
	case t.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.turn }()
	for {
		sleepCtx, wake := context.WithCancel(ctx)
		r, wait := t.tryReserve(s, wake)
		if r != nil {
			wake()
			return r, nil
		}
		err := t.clock.Sleep(sleepCtx, wait)
		woken := sleepCtx.Err() != nil
		wake()
		if err != nil && (ctx.Err() != nil || !woken) {
			return nil, err
		}
	}
}

// tryReserve adds a reservation if the request fits. Otherwise it returns how
// long to wait; wake is called if a reservation changes earlier.
func (t *tokenLimiter) tryReserve(s Size, wake context.CancelFunc) (*reservation, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	inMinute, inSlot, wait := 0.0, 0.0, time.Minute
	for r := range t.reserved {
		age := now.Sub(r.sent)
		if r.sent.IsZero() {
			age = 0
		}
		remaining := t.lifetime(r) - age
		if remaining <= 0 {
			delete(t.reserved, r)
			continue
		}
		inMinute += r.tokens
		if slotRemaining := time.Minute/slotsPerMinute - age; slotRemaining > 0 {
			inSlot += r.prompt
			remaining = min(remaining, slotRemaining)
		}
		wait = min(wait, remaining)
	}
	r := &reservation{prompt: float64(s.Prompt), tokens: float64(s.Prompt + s.Reply)}
	if inMinute > 0 && inMinute+r.tokens > t.limit || inSlot > 0 && inSlot+r.prompt > t.limit/slotsPerMinute {
		t.wake = wake
		return nil, wait
	}
	t.reserved[r], t.wake = struct{}{}, nil
	return r, 0
}

// lifetime returns how long a reservation counts after its request was sent.
func (t *tokenLimiter) lifetime(r *reservation) time.Duration {
	return max(time.Minute, time.Duration(r.tokens/t.limit*float64(time.Minute)))
}

// start marks a request as sent.
func (t *tokenLimiter) start(r *reservation) {
	if t != nil {
		t.update(func() { r.sent = t.clock.Now() })
	}
}

// settle replaces the estimate of a reservation with the actual usage.
func (t *tokenLimiter) settle(r *reservation, u usage.Usage) {
	if t == nil {
		return
	}
	t.update(func() {
		r.prompt, r.tokens = float64(u.PromptTokens), float64(u.Tokens())
		if r.tokens <= 0 {
			delete(t.reserved, r)
		}
	})
}

// update calls f with the lock held and wakes the waiting request.
func (t *tokenLimiter) update(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	if t.wake != nil {
		t.wake()
		t.wake = nil
	}
}
