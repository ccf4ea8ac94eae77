package llm

import "sync"

// limits fits the output token limit of requests to what the server allows, and remembers
// its tokens per minute once a request alone has exceeded them.
type limits struct {
	mu        sync.Mutex
	perMinute int // tokens of the largest request, or 0 if unknown
}

// withMaxTokens returns r with an output token limit of n.
func withMaxTokens(r *Request, n int) *Request {
	out := *r
	out.MaxTokens = n
	return &out
}

// fitAvailable lowers the output token limit of n to the tokens that the server has left for
// the reply. It reports whether that is possible.
func (l *limits) fitAvailable(n *negotiation, err *ContextLengthError) bool {
	available := err.available
	if available < minOutputTokens || n.form.MaxOutput > 0 && available >= n.form.MaxOutput || n.request.MaxTokens <= available {
		return false
	}
	n.request = withMaxTokens(n.request, available)
	return true
}

// fitMinute lowers the output token limit of n so that the request alone does not exceed the
// tokens per minute. rejection is the error that names them, or nil. It returns an error if
// the prompt is too long, so that the caller splits the request.
func (l *limits) fitMinute(n *negotiation, rejection *ContextLengthError) error {
	l.mu.Lock()
	if rejection != nil {
		l.perMinute = rejection.Limit
	}
	limit := l.perMinute
	l.mu.Unlock()
	if limit == 0 {
		return nil
	}
	prompt := n.client.tokens.Request(n.request).Prompt
	if rejection != nil {
		prompt = max(prompt, rejection.requested-n.request.MaxTokens) // if the server counts the output token limit
	}
	available := limit - prompt
	if available < min(n.request.MaxTokens, minOutputTokens) {
		return &ContextLengthError{Limit: limit, PerMinute: true}
	}
	if available < n.request.MaxTokens {
		n.request = withMaxTokens(n.request, available)
	}
	return nil
}
