package llm

import (
	"context"
	"time"
)

// A Clock is the time that the decorators live by.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx's error as soon as ctx ends.
	Sleep(ctx context.Context, d time.Duration) error
}

// NewClock is a Clock that reads now and waits in real time.
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
