package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// Redact removes keys and header values from the text of an error that quotes the server.
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

// Downgrades returns all downgrades so far, in order.
func (c *Client) Downgrades() []Downgrade {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.downgrades)
}

// currentForm returns the current form.
func (c *Client) currentForm() form {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form
}

// adoptForm merges f into the form of all later calls. cause is the error that led to it, or nil.
func (c *Client) adoptForm(f form, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	previous := c.form
	if c.form = mergeForms(previous, f); c.form.withoutLimits() != previous.withoutLimits() {
		c.proven, c.exceptions = false, 0
	}
	reason := ""
	if cause != nil {
		reason = fmt.Sprintf(" (%v)", cause)
	}
	if c.form.Format != previous.Format {
		d := Downgrade{From: previous.Format.String(), To: c.form.Format.String()}
		how := "in JSON mode, without a schema"
		if c.form.Format == jsonInPrompt {
			how = "in the prompt alone"
		}
		if e, ok := errors.AsType[*StatusError](cause); ok {
			d.Status = e.Status
		}
		c.downgrades = append(c.downgrades, d)
		c.notify(fmt.Sprintf("warning: the server refuses response_format %s%s; asking for JSON %s for the rest of the run", d.From, reason, how))
	}
	if c.form.NoEffort && !previous.NoEffort {
		c.notify(fmt.Sprintf("warning: the model refuses --reasoning-effort %s%s; it is left out for the rest of the run", c.effort, reason))
	}
}

// maxFormAttempts limits the requests that one call sends while it negotiates a form. Negotiating
// all parameters takes fewer, but a server may reject everything.
const maxFormAttempts = 16

// minOutputTokens is the smallest output token limit worth a request.
const minOutputTokens = 256

// A negotiation finds a form in which the server accepts one call.
type negotiation struct {
	client  *Client
	request *Request // to be sent, with limits that the server has stated
	form    form     // form in which it is to be sent
	start   form     // current form when the call started

	locked     bool  // the call holds the client's semaphore
	rejections int   // of this call
	fitsMinute bool  // the request was shortened to fit the tokens per minute
	confirming bool  // the request is being repeated unchanged to confirm the rejection
	cause      error // rejection that led to another format or effort
	guessed    error // rejection that led to the first guess
}

// negotiate returns the negotiation of a call, which starts with the current form.
func (c *Client) negotiate(r *Request) *negotiation {
	f := c.currentForm()
	return &negotiation{client: c, request: r, form: f, start: f}
}

// check returns an error if the request can't be sent in the form that a rejection led to: not
// without log probabilities if they are required.
func (n *negotiation) check(rejection error) error {
	if n.request.LogprobsRequired && n.form.NoLogprobs {
		return &LogprobsError{rejection}
	}
	return nil
}

// adapt changes the request after the server rejected it with err, so that it can be sent
// again. If it can't, it returns the error of the call. A format that changes is confirmed
// by a second request, since the rejection may be a fault of the server.
func (n *negotiation) adapt(ctx context.Context, err error) (again bool, _ error) {
	e, isStatus := errors.AsType[*StatusError](err)
	if IsFatal(err) || isReply(err) || isStatus && isQuotaSpent(e) {
		return false, err
	}
	if n.rejections++; n.rejections >= maxFormAttempts {
		return false, err
	}
	if tooLong, ok := errors.AsType[*ContextLengthError](err); ok {
		return n.shorten(tooLong)
	}
	next, ok, lockErr := n.nextForm(ctx, err)
	switch {
	case lockErr != nil:
		return false, lockErr
	case !ok && IsTransient(err): // a retry negotiates anew
		n.unlock()
		*n = *n.client.negotiate(n.request)
		return false, err
	case !ok:
		return false, cmp.Or(n.guessed, err)
	case next.Format != n.form.Format && !n.confirming:
		n.confirming = true
		return true, nil
	}
	n.confirming = false
	if next.Format != n.form.Format || next.NoEffort != n.form.NoEffort {
		n.cause = err
	}
	n.form = next
	err = n.check(err)
	return err == nil, err
}

// nextForm returns a form that may work after err: one that another call has found, the one
// that err suggests, or a guess.
func (n *negotiation) nextForm(ctx context.Context, err error) (next form, ok bool, _ error) {
	c, f := n.client, n.form
	if e, isStatus := errors.AsType[*StatusError](err); !isStatus || !mayRejectForm(e.Status) {
		return f, false, nil
	}
	if !n.locked {
		select {
		case c.negotiating <- struct{}{}:
			n.locked = true
		case <-ctx.Done():
			return f, false, ctx.Err()
		}
	}
	c.mu.Lock()
	current, proven, gaveLogprobs := c.form, c.proven, c.gaveLogprobs
	c.mu.Unlock()
	if found := mergeForms(f, current); found != f {
		n.unlock()
		n.confirming = true // by the other call
		return found, true, nil
	}
	if next, ok = adaptForm(f, n.request, err); ok || !isFormRejection(err) {
		return next, ok, nil
	}
	n.guessed = cmp.Or(n.guessed, err)
	switch {
	case f.logprobs(n.request) > 0 && !gaveLogprobs && !n.confirming:
		f.NoLogprobs = true
	case n.request.Schema != nil && f.Format < jsonInPrompt && !proven:
		f.Format++
		f.NoLogprobs = n.start.NoLogprobs
	default:
		return f, false, nil
	}
	return f, true, nil
}

// unlock lets other calls negotiate.
func (n *negotiation) unlock() {
	if n.locked {
		n.locked = false
		<-n.client.negotiating
	}
}

// shorten reduces the output token limit if only that makes the request too long.
func (n *negotiation) shorten(err *ContextLengthError) (again bool, _ error) {
	if err.PerMinute {
		if err.Limit == 0 || n.fitsMinute {
			return false, err
		}
		n.fitsMinute = true
		fitErr := n.fitMinute(err)
		return fitErr == nil, fitErr
	}
	if err.available < minOutputTokens || n.form.MaxOutput > 0 && err.available >= n.form.MaxOutput || n.request.MaxTokens <= err.available {
		return false, err
	}
	n.limitOutput(err.available)
	return true, nil
}

func (n *negotiation) limitOutput(tokens int) {
	r := *n.request
	r.MaxTokens = tokens
	n.request = &r
}

// fitMinute lowers the output token limit so that the request alone does not exceed the
// tokens per minute, once a request has. rejection is the error that names them, or nil. It
// returns an error if the prompt is too long, so that the caller splits the request.
func (n *negotiation) fitMinute(rejection *ContextLengthError) error {
	c := n.client
	c.mu.Lock()
	if rejection != nil {
		c.perMinute = rejection.Limit
	}
	limit := c.perMinute
	c.mu.Unlock()
	if limit == 0 {
		return nil
	}
	prompt := c.tokens.Request(n.request).Prompt
	if rejection != nil {
		prompt = max(prompt, rejection.requested-n.request.MaxTokens) // if the server counts the output token limit
	}
	available := limit - prompt
	if available < min(n.request.MaxTokens, minOutputTokens) {
		return &ContextLengthError{Limit: limit, PerMinute: true}
	}
	if available < n.request.MaxTokens {
		n.limitOutput(available)
	}
	return nil
}

// maxExceptions is the number of calls in a row that need another format than the one that
// has worked, until it is given up.
const maxExceptions = 3

// succeed records that the server accepted the form of n. A format that has worked before
// is kept: the request is an exception, unless others are as well.
func (n *negotiation) succeed() {
	c, f := n.client, n.form
	c.mu.Lock()
	if n.request.Schema != nil && f.withoutLimits() == c.form.withoutLimits() && f == n.start {
		c.proven, c.exceptions = true, 0
	}
	if c.proven && f.Format != c.form.Format {
		if c.exceptions++; c.exceptions < maxExceptions {
			f.Format = c.form.Format
		}
	}
	c.mu.Unlock()
	if f != n.start {
		c.adoptForm(f, n.cause)
	}
}
