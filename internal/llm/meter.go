package llm

import (
	"context"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Meter accumulates usage.
type Meter struct {
	mu    sync.Mutex
	total usage.Usage
}

func (m *Meter) add(u usage.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total = m.total.Add(u)
}

// Total returns the usage so far.
func (m *Meter) Total() usage.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// metered meters the calls of a Completer. It reports the original cost of cached replies:
// the usage of a row then does not depend on whether it, another row or an earlier run paid
// for the reply.
type metered struct {
	next  Completer
	meter *Meter
}

// Complete implements Completer.
func (m *metered) Complete(ctx context.Context, r *Request) (*Reply, error) {
	reply, err := m.next.Complete(ctx, r)
	if err != nil {
		m.meter.add(UsageOf(err))
		return nil, err
	}
	m.meter.add(reply.Usage)
	if reply.Cached {
		out := *reply
		out.Usage = reply.OriginalUsage
		return &out, nil
	}
	return reply, nil
}
