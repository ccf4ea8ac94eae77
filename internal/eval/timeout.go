package eval

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
)

// A TimeoutError is why a row failed that took longer than Pipeline.RowTimeout.
type TimeoutError struct{ Limit time.Duration }

// Error names the limit, and the flag that sets it.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %v (--row-timeout)", e.Limit)
}

// Waiting stops the clock of a row until resume is called. Code that works on
// a row calls it before it waits for something that takes its time for other
// reasons than the row: the reply of a server, or its turn at a model that
// other rows are using. ctx is the context of the stage; with any other
// Waiting does nothing. Calls may overlap, and each resume must be called
// exactly once, before the stage returns.
func Waiting(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(rowClockKey{}).(*rowClock)
	if !ok {
		return func() {}
	}
	c.pause()
	return c.resume
}

type rowClockKey struct{}

// A rowClock cancels a context when the row that is scored with it has worked
// for too long. It serves the rows of one worker, one after another.
type rowClock struct {
	limit  time.Duration
	now    func() time.Time
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // of the row's time when the timer was last started
	started time.Time
	waits   int  // calls of Waiting that have not resumed
	paused  bool // the timer was stopped for them in time
}

// newRowClock returns a clock and the context of the rows that it serves.
func newRowClock(ctx context.Context, limit time.Duration, now func() time.Time) (context.Context, *rowClock) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &rowClock{limit: limit, now: now, cancel: cancel}
	c.timer = time.AfterFunc(math.MaxInt64, func() { cancel(&TimeoutError{limit}) })
	c.timer.Stop()
	return context.WithValue(ctx, rowClockKey{}, c), c
}

// start gives the next row its full time.
func (c *rowClock) start() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits, c.paused = 0, false
	c.left, c.started = c.limit, c.now()
	c.timer.Reset(c.left)
}

// stop reports whether the row ended in time. If not, the context is cancelled,
// or about to be, and the clock can't serve another row.
func (c *rowClock) stop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer.Stop()
}

func (c *rowClock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits++; c.waits == 1 && c.timer.Stop() {
		// The timer has not fired: a clock that shows more than what was left was set.
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
