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
	Claim      string             `json:"claim"`
	Before     []string           `json:"before,omitempty"` // see claimsBefore
	Question   string             `json:"question"`
	Label      verdict.Label      `json:"label"`
	Score      float64            `json:"score"`
	Graded     bool               `json:"graded,omitempty"`
	Confidence float64            `json:"confidence,omitempty"`
	Reason     string             `json:"reason"`
	ChunkIDs   []int              `json:"chunk_ids"`
	Evidence   []verdict.Evidence `json:"evidence"`
}

func newRecord(claim string, before []string, question string, v verdict.Verdict) record {
	return record{
		Claim: claim, Before: before, Question: question,
		Label: v.Label, Score: v.Score, Graded: v.Graded, Confidence: v.Confidence, Reason: v.Reason, ChunkIDs: v.ChunkIDs, Evidence: v.Evidence,
	}
}

// readRecord parses a record, and reports whether it is a valid verdict on n contexts.
func readRecord(raw json.RawMessage, n int) (record, bool) {
	var r record
	if json.Unmarshal(raw, &r) != nil || r.Claim == "" || r.Label > verdict.Supported || !(r.Score >= 0 && r.Score <= 1 && r.Confidence >= 0 && r.Confidence <= 1) {
		return record{}, false
	}
	invalid := func(chunk int) bool { return chunk < 0 || chunk >= n }
	if slices.ContainsFunc(r.ChunkIDs, invalid) || slices.ContainsFunc(r.Evidence, func(e verdict.Evidence) bool { return invalid(e.Chunk) }) {
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
