package llm

import (
	"errors"
	"sync"
)

// A contextWindow remembers the context window of a server that rejects
// requests whose prompt and output token limit exceed it together, as vLLM
// does. Later requests then start with a limit that fits.
type contextWindow struct {
	mu     sync.Mutex
	tokens int     // 0 if unknown
	ratio  float64 // largest ratio of a prompt's tokens to their estimate
}

// record records that the server rejected a prompt estimated at estimate
// tokens with err, and left available tokens for the reply.
func (w *contextWindow) record(err error, available, estimate int) {
	e, ok := errors.AsType[*ContextLengthError](err)
	if !ok || e.Limit <= available || estimate <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tokens = e.Limit
	w.ratio = max(w.ratio, float64(e.Limit-available)/float64(estimate))
}

// fit returns r with an output token limit that probably fits, or unchanged.
func (w *contextWindow) fit(r *Request, t *Tokens) *Request {
	w.mu.Lock()
	window, ratio := w.tokens, w.ratio
	w.mu.Unlock()
	if window == 0 || r.MaxTokens < minOutputTokens {
		return r
	}
	const margin = 1.1
	n := window - int(margin*ratio*float64(t.Request(r).Prompt))
	if n < minOutputTokens || n >= r.MaxTokens {
		return r
	}
	out := *r
	out.MaxTokens = n
	return &out
}
