package llm

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// Failures since the last response add up: a lost connection or a timeout counts
// connectionWeight, a 5xx counts 1, and the breaker opens at openWeight. Four lost
// connections are enough, which with the waits of Retry take less than six seconds.
// A server that has responded before gets a grace period to restart. For one that
// has not, any other error response counts 1 too.
const (
	connectionWeight = 4
	openWeight       = 16
	grace            = 5 * time.Second
)

// A Breaker ends a run whose server is down or rejects all requests, instead of
// letting every row fail separately. Once open it stays open: each call returns a
// *DownError immediately, and callers that sleep on its Clock wake up with the same
// error. A rejected key (401, 403), an unknown model or path (404, 405), exhausted
// credit, a redirect, an untrusted certificate and a response that does not come
// from an API open it at once.
type Breaker struct {
	clock Clock

	mu       sync.Mutex
	open     *DownError
	weight   int
	since    time.Time // first failure since the last response
	answered bool      // whether the server has ever responded
	wake     map[int]context.CancelFunc
	next     int
}

// NewBreaker returns a closed breaker.
func NewBreaker(c Clock) *Breaker {
	return &Breaker{clock: c, wake: map[int]context.CancelFunc{}}
}

// Err returns the *DownError that opened the breaker, or nil.
func (b *Breaker) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return nil
	}
	return b.open
}

// Around calls send while the breaker is closed. It goes inside Retry, so that it
// sees every attempt.
func (b *Breaker) Around(ctx context.Context, _ func() Size, send Send) (usage.Usage, error) {
	if err := b.Err(); err != nil {
		return usage.Usage{}, err
	}
	u, err := send(ctx)
	if ctx.Err() != nil && err != nil {
		return u, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.record(err)
	if err != nil && b.open != nil {
		return u, b.open
	}
	return u, err
}

// record counts the outcome of an attempt. b.mu must be held.
func (b *Breaker) record(err error) {
	if b.open != nil {
		return
	}
	weight, fatal := severity(err)
	if e, ok := errors.AsType[*StatusError](err); ok && weight == 0 && e.Status != http.StatusTooManyRequests && !b.answered {
		weight = 1
	}
	switch {
	case fatal:
	case weight < 0:
		return
	case weight == 0:
		b.weight, b.answered = 0, true
		return
	default:
		now := b.clock.Now()
		if b.weight == 0 {
			b.since = now
		}
		b.weight += weight
		if b.weight < openWeight || b.answered && now.Sub(b.since) < grace {
			return
		}
	}
	b.open = &DownError{Cause: withUsage(err, usage.Usage{})} // one call paid for it, not all that fail with it
	for _, cancel := range b.wake {
		cancel()
	}
}

// severity returns the weight of an outcome: 0 if the server responded, and
// negative if the error says nothing about the server.
func severity(err error) (weight int, fatal bool) {
	if err == nil {
		return 0, false
	}
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return connectionWeight, e.Certificate
	}
	if isA[*TimeoutError](err) {
		return connectionWeight, false
	}
	if isA[*BudgetError](err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return -1, false
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok {
		return 0, false
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return 1, true
	case http.StatusOK:
		return connectionWeight, false
	}
	if e.Status < 400 || outOfCredit(e) {
		return 1, true
	}
	if e.Status >= 500 {
		return 1, false
	}
	return 0, false
}

// Clock wraps c so that Sleep returns the *DownError as soon as the breaker opens.
func (b *Breaker) Clock(c Clock) Clock { return &breakerClock{c, b} }

type breakerClock struct {
	Clock
	b *Breaker
}

// Sleep implements Clock.
func (w *breakerClock) Sleep(ctx context.Context, d time.Duration) error {
	sleep, cancel := context.WithCancel(ctx)
	defer cancel()
	w.b.mu.Lock()
	if w.b.open != nil {
		defer w.b.mu.Unlock()
		return w.b.open
	}
	id := w.b.next
	w.b.next++
	w.b.wake[id] = cancel
	w.b.mu.Unlock()
	err := w.Clock.Sleep(sleep, d)
	w.b.mu.Lock()
	defer w.b.mu.Unlock()
	delete(w.b.wake, id)
	if err != nil && ctx.Err() == nil && w.b.open != nil {
		return w.b.open
	}
	return err
}
