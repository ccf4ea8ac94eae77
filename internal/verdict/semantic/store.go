package semantic

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A record is a stored verdict and its claim.
type record struct {
	Claim    string
	Before   []string // see claimsBefore
	Question string
	Verdict  verdict.Verdict
}

// readRecord parses a record, and reports whether it is a valid verdict on n contexts.
func readRecord(raw json.RawMessage, n int) (record, bool) {
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Claim == "" {
		return record{}, false
	}
	v := &r.Verdict
	invalid := func(chunk int) bool { return chunk < 0 || chunk >= n }
	if v.Label > verdict.Supported || !(v.Score >= 0 && v.Score <= 1 && v.Confidence >= 0 && v.Confidence <= 1) ||
		slices.ContainsFunc(v.ChunkIDs, invalid) || slices.ContainsFunc(v.Evidence, func(e verdict.Evidence) bool { return invalid(e.Chunk) }) {
		return record{}, false
	}
	return r, true
}

// Memory is an in-memory Store. The zero value is empty and ready to use.
type Memory struct {
	mu     sync.Mutex
	spaces map[string]map[string]json.RawMessage
}

// Put stores a copy of value.
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

// List returns the values of a namespace, sorted by key.
func (m *Memory) List(_ context.Context, space string) (values []json.RawMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.spaces[space]
	for _, k := range slices.Sorted(maps.Keys(s)) {
		values = append(values, s[k])
	}
	return values
}
