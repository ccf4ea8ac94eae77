package llm

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Size is an upper bound on the tokens of a request.
type Size struct{ Prompt, Reply int }

// A call is a request to a server, as a sender sees it.
type call struct {
	// size is a function because counting tokens is expensive and few senders need it.
	size func() Size
	// send sends the request once and returns its usage, even if it fails.
	send func(context.Context) (usage.Usage, error)
	// adapt changes the request after an error so that it can be sent again at once, or
	// returns the error to report instead. It may be nil.
	adapt          func(context.Context, error) (again bool, _ error)
	timeoutIsFinal bool // a timeout is not retried
}

// A sender sends the requests to one server: all that decides when a request is sent, how
// often, and whether at all, is in do and try. Nothing else retries.
type sender struct {
	clock   Clock // whose sleepers the breaker wakes
	retries int   // after the first attempt
	onRetry func(err error, wait time.Duration)
	breaker *Breaker
	budget  *Budget
	price   price
	slots   *slots        // nil means no limit
	tokens  *tokenLimiter // nil means no limit
	rate    *rateLimiter
}

// newSender returns a sender with the limits of o and a budget.
func newSender(o Options, b *Budget, p price) *sender {
	breaker := NewBreaker(o.Clock)
	s := &sender{clock: breaker.Clock(o.Clock), retries: o.Retries, onRetry: o.OnRetry, breaker: breaker, budget: b, price: p}
	s.rate = newRateLimiter(o.RPM, s.clock, o.OnThrottled)
	if o.TPM > 0 {
		s.tokens = newTokenLimiter(o.TPM, s.clock)
	}
	if o.Concurrency > 0 {
		s.slots = newSlots(o.Concurrency, breaker, o.OnConcurrency)
	}
	return s
}

// do sends a request until it succeeds, fails permanently or runs out of retries. It
// returns the usage of all attempts.
//
// A request that adapt changes is sent again at once. Transient errors are 408, 425, 429,
// 5xx, broken connections and timeouts. The delay before a retry is requested by the
// server, up to maxWait, or else exponential with jitter. A 429 does not count as an
// attempt while the server answers nothing else: rateLimiter then limits the time.
func (s *sender) do(ctx context.Context, c call) (used usage.Usage, err error) {
	delays := newBackOff()
	for attempt := 0; ; {
		responses, err := s.breaker.begin()
		if err != nil {
			return used, err
		}
		u, err := s.try(ctx, c)
		used = used.Add(u)
		if err != nil && ctx.Err() != nil {
			return used, err
		}
		if err != nil && c.adapt != nil {
			again := false
			if again, err = c.adapt(ctx, err); again {
				continue
			}
		}
		err = s.breaker.end(err, responses)
		if err == nil || ctx.Err() != nil || attempt >= s.retries || !IsTransient(err) || c.timeoutIsFinal && isA[*TimeoutError](err) {
			return used, err
		}
		if e, ok := errors.AsType[*StatusError](err); ok && e.throttled {
			delays.Reset() // rateLimiter pauses
		} else {
			attempt++
		}
		if err := waitToRetry(ctx, s.clock, delays, err, s.onRetry); err != nil {
			return used, err
		}
	}
}

// try sends a request once, as soon as budget, concurrency, tokens and requests per minute
// allow it. It waits for the rate last, so that the request is sent immediately afterwards.
func (s *sender) try(ctx context.Context, c call) (u usage.Usage, err error) {
	var size Size
	if s.tokens != nil || s.budget.isLimited() {
		size = c.size()
	}
	estimate := s.price.cost(size.Prompt, size.Reply)
	if err := s.budget.reserve(ctx, estimate); err != nil {
		return u, err
	}
	defer func() {
		billed := u
		if u.PromptTokens == 0 && (err == nil || isA[*TimeoutError](err)) {
			billed.PromptTokens = size.Prompt // not reported, or an attempt that may be billed
		}
		s.budget.settle(estimate, s.price.cost(billed.PromptTokens, billed.CompletionTokens))
	}()
	generation, err := s.slots.acquire(ctx)
	if err != nil {
		return u, err
	}
	defer func() { s.slots.release(generation, err) }()
	reserved, err := s.tokens.reserve(ctx, size)
	if err != nil {
		return u, err
	}
	if err := s.rate.wait(ctx); err != nil {
		s.tokens.settle(reserved, usage.Usage{})
		return u, err
	}
	sent := s.clock.Now()
	s.tokens.start(reserved)
	u, err = c.send(ctx)
	counted := u
	if counted.Tokens() == 0 {
		counted.PromptTokens = size.Prompt // the server may count unanswered requests
	}
	s.tokens.settle(reserved, counted)
	return u, s.rate.adapt(err, sent, s.clock.Now())
}

// Retry calls f again after transient errors, with the delays of other requests. notify may
// be nil.
func Retry(ctx context.Context, clock Clock, retries int, notify func(err error, wait time.Duration), f func(context.Context) error) error {
	delays := newBackOff()
	for attempt := 0; ; attempt++ {
		err := f(ctx)
		if err == nil || ctx.Err() != nil || attempt >= retries || !IsTransient(err) {
			return err
		}
		if err := waitToRetry(ctx, clock, delays, err, notify); err != nil {
			return err
		}
	}
}

// newBackOff returns delays of 0.5 s, 1 s, 2 s and so on up to 30 s, with jitter.
func newBackOff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval:     500 * time.Millisecond,
		RandomizationFactor: 0.5,
		Multiplier:          2,
		MaxInterval:         30 * time.Second,
	}
}

// waitToRetry waits until a request that failed with err is to be sent again.
func waitToRetry(ctx context.Context, clock Clock, delays *backoff.ExponentialBackOff, err error, notify func(error, time.Duration)) error {
	wait := delays.NextBackOff()
	if e, ok := errors.AsType[*StatusError](err); ok {
		if requested, explicit := retryAfter(e, clock.Now()); explicit || requested > 0 {
			// Jitter spreads requests that were rejected together.
			wait = min(requested, maxWait) + wait/10
		}
	}
	if notify != nil {
		notify(err, wait)
	}
	return clock.Sleep(ctx, wait)
}

// A Clock provides the time.
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
