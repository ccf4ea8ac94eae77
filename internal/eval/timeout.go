package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A TimeoutError reports that a row took longer than Pipeline.RowTimeout.
type TimeoutError struct{ Limit time.Duration }

// timedOut returns a *TimeoutError if the row timed out, and otherwise err.
func timedOut(ctx context.Context, err error) error {
	if timeout, ok := errors.AsType[*TimeoutError](context.Cause(ctx)); ok {
		return timeout
	}
	return err
}

// Error names the limit and its flag.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %v (--row-timeout)", e.Limit)
}

// Waiting pauses the timeout of a row until resume is called. A stage calls it before it
// waits for something that does not depend on the row, such as the reply of a server or a
// model that other rows use. ctx is the context of the stage; with any other context Waiting
// does nothing. Calls may overlap. Each resume must be called exactly once, before the stage
// returns.
func Waiting(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(rowClockKey{}).(*rowClock)
	if !ok {
		return func() {}
	}
	c.pause()
	return c.resume
}

type rowClockKey struct{}

// A rowClock cancels a context when a row takes too long.
type rowClock struct {
	now func() time.Time

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // remaining time when the timer was last started
	started time.Time
	waits   int  // calls of Waiting that were not resumed
	paused  bool // the timer was stopped before it fired
}

// withRowClock returns a context that is canceled with a *TimeoutError after the limit. stop
// frees its resources.
func withRowClock(ctx context.Context, limit time.Duration, now func() time.Time) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &rowClock{now: now, left: limit, started: now()}
	c.timer = time.AfterFunc(limit, func() { cancel(&TimeoutError{limit}) })
	stop = func() {
		c.timer.Stop()
		cancel(nil)
	}
	return context.WithValue(ctx, rowClockKey{}, c), stop
}

func (c *rowClock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits++; c.waits == 1 && c.timer.Stop() {
		// The timer has not fired, so a larger difference means that the clock was set.
		if d := c.now().Sub(c.started); d > 0 && d < c.left {
			c.left -= d
		}
		c.paused = true
	}
}

func (c *rowClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits--; c.waits == 0 && c.paused {
		c.paused = false
		c.started = c.now()
		c.timer.Reset(max(c.left, 0))
	}
}
