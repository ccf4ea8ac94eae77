package llm

import (
	"context"
	"crypto/tls"
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
	Headers          Headers          // sent with every request
	ExtraBody        json.RawMessage  // added to chat requests; from ParseExtraBody
	Certificate      *tls.Certificate // client certificate; optional
	// HTTPClient is optional; the default uses proxies from the environment and the
	// certificate. Redirects to other hosts are never followed.
	HTTPClient *http.Client
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

const invalidReply = "invalid reply: " // start of the message about a reply that is not JSON

// maxFormAttempts limits the requests that one call sends while it negotiates a
// form. Negotiating all parameters takes fewer, but a server may reject
// everything.
const maxFormAttempts = 16

// A Client sends requests for one model to one server. A call normally sends a
// single request. If the server rejects its form, the client tries others: it
// requests JSON by schema, by JSON mode, or only in the prompt, and omits
// unsupported parameters. It remembers the form that works. It does not retry
// other errors.
type Client struct {
	api              *openai.Client
	wire             *wire
	endpoint         endpoint
	model            string
	key              string // may be empty
	timeout          time.Duration
	reasoningTimeout time.Duration
	effort           string // reasoning_effort; "" to omit it
	tokens           *Tokens

	deadlines *deadlines // of chat completions

	mu             sync.Mutex
	form           form
	formStats      // statistics about form
	window         contextWindow
	gaveLogprobs   bool // the server has returned log probabilities
	guessingFailed bool // guessing the unsupported parameter has failed
	downgrades     []Downgrade
	notify         func(Downgrade) // may be nil
	notifyEffort   func(error)     // may be nil
	negotiate      chan struct{}   // semaphore: one call negotiates at a time
}

// NewClient returns a client without contacting the server. It fails if the
// base URL is invalid or the model is missing.
func NewClient(c Config) (*Client, error) {
	if c.Model == "" {
		return nil, errors.New("missing model name")
	}
	ep, err := newEndpoint(c.BaseURL)
	if err != nil {
		return nil, err
	}
	secrets := append([]string{c.APIKey, ep.secret}, c.Headers.secrets...)
	if c.Headers.ReplaceKey() {
		c.APIKey = ""
	}
	httpClient := newWire(c, secrets, ep.azure)
	cfg := openai.DefaultConfig(c.APIKey)
	if ep.azure {
		cfg = openai.DefaultAzureConfig(c.APIKey, ep.base)
		cfg.AzureModelMapperFunc = func(model string) string {
			if ep.deployment != "" {
				return ep.deployment
			}
			return model
		}
	}
	cfg.BaseURL, cfg.APIType, cfg.APIVersion, cfg.HTTPClient = ep.base, ep.apiType, ep.version, httpClient
	return &Client{
		api: openai.NewClientWithConfig(cfg), wire: httpClient, endpoint: ep, model: c.Model, key: c.APIKey, timeout: c.Timeout,
		tokens: NewTokens(c.Model), negotiate: make(chan struct{}, 1), deadlines: newDeadlines(c.Timeout), effort: c.ReasoningEffort, form: startForm(c), reasoningTimeout: c.ReasoningTimeout,
	}, nil
}

// Endpoint returns the base URL without secrets.
func (c *Client) Endpoint() string { return c.endpoint.publicURL }

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
func (c *Client) String() string { return c.model + " at " + c.endpoint.publicURL }

// GoString returns the same as String, so that %#v does not print the key.
func (c *Client) GoString() string { return c.String() }

// Close closes idle connections.
func (c *Client) Close() { c.wire.CloseIdleConnections() }

// Complete sends a request. Its errors are *ParseError, *LengthError,
// *RefusalError, *ContextLengthError, *StatusError, *NetworkError,
// *TimeoutError and the error of ctx. UsageOf returns their cost.
func (c *Client) Complete(ctx context.Context, r *Request) (*Reply, error) {
	n := negotiation{client: c, schema: r.Schema != nil}
	defer n.unlock()
	f, err := n.begin(ctx)
	if err != nil {
		return nil, err
	}
	r = c.window.fit(r, c.tokens)
	var used usage.Usage
	var errBeforeGuess error  // the error that led to the first guess
	var withoutLogprobs error // the error that led to a guess that they are not supported
	var cause error
	for {
		if r.LogprobsRequired && f.NoLogprobs {
			return nil, withUsage(&LogprobsError{cause}, used)
		}
		res, sent, err := c.send(ctx, r, f)
		used.Requests += sent
		if err == nil {
			n.succeed(f)
			used = used.Add(c.replyUsage(r, res))
			return c.read(ctx, r, f, res, used)
		}
		classified, available := classify(err)
		cause = classified
		if e, ok := errors.AsType[*StatusError](err); used.Requests >= maxFormAttempts || ok && isQuotaSpent(e) {
			return nil, withUsage(classified, used)
		}
		if available >= minOutputTokens && (f.MaxOutput == 0 || available < f.MaxOutput) && r.MaxTokens > available {
			c.window.record(classified, available, c.tokens.Request(r).Prompt)
			shortened := *r
			shortened.MaxTokens = available
			r = &shortened
			continue
		}
		if f.bounded(r) && isFormRejection(classified) {
			f.NoBounds = true // some servers support schemas but not bounds in them
			continue
		}
		if rejected, guess := c.rejectsLogprobs(f, r, classified); rejected {
			f.NoLogprobs = true
			if guess {
				withoutLogprobs = classified
			}
			continue
		}
		next, guess, ok := adaptForm(f, r.Schema != nil, classified)
		switch {
		case !ok:
		case sent == 0: // go-openai rejected it locally
			f, n.cause = next, classified
			continue
		default:
			if next, ok, err = n.rejected(ctx, f, next, guess, classified); err != nil {
				return nil, withUsage(err, used)
			}
		}
		if !ok {
			if withoutLogprobs != nil && !IsTransient(classified) {
				classified = withoutLogprobs
			}
			if errBeforeGuess != nil && !IsTransient(classified) {
				n.recordWrongGuess()
				classified = errBeforeGuess
			}
			return nil, withUsage(classified, used)
		}
		if guess && errBeforeGuess == nil {
			errBeforeGuess = classified
		} else if !guess {
			errBeforeGuess = nil
		}
		if next.Format != f.Format && withoutLogprobs != nil {
			next.NoLogprobs, withoutLogprobs = false, nil // it was the format that the server rejected
		}
		f = next
	}
}

// send sends one request. sent is 0 if go-openai rejected it before sending.
func (c *Client) send(ctx context.Context, r *Request, f form) (res openai.ChatCompletionResponse, sent int, err error) {
	atLeast := time.Duration(0)
	if r.reasons {
		atLeast = c.reasoningTimeout
	}
	attemptCtx, end := c.deadlines.start(ctx, atLeast)
	defer func() { end(err == nil) }()
	res, err = c.api.CreateChatCompletion(withReplyLimit(attemptCtx, limitReply(f.outputTokens(r), f.logprobs(r))), c.request(r, f))
	switch {
	case err == nil:
		return res, 1, nil
	case errors.Is(err, openai.ErrReasoningModelMaxTokensDeprecated),
		errors.Is(err, openai.ErrReasoningModelLimitationsOther),
		errors.Is(err, openai.ErrReasoningModelLimitationsLogprobs),
		errors.Is(err, openai.ErrReasoningSamplingUnsupported),
		errors.Is(err, openai.ErrReasoningEffortUnsupported),
		errors.Is(err, openai.ErrChatCompletionInvalidModel):
		return res, 0, err
	}
	if errors.Is(context.Cause(attemptCtx), context.DeadlineExceeded) && ctx.Err() == nil {
		return res, 1, &TimeoutError{After: max(c.timeout, atLeast)}
	}
	return res, 1, c.failure(ctx, err)
}

// withTimeout is context.WithTimeout, but without a timeout if d is not
// positive.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// failure classifies the error of one attempt: the caller's context, a timeout,
// or a response that go-openai can't parse.
func (c *Client) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &TimeoutError{After: c.timeout}
	}
	if isA[*StatusError](err) || isA[*NetworkError](err) {
		return err
	}
	return &StatusError{Status: http.StatusOK, Message: invalidReply + c.wire.redactConnError(err)}
}

// read converts a response into a Reply. It redacts the key only after parsing,
// so that redaction does not affect parsing.
func (c *Client) read(ctx context.Context, r *Request, f form, res openai.ChatCompletionResponse, used usage.Usage) (*Reply, error) {
	reply, err := c.readReply(ctx, r, f, res, used)
	downgraded := r.Schema != nil && f.Format != jsonSchema
	if reply != nil {
		reply.Downgraded = downgraded
		if err := c.setLogprobs(reply, r, res.Choices[0].LogProbs); err != nil {
			return nil, withUsage(err, used)
		}
		if c.wire.redactReply(reply.Text) != reply.Text {
			reply.Logprobs = nil // their offsets would be wrong
		}
		reply.Text, reply.JSON = c.wire.redactReply(reply.Text), c.wire.redactJSON(reply.JSON)
	}
	if e, ok := errors.AsType[*ParseError](err); ok {
		e.Downgraded = downgraded
		e.Reason, e.Text, e.Partial = c.wire.redactError(e.Reason), c.wire.redactError(e.Text), c.wire.redactJSON(e.Partial)
	}
	if e, ok := errors.AsType[*RefusalError](err); ok {
		e.Message = c.wire.redactError(e.Message)
	}
	return reply, err
}

func (c *Client) readReply(ctx context.Context, r *Request, f form, res openai.ChatCompletionResponse, used usage.Usage) (*Reply, error) {
	if len(res.Choices) == 0 {
		return nil, withUsage(&ParseError{Reason: "the answer has no choices"}, used)
	}
	choice := res.Choices[0]
	text := messageText(choice.Message)
	switch {
	case choice.Message.Refusal != "":
		return nil, withUsage(&RefusalError{Reason: "refusal", Message: truncateText(choice.Message.Refusal, 300)}, used)
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return nil, withUsage(&RefusalError{Reason: "content_filter"}, used)
	}
	reasoned := hasReasoning(text) || choice.Message.ReasoningContent != "" ||
		res.Usage.CompletionTokensDetails != nil && res.Usage.CompletionTokensDetails.ReasoningTokens > 0
	reply := &Reply{Text: text, Usage: used, reasoning: c.reasoningTokens(text, res, reasoned)}
	atLimit := isTruncated(string(choice.FinishReason))
	lengthError := func() error {
		answer, started := Answer(text)
		started = started && strings.TrimSpace(answer) != ""
		return withUsage(&LengthError{
			Limit: f.outputTokens(r), Reasoning: !started, hasReasoning: reasoned,
			isProse: started && !reasoned && r.Schema != nil && !startsWithJSON(answer),
		}, used)
	}
	if r.Schema == nil {
		if atLimit && (r.Accept == nil || !isCompleteAnswer(text)) {
			return nil, lengthError()
		}
		if r.Accept != nil {
			if err := r.Accept(text); err != nil {
				return nil, withUsage(&ParseError{Reason: err.Error(), Text: text}, used)
			}
		}
		return reply, nil
	}
	if atLimit {
		// A reply truncated after the last brace is still complete.
		if reply.JSON = parseAlone(text, r.Schema, promptEcho(r.Messages)); reply.JSON == nil {
			return nil, lengthError()
		}
		c.countReply(f, nil)
		return reply, nil
	}
	v, err := parse(ctx, text, r.Schema, promptEcho(r.Messages))
	c.countReply(f, err)
	if err != nil {
		return nil, withUsage(err, used)
	}
	reply.JSON = v
	return reply, nil
}

// messageText returns the text of a message from whichever field contains it.
func messageText(m openai.ChatCompletionMessage) string {
	var b strings.Builder
	b.WriteString(m.Content)
	for _, p := range m.MultiContent {
		b.WriteString(p.Text)
	}
	if b.Len() == 0 && len(m.ToolCalls) > 0 {
		return m.ToolCalls[0].Function.Arguments
	}
	return b.String()
}
