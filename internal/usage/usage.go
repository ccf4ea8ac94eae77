// Package usage counts what calls to language models cost.
package usage

import "math"

// Usage counts requests and tokens. It is zero for offline judges. The tags are those of results.
type Usage struct {
	// Requests are those sent to the server, including failed and repeated ones.
	Requests         int `json:"requests"`
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	// CachedRequests were answered from the cache instead of being sent.
	CachedRequests int `json:"cached_requests"`
	// Estimated is set if some tokens are our own count: the server reported none.
	Estimated bool `json:"estimated,omitempty" parquet:"-"`
}

// Add returns the sum of u and v, whose counts must not be negative. Counts
// saturate at [math.MaxInt], since servers and files can report any number.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Requests:         add(u.Requests, v.Requests),
		PromptTokens:     add(u.PromptTokens, v.PromptTokens),
		CompletionTokens: add(u.CompletionTokens, v.CompletionTokens),
		CachedRequests:   add(u.CachedRequests, v.CachedRequests),
		Estimated:        u.Estimated || v.Estimated,
	}
}

// Tokens returns the number of prompt and completion tokens.
func (u Usage) Tokens() int { return add(u.PromptTokens, u.CompletionTokens) }

// add returns a + b, or math.MaxInt if the sum overflows.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
