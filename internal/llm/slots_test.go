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

// A server that answers one request at a time receives each request once, although most
// of the first ones wait for longer than the timeout.
func TestSingleSlotServerRepeatsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot := make(chan struct{}, 1)
		var requests, rows atomic.Int64
		send := func(ctx context.Context) (used usage.Usage, err error) {
			requests.Add(1)
			select {
			case slot <- struct{}{}:
				defer func() { <-slot }()
			case <-ctx.Done():
				return used, ctx.Err()
			}
			return used, NewClock(time.Now).Sleep(ctx, 8*time.Second)
		}
		s := testSender(Options{Clock: NewClock(time.Now), Retries: 5, Concurrency: 16, Notify: func(text string) { t.Error(text) }})
		start := time.Now()
		inParallel(16, func(int) {
			for rows.Add(1) <= 100 {
				if _, err := s.do(t.Context(), call{send: send, timeout: time.Minute}); err != nil {
					t.Error(err)
				}
			}
		})
		if took := time.Since(start); requests.Load() != 100 || took > 810*time.Second {
			t.Errorf("got %d requests in %v; want 100 in 800s", requests.Load(), took)
		}
	})
}

// The limit is halved once for requests that were in flight together, and then rises.
func TestTimeoutsHalveLimit(t *testing.T) {
	s := newSlots(16)
	batch := func(n int, err error) {
		t.Helper()
		var all []int
		for range n {
			if s.delay() > 0 {
				t.Fatalf("got a delay with %d requests in flight", s.inFlight)
			}
			all = append(all, s.take())
		}
		for _, a := range all {
			s.release(a, err, time.Time{})
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
	var busy []int
	for range 500 {
		for s.inFlight < s.limit {
			busy = append(busy, s.take())
		}
		s.release(busy[0], nil, time.Time{})
		busy = busy[1:]
	}
	for _, a := range busy {
		s.release(a, nil, time.Time{})
	}
	if s.limit != 16 || s.reached() != 4 {
		t.Errorf("got limits %d and %d, want 16 and 4", s.limit, s.reached())
	}
	// After as many 429s as the limit, only one request is sent at a time.
	batch(15, status(429))
	batch(2, nil)
	batch(16, status(429))
	probe := s.take()
	if s.delay() == 0 {
		t.Error("got a second request after nothing but 429s, want one at a time")
	}
	s.release(probe, nil, time.Time{})
	batch(16, nil)
}

// Callers that wait for a slot return when the breaker opens or their context ends.
func TestSlotsWakeWaitingCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testSender(Options{Concurrency: 1, Clock: NewClock(time.Now)})
		s.slots.take()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.do(ctx, call{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		done := make(chan error)
		go func() {
			_, err := s.do(t.Context(), call{})
			done <- err
		}()
		synctest.Wait()
		s.update(func() { _ = s.breaker.end(status(401), 0, time.Now()) })
		checkDown(t, <-done)
	})
}

// A stuck request ends although others are answered, and requests to a silent server get
// no more time.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testSender(Options{Clock: NewClock(time.Now)})
		hang := func(ctx context.Context) (used usage.Usage, err error) {
			<-ctx.Done()
			return used, ctx.Err()
		}
		answer := func(ctx context.Context) (used usage.Usage, err error) {
			return used, NewClock(time.Now).Sleep(ctx, 10*time.Second)
		}
		stuck := make(chan error, 1)
		go func() {
			_, err := s.do(t.Context(), call{send: hang, timeout: time.Minute})
			stuck <- err
		}()
		for range 20 { // four others at a time
			inParallel(4, func(int) { _, _ = s.do(t.Context(), call{send: answer, timeout: time.Minute}) })
		}
		_ = mustAs[*TimeoutError](t, <-stuck)
		start := time.Now()
		_, err := s.do(t.Context(), call{send: hang, timeout: time.Minute})
		if _ = mustAs[*TimeoutError](t, err); time.Since(start) != time.Minute {
			t.Errorf("got %v after %v, want a timeout after a minute", err, time.Since(start))
		}
	})
}
