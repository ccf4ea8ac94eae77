package llm

import (
	"context"
	"encoding/json"
)

const (
	allowanceFactor = 8    // first allowance of a known model, as a multiple of its typical reasoning
	minAllowance    = 4096 // smallest allowance for reasoning once a model has reasoned
	enough          = 20   // measured replies after which their peak is trusted
	maxEarlier      = 200  // weight of the replies of earlier runs in a mean
	peakDecay       = 0.75 // factor for the peak of earlier runs, per run
	saveEvery       = 16   // replies between two writes to the cache
	maxMeasured     = 1 << 20
)

// Reasoning describes how many output tokens a model uses to reason before it
// answers.
type Reasoning struct {
	Replies int `json:"replies"` // measured replies, or 0 if Mean is only typical of such models
	Mean    int `json:"mean"`    // reasoning tokens per reply
	Peak    int `json:"peak"`    // most reasoning tokens of a reply; lowered slowly from run to run
}

// allowance returns the output tokens to allow for reasoning. Lengths vary, so it is
// a multiple of the peak, and larger while few replies are known.
func (r Reasoning) allowance() int {
	if r.Peak == 0 {
		return 0
	}
	factor := 2
	if r.Replies < enough {
		factor = 4
	}
	return min(max(factor*r.Peak, minAllowance), maxReasoning)
}

// A reasoningMeter measures the reasoning of the replies of a run, and combines
// it with that of earlier runs.
type reasoningMeter struct {
	earlier            Reasoning
	replies, sum, peak int
}

// add records a reply that used n tokens to reason.
func (m *reasoningMeter) add(n int) (newPeak bool) {
	newPeak = n > m.peak && n > m.earlier.Peak
	m.replies, m.sum, m.peak = m.replies+1, m.sum+min(n, maxMeasured), max(m.peak, min(n, maxReasoning))
	return newPeak
}

// current returns the reasoning to expect of the next reply.
func (m *reasoningMeter) current() Reasoning {
	weight := min(m.earlier.Replies, maxEarlier)
	n := m.replies + weight
	if n == 0 {
		return Reasoning{}
	}
	return Reasoning{n, (m.sum + weight*m.earlier.Mean) / n, max(m.peak, m.earlier.Peak)}
}

// stored returns what to keep for later runs.
func (m *reasoningMeter) stored() Reasoning {
	r := m.current()
	if m.replies >= enough {
		r.Peak = max(m.peak, int(peakDecay*float64(m.earlier.Peak)))
	}
	return r
}

// reasoningSpace is the namespace of the cache with a Reasoning for the hash of
// each endpoint and Client.ModelKey.
const reasoningSpace = "reasoning"

// loadReasoning returns the reasoning measured in earlier runs. Values out of
// range are limited or ignored: they could only come from a damaged cache.
func (c *Cache) loadReasoning(ctx context.Context, key string) (r Reasoning) {
	if v, ok := c.Get(ctx, reasoningSpace, key); !ok || json.Unmarshal(v, &r) != nil || r.Replies <= 0 || r.Mean < 0 || r.Peak < 0 {
		return Reasoning{}
	}
	return Reasoning{min(r.Replies, maxEarlier), min(r.Mean, maxReasoning), min(r.Peak, maxReasoning)}
}

// saveReasoning stores r.
func (c *Cache) saveReasoning(ctx context.Context, key string, r Reasoning) {
	if v, err := json.Marshal(r); err == nil {
		c.Put(ctx, reasoningSpace, key, v)
	}
}
