package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Config specifies a model and its server.
type Config struct {
	BaseURL         string // defaults to OpenAI; Azure URLs are detected
	Model           string
	APIKey          string // optional
	ReasoningEffort string // sent as reasoning_effort if not empty
	Timeout         time.Duration
	// ReasoningTimeout replaces Timeout for requests to models that are known to reason, if
	// it is longer.
	ReasoningTimeout time.Duration
	Headers          Headers         // sent with every request
	ExtraBody        json.RawMessage // added to chat requests; from ParseExtraBody
}

// String returns a description without the key.
func (c Config) String() string { return fmt.Sprintf("llm.Config{%s at %s}", c.Model, c.redactedURL()) }

// redactedURL returns the base URL without password and query.
func (c Config) redactedURL() string {
	e, err := newEndpoint(c.BaseURL)
	if err != nil {
		return "an unusable base URL"
	}
	return e.publicURL
}

// GoString returns the same as String.
func (c Config) GoString() string { return c.String() }

// MarshalJSON writes a Config without its key.
func (c Config) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"base_url": c.redactedURL(), "model": c.Model, "timeout": c.Timeout.String()})
}

// minOutputTokens is the smallest output token limit worth a request.
const minOutputTokens = 256

// A Client sends requests for one model to one server. If the server rejects the form of a
// request, the client tries others: it requests JSON by schema, by JSON mode, or only in the
// prompt, and omits unsupported parameters. It remembers the form that works.
type Client struct {
	api              *openai.Client
	wire             *wire
	model            string
	timeout          time.Duration
	reasoningTimeout time.Duration
	effort           string // reasoning_effort; "" to omit it
	tokens           *Tokens
	deadlines        *deadlines // of chat completions
	sender           *sender    // nil if the client can only Ask

	mu           sync.Mutex
	form         form
	proven       bool // the server accepts schemas in this form
	exceptions   int  // calls since then that needed another format
	perMinute    int  // tokens that a request alone has exceeded, or 0 if unknown
	gaveLogprobs bool // the server has returned log probabilities
	downgrades   []Downgrade
	notify       func(Downgrade) // may be nil
	notifyEffort func(error)     // may be nil
	negotiating  chan struct{}   // semaphore: one rejected call at a time looks for a form
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
		api: openai.NewClientWithConfig(w.config()), wire: w, model: c.Model, timeout: c.Timeout, reasoningTimeout: c.ReasoningTimeout,
		effort: c.ReasoningEffort, tokens: NewTokens(c.Model), deadlines: newDeadlines(c.Timeout),
		form: startForm(c), negotiating: make(chan struct{}, 1),
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

// Complete sends a request. Its errors are *ParseError, *LengthError,
// *RefusalError, *ContextLengthError, *StatusError, *NetworkError,
// *TimeoutError, *DownError, *BudgetError and the error of ctx. UsageOf returns their cost.
func (c *Client) Complete(ctx context.Context, r *Request) (*Reply, error) {
	n := &negotiation{client: c, request: r}
	defer n.unlock()
	if err := n.begin(); err != nil {
		return nil, err
	}
	var reply *Reply
	used, err := c.sender.do(ctx, call{
		size: func() Size { return c.tokens.Request(n.request) },
		send: func(ctx context.Context) (u usage.Usage, err error) {
			reply, u, err = c.send(ctx, n)
			return u, err
		},
		adapt: n.adapt, timeoutIsFinal: r.timeoutIsFinal,
	})
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.Usage = used
	return reply, nil
}

// send sends the request of n once.
func (c *Client) send(ctx context.Context, n *negotiation) (*Reply, usage.Usage, error) {
	r, f := n.request, n.form
	atLeast := time.Duration(0)
	if r.reasons {
		atLeast = c.reasoningTimeout
	}
	attempt, end := c.deadlines.start(ctx, atLeast)
	res, err := c.createChat(attempt, c.request(r, f), limitReply(f.outputTokens(r), f.logprobs(r)))
	timedOut := errors.Is(context.Cause(attempt), context.DeadlineExceeded)
	end(err == nil)
	used := usage.Usage{Requests: 1}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, used, ctx.Err()
	case timedOut:
		return nil, used, &TimeoutError{After: max(c.timeout, atLeast)}
	default:
		return nil, used, classify(err)
	}
	n.succeed()
	used = used.Add(c.replyUsage(r, res))
	reply, err := c.read(ctx, r, f, res)
	return reply, used, err
}

// createChat sends a request for a chat completion.
func (c *Client) createChat(ctx context.Context, q openai.ChatCompletionRequest, limit replyLimit) (*openai.ChatCompletionResponse, error) {
	x := &exchange{limit: limit}
	res, err := c.api.CreateChatCompletion(x.context(ctx), q)
	switch {
	case err == nil:
		return &res, nil
	case x.reply != nil: // go-openai can't decode it
		return c.wire.decodeChat(x.reply)
	case errors.Is(err, openai.ErrReasoningEffortUnsupported): // as the server would
		return nil, &StatusError{Status: http.StatusBadRequest, Message: err.Error(), Param: "reasoning_effort"}
	}
	return nil, err
}

// read converts a response into a Reply. It redacts the key only after parsing,
// so that redaction does not affect parsing.
func (c *Client) read(ctx context.Context, r *Request, f form, res *openai.ChatCompletionResponse) (*Reply, error) {
	reply, err := c.readReply(ctx, r, f, res)
	if reply != nil {
		reply.Downgraded = r.Schema != nil && f.Format != jsonSchema
		if err := c.setLogprobs(reply, r, res.Choices[0].LogProbs); err != nil {
			return nil, err
		}
		if text := c.wire.redactReply(reply.Text); text != reply.Text {
			reply.Text, reply.Logprobs = text, nil // their offsets would be wrong
		}
		reply.JSON = c.wire.redactJSON(reply.JSON)
	}
	if e, ok := errors.AsType[*ParseError](err); ok {
		e.Reason, e.Text = c.wire.redactError(e.Reason), c.wire.redactError(e.Text)
	}
	if e, ok := errors.AsType[*RefusalError](err); ok {
		e.Message = c.wire.redactError(e.Message)
	}
	return reply, err
}

func (c *Client) readReply(ctx context.Context, r *Request, f form, res *openai.ChatCompletionResponse) (*Reply, error) {
	if len(res.Choices) == 0 {
		return nil, &ParseError{Reason: "the answer has no choices"}
	}
	choice := &res.Choices[0]
	text := messageText(&choice.Message)
	switch {
	case choice.Message.Refusal != "":
		return nil, &RefusalError{Reason: "refusal", Message: truncateText(choice.Message.Refusal, 300)}
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return nil, &RefusalError{Reason: "content_filter"}
	}
	reasoned := hasReasoning(text) || choice.Message.ReasoningContent != "" || reportedReasoning(&res.Usage) > 0
	reply := &Reply{Text: text}
	atLimit := isTruncated(string(choice.FinishReason))
	lengthError := func() error {
		answer, started := Answer(text)
		started = started && strings.TrimSpace(answer) != ""
		return &LengthError{
			Limit: f.outputTokens(r), Reasoning: !started, hasReasoning: reasoned,
			isProse: started && !reasoned && r.Schema != nil && !startsWithJSON(answer),
		}
	}
	if r.Schema == nil {
		if atLimit && (r.Accept == nil || !isCompleteAnswer(text)) {
			return nil, lengthError()
		}
		if r.Accept != nil {
			if err := r.Accept(text); err != nil {
				return nil, &ParseError{Reason: err.Error(), Text: text}
			}
		}
		return reply, nil
	}
	if atLimit {
		// A reply truncated after the last brace is still complete.
		if reply.JSON = parseAlone(text, r.Schema, promptEcho(r.Messages)); reply.JSON == nil {
			return nil, lengthError()
		}
		return reply, nil
	}
	v, err := parse(ctx, text, r.Schema, promptEcho(r.Messages))
	if err != nil {
		return nil, err
	}
	reply.JSON = v
	return reply, nil
}
