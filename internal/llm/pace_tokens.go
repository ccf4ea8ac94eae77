package llm

import (
	"context"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// minuteParts is the number of equal parts of a minute over which prompts are
// spread, so that the tokens of a minute are not sent all at once.
const minuteParts = 4

// A tokenPace keeps the tokens of every sliding minute below a limit. A request is
// reserved with its longest possible reply before it is sent, and corrected when
// its reply arrives. A request that is larger than the limit waits for a minute
// without others, is sent alone, and occupies a minute for each multiple of the limit.
type tokenPace struct {
	clock     Clock
	perMinute float64
	queue     chan struct{} // holds a value while a request waits for its reservation

	mu       sync.Mutex
	reserved map[*reservation]struct{}
	wake     context.CancelFunc // wakes the waiting request; nil if there is none
}

// A reservation is a request that is about to be sent or was sent recently.
type reservation struct {
	prompt, tokens float64
	sent           time.Time // zero until it is sent
}

func newTokenPace(perMinute int, c Clock) *tokenPace {
	return &tokenPace{clock: c, perMinute: float64(perMinute), queue: make(chan struct{}, 1), reserved: map[*reservation]struct{}{}}
}

// reserve waits until a request of that size fits. Requests are served in order.
func (t *tokenPace) reserve(ctx context.Context, s Size) (*reservation, error) {
	select {
	case t.queue <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.queue }()
	for {
		sleep, wake := context.WithCancel(ctx)
		r, wait := t.tryReserve(s, wake)
		if r != nil {
			wake()
			return r, nil
		}
		err := t.clock.Sleep(sleep, wait)
		woken := sleep.Err() != nil
		wake()
		if err != nil && (ctx.Err() != nil || !woken) {
			return nil, err
		}
	}
}

// tryReserve adds a reservation if the request fits. Otherwise it returns how long
// to wait, and calls wake if something changes before that.
func (t *tokenPace) tryReserve(s Size, wake context.CancelFunc) (*reservation, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.clock.Now()
	minute, part, wait := 0.0, 0.0, time.Minute
	for r := range t.reserved {
		if r.sent.After(now) { // the clock was set back
			r.sent = now
		}
		age := now.Sub(r.sent)
		if r.sent.IsZero() {
			age = 0
		}
		left := t.lifetime(r) - age
		if left <= 0 {
			delete(t.reserved, r)
			continue
		}
		minute += r.tokens
		if inPart := time.Minute/minuteParts - age; inPart > 0 {
			part += r.prompt
			left = min(left, inPart)
		}
		wait = min(wait, left)
	}
	r := &reservation{prompt: float64(s.Prompt), tokens: float64(s.Prompt + s.Reply)}
	if minute > 0 && minute+r.tokens > t.perMinute || part > 0 && part+r.prompt > t.perMinute/minuteParts {
		t.wake = wake
		return nil, wait
	}
	t.reserved[r], t.wake = struct{}{}, nil
	return r, 0
}

// lifetime returns how long a reservation counts after it was sent.
func (t *tokenPace) lifetime(r *reservation) time.Duration {
	return max(time.Minute, time.Duration(r.tokens/t.perMinute*float64(time.Minute)))
}

// start records that a request is sent now.
func (t *tokenPace) start(r *reservation) { t.change(func() { r.sent = t.clock.Now() }) }

// settle corrects a reservation to the actual usage.
func (t *tokenPace) settle(r *reservation, u usage.Usage) {
	t.change(func() {
		r.prompt, r.tokens = float64(u.PromptTokens), float64(u.Tokens())
		if r.tokens <= 0 {
			delete(t.reserved, r)
		}
	})
}

// change calls f with the lock held and wakes the waiting request.
func (t *tokenPace) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	if t.wake != nil {
		t.wake()
		t.wake = nil
	}
}
