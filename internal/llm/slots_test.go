package llm

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A queueServer answers a number of requests at once, the others in turn.
type queueServer struct {
	parallel  int
	slots     chan struct{}
	service   func(n int64) time.Duration // duration of the nth request
	deadlines *deadlines
	requests  atomic.Int64
}

func (s *queueServer) Complete(ctx context.Context, _ *Request) (reply *Reply, err error) {
	n := s.requests.Add(1)
	attempt, end := s.deadlines.start(ctx, 0)
	defer func() { end(err == nil) }()
	lost := func() error {
		if errors.Is(context.Cause(attempt), context.DeadlineExceeded) {
			return &TimeoutError{After: s.deadlines.timeout}
		}
		return ctx.Err()
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-attempt.Done():
		return nil, lost()
	}
	if NewClock(time.Now).Sleep(attempt, s.service(n)) != nil {
		return nil, lost()
	}
	return &Reply{Usage: usage.Usage{Requests: 1}}, nil
}

// runRows completes rows with a number of workers and returns the requests of the server,
// the errors, the duration, and the limits of which the user was notified.
func runRows(t *testing.T, s *queueServer, rows, workers int) (requests, failed int64, took time.Duration, limits []int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.slots, s.deadlines = make(chan struct{}, s.parallel), newDeadlines(time.Minute)
		o := Options{Clock: NewClock(time.Now), Retries: 5, Concurrency: workers, OnConcurrency: func(n int) { limits = append(limits, n) }}
		c := through(testSender(o), s, 0)
		var errs atomic.Int64
		todo := make(chan struct{}, rows)
		for range rows {
			todo <- struct{}{}
		}
		close(todo)
		start := time.Now()
		inParallel(workers, func(int) {
			for range todo {
				if _, err := c.Complete(t.Context(), newRequest(nil)); err != nil {
					errs.Add(1)
				}
			}
		})
		took, failed = time.Since(start), errs.Load()
	})
	return s.requests.Load(), failed, took, limits
}

func constant(d time.Duration) func(int64) time.Duration {
	return func(int64) time.Duration { return d }
}

// A server that answers one request at a time receives each request once, although most
// of the first ones wait for longer than the timeout.
func TestSingleSlotServerRepeatsNothing(t *testing.T) {
	s := &queueServer{parallel: 1, service: constant(8 * time.Second)}
	requests, failed, took, limits := runRows(t, s, 100, 16)
	if requests != 100 || failed != 0 || took > 810*time.Second {
		t.Errorf("got %d requests, %d failed rows after %v; want 100, none, 800s", requests, failed, took)
	}
	if len(limits) > 0 {
		t.Errorf("got notifications of limits %v, want none", limits)
	}
}

// The limit is halved once for requests that were in flight together, and then rises.
func TestTimeoutsHalveLimit(t *testing.T) {
	b := NewBreaker(newFakeClock())
	var notified []int
	s := newSlots(16, b, func(n int) { notified = append(notified, n) })
	batch := func(n int, err error) {
		t.Helper()
		var all []slot
		for range n {
			a, e := s.acquire(t.Context())
			if e != nil {
				t.Fatal(e)
			}
			all = append(all, a)
		}
		for _, a := range all {
			s.release(a, err)
		}
	}
	batch(16, &TimeoutError{})
	if s.limit != 8 {
		t.Errorf("got a limit of %d, want 8", s.limit)
	}
	batch(8, status(503))
	if s.limit != 4 {
		t.Errorf("got a limit of %d, want 4", s.limit)
	}
	batch(4, status(503, "Retry-After", "1"))
	batch(4, status(500))
	if s.limit != 4 {
		t.Errorf("got a limit of %d, want 4", s.limit)
	}
	var busy []slot
	for range 500 {
		for s.inFlight < s.limit {
			a, err := s.acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			busy = append(busy, a)
		}
		s.release(busy[0], nil)
		busy = busy[1:]
	}
	for _, a := range busy {
		s.release(a, nil)
	}
	if s.limit != 16 || s.reached() != 4 || len(notified) != 1 {
		t.Errorf("got limits %d and %d, notifications %v; want 16, 4, one", s.limit, s.reached(), notified)
	}
	// After as many 429s as the limit, only one request is sent at a time.
	batch(15, status(429))
	batch(2, nil)
	batch(16, status(429))
	probe, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx := canceled(t)
	if _, err := s.acquire(ctx); err == nil {
		t.Error("got a second request after nothing but 429s, want one at a time")
	}
	s.release(probe, nil)
	batch(16, nil)
}

// Callers that wait for a slot return when the breaker opens or their context ends.
func TestSlotsWakeWaitingCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBreaker(NewClock(time.Now))
		s := newSlots(1, b, nil)
		if _, err := s.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		_ = b.end(status(401), 0)
		if _, err := s.acquire(t.Context()); err == nil || !errors.Is(err, b.Err()) {
			t.Errorf("got %v, want a *DownError", err)
		}
	})
}

// A stuck request ends although others are answered, and requests to a silent server get
// no more time.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDeadlines(time.Minute)
		stuck, end := d.start(t.Context(), 0)
		defer end(false)
		for range 20 { // four others at a time, answered within ten seconds
			var ends []func(bool)
			for range 4 {
				_, e := d.start(t.Context(), 0)
				ends = append(ends, e)
			}
			_ = NewClock(time.Now).Sleep(t.Context(), 10*time.Second)
			for _, e := range ends {
				e(true)
			}
		}
		<-stuck.Done()
		if !errors.Is(context.Cause(stuck), context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", context.Cause(stuck), context.DeadlineExceeded)
		}
		silent, endSilent := d.start(t.Context(), 0)
		defer endSilent(false)
		start := time.Now()
		<-silent.Done()
		if got := time.Since(start); got != time.Minute {
			t.Errorf("got %v, want a minute", got)
		}
	})
}
