package llm

import (
	"context"
	"math"
	"time"
)

// untilChange is the wait of a request that another one must end.
const untilChange = time.Duration(math.MaxInt64)

// A Clock provides the time.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx.Err() as soon as ctx is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// NewClock returns a Clock that reads the time from now and sleeps in real
// time.
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
