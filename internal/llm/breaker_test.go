package llm

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestBreakerOpens(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		calls int
	}{
		"connection":        {&NetworkError{Message: "refused"}, 4},
		"timeout":           {&TimeoutError{}, 4},
		"gateway":           {status(502), 16},
		"not an API":        {status(200), 4},
		"unauthorized":      {status(401), 1},
		"forbidden":         {status(403), 1},
		"no model":          {status(404), 1},
		"redirect":          {status(301), 1},
		"no credit":         {status(402), 1},
		"quota":             {&StatusError{Status: 429, Code: "insufficient_quota"}, 1},
		"certificate":       {&NetworkError{Permanent: true}, 1},
		"only bad requests": {status(400), 16},
		"unreadable":        {&ParseError{}, 100},
		"budget":            {&BudgetError{}, 100},
		"canceled":          {context.Canceled, 100},
		"deadline":          {context.DeadlineExceeded, 100},
		"content filter":    {&RefusalError{}, 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{steps: []error{tt.err}}
			sender := testSender(Options{})
			b, c := sender.breaker, through(sender, s, 0)
			var err error
			for range 100 {
				_, err = c.Complete(t.Context(), newRequest(nil))
			}
			if s.calls() != tt.calls {
				t.Errorf("got %d calls, want %d", s.calls(), tt.calls)
			}
			if tt.calls < 100 {
				if e := mustAs[*DownError](t, err); !IsFatal(err) || e.Unwrap() == nil || !strings.Contains(e.Error(), "giving up") || b.downErr == nil {
					t.Errorf("got %v, want a *DownError", err)
				}
			} else if b.downErr != nil {
				t.Errorf("got breaker error %v, want nil", b.downErr)
			}
		})
	}
}

func TestBreakerToleratesRestart(t *testing.T) {
	clock := newFakeClock()
	down := &NetworkError{Message: "refused"}
	s := &script{steps: []error{nil, down, down, down, down, down, down, nil, down}}
	sender := testSender(Options{Clock: clock})
	b, c := sender.breaker, through(sender, s, 0)
	for range 8 {
		_, _ = c.Complete(t.Context(), newRequest(nil))
		clock.pass(100 * time.Millisecond)
	}
	if b.downErr != nil {
		t.Fatalf("breaker error after a restart: got %v, want nil", b.downErr)
	}
	for range 12 {
		_, _ = c.Complete(t.Context(), newRequest(nil))
		clock.pass(time.Second)
	}
	if b.downErr == nil {
		t.Error("breaker is closed after the server went away")
	}
}

func TestBreakerIgnoresBadRequests(t *testing.T) {
	s := &script{steps: []error{nil, status(400)}}
	sender := testSender(Options{})
	b, c := sender.breaker, through(sender, s, 0)
	for range 100 {
		_, _ = c.Complete(t.Context(), newRequest(nil))
	}
	if b.downErr != nil || s.calls() != 100 {
		t.Errorf("breaker error after %d calls: got %v, want nil after 100", s.calls(), b.downErr)
	}
}

func TestBreakerWakesSleepers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock(time.Now)
		sender := testSender(Options{Clock: clock, Retries: 5})
		var n int
		var mu sync.Mutex
		srv := completerFunc(func(context.Context, *Request) (*Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			if n++; n < 10 {
				return nil, status(503, "Retry-After", "50")
			}
			return nil, status(401)
		})
		c := through(sender, srv, 0)
		start := time.Now()
		inParallel(10, func(i int) {
			_ = clock.Sleep(t.Context(), time.Duration(i)*time.Second)
			_, err := c.Complete(t.Context(), newRequest(nil))
			checkDown(t, err)
		})
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("took %s, want at most 10s", d)
		}
	})
}
