package llm

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

const (
	// trialRate is the share of the rate of replies that a lower limit must reach.
	trialRate = 0.75
	// minTrialReplies is the number of replies by which a lower limit is judged at least.
	minTrialReplies = 4
)

// slots limits the requests in flight to what the server can handle. The limit
// starts at its maximum. It is halved when a request times out or the server is
// overloaded (503, 504 or 529 without a delay), at most once for requests that
// were in flight together. It rises by one after as many replies as it allows
// requests. After as many 429s in a row, one request is sent at a time until
// there is a reply; otherwise 429s only change the rate (RateLimiter).
//
// Long latencies can also mean that requests wait in a queue of the server. If
// they take more than half of the timeout, a lower limit is tried: the one with
// which a request would take a third of the timeout if the server answered as
// many per second as before (Little's law). It stays if the server does.
// Otherwise the server just answers slowly, and the limit is restored.
type slots struct {
	clock   Clock
	max     int
	timeout time.Duration   // timeout of a request; 0 means none
	breaker *Breaker        // wakes waiting callers
	notify  func(limit int) // may be nil

	mu         sync.Mutex
	limit      int
	lowest     int // lowest limit so far
	inFlight   int
	changed    chan struct{} // closed and replaced when a request may be sent
	generation int           // number of times that the limit was lowered
	rejected   int           // 429s since the last reply
	queues     bool          // requests are known to wait in a queue of the server
	noQueue    bool          // a lower limit was tried and lowered the rate
	trial      *trial        // nil if no lower limit is being tried
	window     window
}

// A trial compares the rate of replies at a lower limit with the previous one.
type trial struct {
	limit int     // to restore
	rate  float64 // replies per second
}

// A window measures replies while nearly as many requests as allowed are in flight.
type window struct {
	start   time.Time
	replies int
	latency time.Duration // sum
}

// A slot is the permission to send a request.
type slot struct {
	generation int
	latency    time.Duration // set by the sender, with err
	err        error
}

func newSlots(n int, timeout time.Duration, b *Breaker, notify func(limit int)) *slots {
	return &slots{clock: b.clock, max: n, timeout: timeout, breaker: b, notify: notify, limit: n, lowest: n, changed: make(chan struct{})}
}

// reached returns the lowest limit so far, or 0 if it was never lowered.
func (s *slots) reached() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lowest == s.max {
		return 0
	}
	return s.lowest
}

// acquire waits until a request may be sent.
func (s *slots) acquire(ctx context.Context) (*slot, error) {
	for {
		s.mu.Lock()
		if s.inFlight == 0 || s.inFlight < s.limit && s.rejected < s.limit {
			defer s.mu.Unlock()
			s.inFlight++
			return &slot{generation: s.generation}, nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.breaker.opened:
			return nil, s.breaker.Err()
		}
	}
}

// release returns a slot and adapts the limit to the outcome of its request.
func (s *slots) release(t *slot) {
	now := s.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	busy := 4*s.inFlight >= 3*s.limit
	s.inFlight--
	e, ok := errors.AsType[*StatusError](t.err)
	switch {
	case ok && e.Status == http.StatusTooManyRequests:
		s.rejected++
	case isOverload(t.err, now):
		if t.generation == s.generation && s.limit > 1 {
			s.lower(s.limit / 2)
			s.report()
		}
	case isReply(t.err):
		s.rejected = 0
		s.measure(t, busy, now)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// isOverload reports whether a request failed because the server has too many.
func isOverload(err error, now time.Time) bool {
	if isA[*TimeoutError](err) {
		return true
	}
	e, ok := errors.AsType[*StatusError](err)
	if !ok || e.Status != http.StatusServiceUnavailable && e.Status != http.StatusGatewayTimeout && e.Status != 529 {
		return false
	}
	wait, _ := retryAfter(e, now)
	return wait == 0
}

// lower sets a lower limit. s.mu must be held.
func (s *slots) lower(n int) {
	s.limit = max(n, 1)
	s.lowest = min(s.lowest, s.limit)
	s.generation++
	s.trial, s.window = nil, window{}
}

// report calls notify the first time. s.mu must be held.
func (s *slots) report() {
	if s.notify != nil {
		s.notify(s.limit)
		s.notify = nil
	}
}

// measure counts a reply and adapts the limit after each window of replies.
// busy is set if nearly as many requests as allowed were in flight. s.mu must
// be held.
func (s *slots) measure(t *slot, busy bool, now time.Time) {
	if s.trial != nil && t.generation != s.generation {
		return // sent at the higher limit
	}
	if !busy || s.window.start.IsZero() || now.Before(s.window.start) {
		s.window = window{start: now}
		return
	}
	s.window.replies++
	s.window.latency += t.latency
	n := s.window.replies
	if n < s.limit || s.trial != nil && n < minTrialReplies {
		return
	}
	rate := float64(n) / max(now.Sub(s.window.start), time.Millisecond).Seconds()
	mean := s.window.latency / time.Duration(n)
	s.window = window{start: now}
	if s.trial != nil {
		s.endTrial(rate)
		return
	}
	if lower := max(1, int(rate*s.timeout.Seconds()/3)); mean > s.timeout/2 && s.timeout > 0 && !s.noQueue && lower < s.limit {
		s.trial = &trial{limit: s.limit, rate: rate}
		s.limit, s.window = lower, window{}
		s.generation++
		return
	}
	expected := mean * time.Duration(s.limit+1) / time.Duration(s.limit)
	if s.limit < s.max && (!s.queues || expected <= s.timeout/3) {
		s.limit++
	}
}

// endTrial keeps the lower limit, or restores the previous one if replies now
// arrive at a lower rate. s.mu must be held.
func (s *slots) endTrial(rate float64) {
	if rate < trialRate*s.trial.rate {
		s.limit, s.noQueue, s.trial = s.trial.limit, true, nil
		return
	}
	s.queues = true
	s.lower(s.limit)
	s.report()
}
