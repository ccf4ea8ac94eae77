package llm

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// What opens a breaker. A lost connection or a timeout weighs connectionWeight
// and a 5xx weighs 1; the sum since the last answer must reach fullWeight, which
// four lost connections do: with Retry's waits that is within six seconds. A server that has answered before is given grace to
// come back, as one that is restarted does; one that has not, and only refuses
// what it is sent, is asked for something that it never grants: that weighs 1 too.
const (
	connectionWeight = 4
	fullWeight       = 16
	grace            = 5 * time.Second
)

// A Breaker ends a run whose server is down or refuses it, instead of letting
// every row fail by itself. Once open it stays so: each call returns a *DownError
// at once, and those that sleep on its Clock are woken with it. A refused key
// (401, 403), an unknown model or path (404, 405), used-up credit, a redirect to
// somewhere else, an untrusted certificate and an answer that is no API's open it
// at once.
type Breaker struct {
	clock Clock

	mu       sync.Mutex
	open     *DownError
	weight   int
	since    time.Time // the first failure since the last answer
	answered bool      // has the server ever?
	wake     map[int]context.CancelFunc
	next     int
}

// NewBreaker is a closed one.
func NewBreaker(c Clock) *Breaker {
	return &Breaker{clock: c, wake: map[int]context.CancelFunc{}}
}

// Err is the *DownError that opened it, or nil.
func (b *Breaker) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return nil
	}
	return b.open
}

// Around lets send through while closed. It stands inside Retry, so that it sees
// each try.
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
	b.see(err)
	if err != nil && b.open != nil {
		return u, b.open
	}
	return u, err
}

// see weighs the outcome of a try; b is locked.
func (b *Breaker) see(err error) {
	if b.open != nil {
		return
	}
	weight, hopeless := severity(err)
	if e, ok := errors.AsType[*StatusError](err); ok && weight == 0 && e.Status != http.StatusTooManyRequests && !b.answered {
		weight = 1
	}
	switch {
	case hopeless:
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
		if b.weight < fullWeight || b.answered && now.Sub(b.since) < grace {
			return
		}
	}
	b.open = &DownError{Cause: withUsage(err, usage.Usage{})} // its cost is that of one call, and not of all that end with it
	for _, cancel := range b.wake {
		cancel()
	}
}

// severity is 0 for an answer of whatever kind, and negative for an error that
// says nothing about the server.
func severity(err error) (weight int, hopeless bool) {
	if err == nil {
		return 0, false
	}
	if e, ok := errors.AsType[*NetworkError](err); ok {
		return connectionWeight, e.Certificate
	}
	if _, ok := errors.AsType[*TimeoutError](err); ok {
		return connectionWeight, false
	}
	if _, ok := errors.AsType[*BudgetError](err); ok || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
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

// Clock is c for those who wait to send: their sleep ends with the *DownError when
// the breaker opens.
func (b *Breaker) Clock(c Clock) Clock { return &wakeful{c, b} }

type wakeful struct {
	Clock
	b *Breaker
}

// Sleep is the clock's, cut short by the breaker.
func (w *wakeful) Sleep(ctx context.Context, d time.Duration) error {
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
