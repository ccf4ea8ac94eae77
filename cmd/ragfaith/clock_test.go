package main

import (
	"context"
	"sync/atomic"
	"time"
)

// A skipClock is a clock whose sleeps return at once: they move its time forward
// instead, so that retries, rate limits and polls cost a test nothing.
type skipClock struct {
	skipped atomic.Int64
	ready   chan struct{} // sleeps first wait until it is closed; nil if they need not
}

// Now implements llm.Clock.
func (c *skipClock) Now() time.Time { return time.Now().Add(time.Duration(c.skipped.Load())) }

// Sleep implements llm.Clock.
func (c *skipClock) Sleep(ctx context.Context, d time.Duration) error {
	if c.ready != nil {
		<-c.ready
	}
	if d > 0 {
		c.skipped.Add(int64(d))
	}
	return ctx.Err()
}
