package llm

import (
	"context"
	"sync"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Meter adds up what passes through it, failures included. It stands outermost,
// where each reply and each error carries the usage of all its tries.
type Meter struct {
	mu    sync.Mutex
	total usage.Usage
}

// Around adds send's usage to the total.
func (m *Meter) Around(ctx context.Context, _ func() Size, send Send) (usage.Usage, error) {
	u, err := send(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total = m.total.Add(u)
	return u, err
}

// Total is the usage so far.
func (m *Meter) Total() usage.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}
