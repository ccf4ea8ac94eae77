package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A call is a request to a server, as a sender sees it.
type call struct {
	// size is a function because counting tokens is expensive and few senders need it.
	size  func() Size
	price price
	// send sends the request once and returns its usage, even if it fails.
	send func(context.Context) (usage.Usage, error)
	// adapt changes the request after an error so that it can be sent again at once, or
	// returns the error to report instead. It may be nil.
	adapt          func(context.Context, error) (again bool, _ error)
	timeout        time.Duration // of an attempt; 0 for none
	timeoutIsFinal bool          // a timeout is not retried
}

// A monitor is the lock of the senders of a run, which share a budget.
type monitor struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced after a change, for requests that wait for one
}

// A sender sends the requests of a run to a server: all that decides when a request is sent, how
// often, and whether at all, is in do and its parts, which share one lock. Nothing else retries.
type sender struct {
	*monitor

	clock   Clock
	retries int // after the first attempt

	onRetry func(err error, wait time.Duration) // may be nil
	notify  func(text string)

	breaker *breaker
	budget  *budget
	slots   *slots
	tokens  *tokenLimiter // nil means no limit
	rate    *rateLimiter

	deadlines deadlines
}

// update calls f with the lock held, and wakes all that wait.
func (s *sender) update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait calls check until it returns no wait, at the latest after the time that it returned
// and after every change. It returns the error of check, ctx or an open breaker. check is
// called with the lock held.
func (s *sender) wait(ctx context.Context, check func(now time.Time) (time.Duration, error)) error {
	for {
		s.mu.Lock()
		err, d := s.breaker.downErr, time.Duration(0)
		if err == nil {
			d, err = check(s.clock.Now())
		}
		changed := s.changed
		s.mu.Unlock()
		if err != nil || d <= 0 {
			return err
		}
		sleepCtx, cancel := context.WithCancel(ctx)
		if d == untilChange {
			select {
			case <-changed:
			case <-ctx.Done():
			}
		} else {
			go func() {
				select {
				case <-changed:
					cancel()
				case <-sleepCtx.Done():
				}
			}()
			_ = s.clock.Sleep(sleepCtx, d)
		}
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
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
		u, responses, err := s.try(ctx, c)
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
		s.update(func() { err = s.breaker.end(err, responses, s.clock.Now()) })
		if err == nil || ctx.Err() != nil || attempt >= s.retries || !IsTransient(err) || c.timeoutIsFinal && isA[*TimeoutError](err) {
			return used, err
		}
		if e, ok := errors.AsType[*StatusError](err); ok && e.throttled {
			delays.Reset() // rateLimiter pauses
		} else {
			attempt++
		}
		end := s.clock.Now().Add(retryDelay(delays, err, s.clock.Now(), s.onRetry))
		if err := s.wait(ctx, func(now time.Time) (time.Duration, error) { return end.Sub(now), nil }); err != nil {
			return used, err
		}
	}
}

// try sends a request once, as soon as budget, concurrency, tokens and requests per minute
// allow it. It also returns the number of responses to other requests before.
func (s *sender) try(ctx context.Context, c call) (u usage.Usage, responses int, err error) {
	var size Size
	if s.tokens != nil || s.budget.isLimited() {
		size = c.size()
	}
	estimate := c.price.cost(size.Prompt, size.Reply)
	var sent time.Time
	var generation int
	var reserved *reservation
	var timer *deadline
	attempt, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = s.wait(ctx, func(now time.Time) (time.Duration, error) {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		d, err := s.budget.delay(estimate)
		if d = max(d, s.slots.delay(), s.tokens.delay(size, now), s.rate.delay(now)); d > 0 || err != nil {
			return d, err
		}
		s.budget.reserve(estimate)
		generation, reserved = s.slots.take(), s.tokens.reserve(size, now)
		s.rate.take(now)
		timer = s.deadlines.start(cancel, c.timeout)
		sent, responses = now, s.breaker.responses
		return 0, nil
	})
	if err != nil {
		return u, responses, err
	}
	u, err = c.send(attempt)
	switch {
	case isReply(err):
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(context.Cause(attempt), context.DeadlineExceeded):
		err = &TimeoutError{After: c.timeout}
	}
	billed, counted := u, u
	if u.PromptTokens == 0 && (err == nil || isA[*TimeoutError](err)) {
		billed.PromptTokens = size.Prompt // not reported, or an attempt that may be billed
	}
	if u.Tokens() == 0 {
		counted.PromptTokens = size.Prompt // the server may count unanswered requests
	}
	lowered, throttled := 0, false
	s.update(func() {
		now := s.clock.Now()
		before, noticed := s.slots.reached(), s.rate.noticeable
		err = s.rate.adapt(err, sent, now)
		s.tokens.settle(reserved, counted)
		s.slots.release(generation, err, now)
		s.deadlines.end(timer, isReply(err))
		s.budget.settle(estimate, c.price.cost(billed.PromptTokens, billed.CompletionTokens))
		if before == 0 {
			lowered = s.slots.reached()
		}
		throttled = s.rate.noticeable && !noticed
	})
	switch {
	case lowered == 1:
		s.notify("the server answers one request at a time; sending 1 at once")
	case lowered > 0:
		s.notify(fmt.Sprintf("the server does not keep up with %d requests at once; sending %d", s.slots.max, lowered))
	case throttled && s.onRetry == nil: // which reports each wait
		s.notify(fmt.Sprintf("waiting: %v", err))
	}
	return u, responses, err
}

// Retry calls f, and calls it again after transient errors with the delays of other requests. notify may
// be nil.
func Retry(ctx context.Context, clock Clock, retries int, notify func(err error, wait time.Duration), f func(context.Context) error) error {
	delays := newBackOff()
	for attempt := 0; ; attempt++ {
		err := f(ctx)
		if err == nil || ctx.Err() != nil || attempt >= retries || !IsTransient(err) {
			return err
		}
		if err := clock.Sleep(ctx, retryDelay(delays, err, clock.Now(), notify)); err != nil {
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

// retryDelay returns how long to wait before a request that failed with err is sent again.
func retryDelay(delays *backoff.ExponentialBackOff, err error, now time.Time, notify func(error, time.Duration)) time.Duration {
	wait := delays.NextBackOff()
	if e, ok := errors.AsType[*StatusError](err); ok {
		if after, ok := retryAfter(e, now); ok {
			// Jitter spreads requests that were rejected together.
			wait = min(after, maxWait) + wait/10
		}
	}
	if notify != nil {
		notify(err, wait)
	}
	return wait
}
