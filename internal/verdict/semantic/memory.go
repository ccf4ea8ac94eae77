package semantic

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/llm"
)

// Memory is a Store for as long as the program runs. The zero value is empty.
type Memory struct {
	mu     sync.Mutex
	spaces map[string]map[string]json.RawMessage
}

// Put keeps value in the place of what was there.
func (m *Memory) Put(_ context.Context, space, key string, value json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spaces == nil {
		m.spaces = map[string]map[string]json.RawMessage{}
	}
	if m.spaces[space] == nil {
		m.spaces[space] = map[string]json.RawMessage{}
	}
	m.spaces[space][key] = slices.Clone(value)
}

// List is everything in space, by key.
func (m *Memory) List(_ context.Context, space string) []llm.Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.spaces[space]
	items := make([]llm.Item, 0, len(s))
	for _, k := range slices.Sorted(maps.Keys(s)) {
		items = append(items, llm.Item{Key: k, Value: s[k]})
	}
	return items
}
