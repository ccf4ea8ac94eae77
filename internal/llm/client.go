package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Client sends requests for one model to one server. If the server rejects the form of a
// request, the client tries others: it requests JSON by schema, by JSON mode, or only in the
// prompt, and omits unsupported parameters. It remembers the form that works.
type Client struct {
	wire             *wire
	model            string
	timeout          time.Duration
	reasoningTimeout time.Duration
	effort           string // reasoning_effort; "" to omit it
	tokens           *Tokens
	sender           *sender // nil if the client can only Ask
	price            price

	mu           sync.Mutex
	form         form
	proven       bool // the server accepts schemas in this form
	exceptions   int  // calls since then that needed another format
	perMinute    int  // tokens that a request alone has exceeded, or 0 if unknown
	gaveLogprobs bool // the server has returned log probabilities
	downgrades   []Downgrade
	notify       func(text string)
	negotiating  chan struct{} // semaphore: one rejected call at a time looks for a form
}

// NewClient returns a client that can only Ask, without contacting the server. It fails if
// the base URL is invalid or the model is missing.
func NewClient(c Config) (*Client, error) {
	if c.Model == "" {
		return nil, errors.New("missing model name")
	}
	e, err := newEndpoint(c.BaseURL)
	if err != nil {
		return nil, err
	}
	w := newWire(c, e)
	return &Client{
		wire: w, model: c.Model, timeout: c.Timeout, reasoningTimeout: c.ReasoningTimeout,
		effort: c.ReasoningEffort, tokens: NewTokens(c.Model),
		form: startForm(c), notify: func(string) {}, negotiating: make(chan struct{}, 1),
	}, nil
}

// Endpoint returns the base URL without secrets.
func (c *Client) Endpoint() string { return c.wire.endpoint.publicURL }

// Model returns the model name.
func (c *Client) Model() string { return c.model }

// ModelKey returns the model name and the parameters of all requests, which
// identify the model in caches.
func (c *Client) ModelKey() string {
	key := c.model
	if c.wire.extraBody != nil {
		key += "\x00" + string(c.wire.extraBody)
	}
	if c.effort != "" {
		key += "\x00reasoning_effort=" + c.effort
	}
	return key
}

// String returns the model and the endpoint.
func (c *Client) String() string { return c.model + " at " + c.Endpoint() }

// GoString returns the same as String, so that %#v does not print the key.
func (c *Client) GoString() string { return c.String() }

// Close closes idle connections.
func (c *Client) Close() { c.wire.http.CloseIdleConnections() }

// Redact removes keys and header values from the text of an error that quotes the
// server.
func (c *Client) Redact(text string) string { return c.wire.redactError(text) }

// Ask requests a path below the root of the server, which is the base URL
// without /v1: by POST if body is not nil, and otherwise by GET. It returns the
// JSON object of the reply. It is meant for questions about the server itself,
// which cost nothing. It does not retry. Its errors are those of Complete.
func (c *Client) Ask(ctx context.Context, path string, body any) (reply json.RawMessage, err error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	err = within(ctx, c.timeout, func(ctx context.Context) error {
		return c.wire.call(ctx, method, strings.TrimSuffix(c.wire.endpoint.base, "/v1")+path, body, &reply)
	})
	return reply, err
}

// within calls f with a context that ends after timeout, unless that is 0.
func within(ctx context.Context, timeout time.Duration, f func(context.Context) error) error {
	attempt, cancel := context.WithCancel(ctx)
	if timeout > 0 {
		attempt, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	err := f(attempt)
	switch {
	case err == nil || ctx.Err() == nil && attempt.Err() == nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &TimeoutError{After: timeout}
}
