package llm

import "sync"

// limits remembers how large a request may be, once the server has rejected one: its
// context window, if prompt and output token limit exceeded it together, as with vLLM, and
// its tokens per minute, if a request alone exceeded them. Later requests start with an
// output token limit that fits.
type limits struct {
	mu        sync.Mutex
	window    int     // tokens of the context window, or 0 if unknown
	ratio     float64 // largest ratio of a prompt's tokens to their estimate
	perMinute int     // tokens of the largest request, or 0 if unknown
}

// withMaxTokens returns r with an output token limit of n.
func withMaxTokens(r *Request, n int) *Request {
	out := *r
	out.MaxTokens = n
	return &out
}

// fitWindow returns r with an output token limit that probably fits, or unchanged.
func (l *limits) fitWindow(r *Request, t *Tokens) *Request {
	l.mu.Lock()
	window, ratio := l.window, l.ratio
	l.mu.Unlock()
	if window == 0 || r.MaxTokens < minOutputTokens {
		return r
	}
	const margin = 1.1
	n := window - int(margin*ratio*float64(t.Request(r).Prompt))
	if n < minOutputTokens || n >= r.MaxTokens {
		return r
	}
	return withMaxTokens(r, n)
}

// fitAvailable lowers the output token limit of n to the tokens that the server has left for
// the reply. It reports whether that is possible.
func (l *limits) fitAvailable(n *negotiation, err *ContextLengthError) bool {
	available := err.available
	if available < minOutputTokens || n.form.MaxOutput > 0 && available >= n.form.MaxOutput || n.request.MaxTokens <= available {
		return false
	}
	if estimate := n.client.tokens.Request(n.request).Prompt; err.Limit > available && estimate > 0 {
		l.mu.Lock()
		l.window = err.Limit
		l.ratio = max(l.ratio, float64(err.Limit-available)/float64(estimate))
		l.mu.Unlock()
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
