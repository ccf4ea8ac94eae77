package llm

import (
	"context"
	"sync"
	"time"
)

// deadlines limits the duration of requests. A server with few slots answers
// requests in turn, so the time of a request starts again whenever another one is
// answered, as often as there can be requests before it in the server's queue: the
// largest number of requests in flight so far, less one. On a server that answers
// in parallel this lets a stuck request last little longer. A server that answers
// nothing gets no more time.
type deadlines struct {
	timeout time.Duration // 0 means no limit

	mu       sync.Mutex
	inFlight map[*deadline]struct{}
	max      int // largest number of requests in flight so far
}

type deadline struct {
	timer    *time.Timer
	timeout  time.Duration
	restarts int
}

func newDeadlines(timeout time.Duration) *deadlines {
	return &deadlines{timeout: timeout, inFlight: map[*deadline]struct{}{}}
}

// start returns a context for a request, which may take the timeout, or atLeast if that is
// longer. If it takes more, the cause of the context is context.DeadlineExceeded. The caller
// must call end, and report whether the request was answered.
func (d *deadlines) start(ctx context.Context, atLeast time.Duration) (attempt context.Context, end func(answered bool)) {
	attempt, cancel := context.WithCancelCause(ctx)
	if d.timeout <= 0 {
		return attempt, func(bool) { cancel(nil) }
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	timeout := max(d.timeout, atLeast)
	t := &deadline{timer: time.AfterFunc(timeout, func() { cancel(context.DeadlineExceeded) }), timeout: timeout}
	d.inFlight[t] = struct{}{}
	d.max = max(d.max, len(d.inFlight))
	return attempt, func(answered bool) {
		cancel(nil)
		d.mu.Lock()
		defer d.mu.Unlock()
		t.timer.Stop()
		delete(d.inFlight, t)
		if !answered {
			return
		}
		for other := range d.inFlight {
			if other.restarts < d.max-1 {
				other.restarts++
				other.timer.Reset(other.timeout)
			}
		}
	}
}
