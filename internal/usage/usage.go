// Package usage counts what calls to language models cost.
package usage

import "math"

// Usage counts requests and tokens. The zero value is the usage of an offline
// judge.
type Usage struct {
	Requests         int // sent to the server, including failed and repeated ones
	PromptTokens     int
	CompletionTokens int
	CachedRequests   int  // answered from the cache instead of being sent
	Estimated        bool // some tokens are our own count: the server reported none
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
