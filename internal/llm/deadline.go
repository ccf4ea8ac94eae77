package llm

import (
	"cmp"
	"context"
	"time"
)

// deadlines limits the duration of requests. A server with few slots answers
// requests in turn, so the time of a request starts again whenever another one is
// answered, as often as there can be requests before it in the server's queue: the
// largest number of requests in flight so far, less one. On a server that answers
// in parallel this lets a stuck request last little longer. A server that answers
// nothing gets no more time.
type deadlines struct {
	inFlight map[*deadline]struct{}
	max      int // largest number of requests in flight so far
}

type deadline struct {
	timer    *time.Timer
	timeout  time.Duration
	restarts int
}

// start starts a request, and cancels it with context.DeadlineExceeded if it takes longer
// than the timeout, unless that is 0.
func (d *deadlines) start(cancel context.CancelCauseFunc, timeout time.Duration) *deadline {
	t := &deadline{timeout: cmp.Or(timeout, untilChange)}
	t.timer = time.AfterFunc(t.timeout, func() { cancel(context.DeadlineExceeded) })
	d.inFlight[t] = struct{}{}
	d.max = max(d.max, len(d.inFlight))
	return t
}

// end ends a request, which was answered or not.
func (d *deadlines) end(t *deadline, answered bool) {
	t.timer.Stop()
	delete(d.inFlight, t)
	for other := range d.inFlight {
		if answered && other.restarts < d.max-1 {
			other.restarts++
			other.timer.Reset(other.timeout)
		}
	}
}
