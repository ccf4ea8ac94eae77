// Package llm sends requests to language models on OpenAI-compatible servers.
//
// New returns a Stack: a Client, whose sender decides when and how often a request is sent,
// behind a cache and decorators that retry unusable replies.
//
// Error types tell the caller how to proceed. After a LengthError or ContextLengthError, a smaller
// request may succeed. A ParseError or RefusalError fails the row, as do StatusError, NetworkError
// and TimeoutError once retries are exhausted. Errors for which IsFatal returns true end the run.
// UsageOf returns the cost of a failed call. No error contains the API key.
package llm

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Completer answers requests. It must be safe for concurrent use. Decorators such
// as ReplyRetry and WindowDetector implement Completer by wrapping another one.
type Completer interface {
	Complete(ctx context.Context, r *Request) (*Reply, error)
}

type completerFunc func(context.Context, *Request) (*Reply, error)

// Complete implements Completer.
func (f completerFunc) Complete(ctx context.Context, r *Request) (*Reply, error) { return f(ctx, r) }

// An Embedder maps texts to vectors of equal length, in the same order.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error)
}

// A Role is the author of a message.
type Role string

// The roles.
const (
	System Role = "system"
	User   Role = "user"
	// Assistant is an earlier reply, which is to be judged.
	Assistant Role = "assistant"
	// Document is a document of the chat template, which is sent as a template argument.
	Document Role = "document"
)

// A Message is one turn of a prompt.
type Message struct {
	Role Role
	Text string
}

// A Request is a prompt with its parameters. Properties shared by all requests,
// such as model, endpoint and timeout, are configured in the Completer.
type Request struct {
	Messages []Message
	Schema   *Schema // schema of the reply, or nil for free text
	// Accept validates a free-text reply; nil accepts any text. Rejected replies are not retried.
	// Truncated replies reach Accept only if they are a single word or a JSON value.
	Accept      func(text string) error
	Seed        int     // 0 sends no seed
	Temperature float64 // 0 is sent too, unless the model rejects the parameter
	MaxTokens   int     // output token limit
	Prompt      string  // prompt name and version, such as "judge/1"; part of the cache key
	reasons     bool    // the model is known to reason, which takes longer
	// timeoutIsFinal is set if a timeout is not retried, since the retry would take too long.
	timeoutIsFinal bool
	Bounded        bool // use Schema.Bounded if supported; set after a truncated reply

	// Logprobs is the number of alternatives to request for each output token, or 0. Many
	// servers return none.
	Logprobs int
	// LogprobsRequired makes a reply without log probabilities a *LogprobsError.
	LogprobsRequired bool
	// Spans returns the ascending byte ranges of Reply.Text whose tokens are needed. If it
	// is nil, all are kept.
	Spans func(*Reply) [][2]int
}

// A Size is an upper bound on the tokens of a request.
type Size struct{ Prompt, Reply int }

// A Schema describes a JSON reply.
type Schema struct {
	Name    string                      // letters, digits, _ and -
	JSON    json.RawMessage             // a JSON Schema for OpenAI's strict mode
	Bounded json.RawMessage             // JSON with limits on strings and lists; may be nil
	Accept  func(json.RawMessage) error // validates a reply
}

// A Reply is the reply of a model.
type Reply struct {
	Text          string          // unchanged
	JSON          json.RawMessage // the accepted value; nil for free text
	Usage         usage.Usage
	Cached        bool
	OriginalUsage usage.Usage // original cost of a cached reply
	Downgraded    bool        // made without the schema that was asked for, which the server rejected
	// Logprobs are the tokens in Request.Spans, in order. It is empty if the server returned
	// none, or none that fit the text.
	Logprobs []Token
}

// A Token is an output token of a reply.
type Token struct {
	Start int `json:"start"` // byte range in Reply.Text
	End   int `json:"end"`
	// Top contains the token itself, then the most likely alternatives.
	Top []Alternative `json:"top"`
}

// An Alternative is a token that a model could have written, and its log
// probability, which is at most 0.
type Alternative struct {
	Text    string  `json:"text"`
	Logprob float64 `json:"logprob"`
}

// RetryTemperature is the sampling temperature of retries, which should produce a different reply.
const RetryTemperature = 0.4

// Messages returns a system message, unless it is empty, and a user message.
func Messages(system, user string) []Message {
	if system == "" {
		return []Message{{User, user}}
	}
	return []Message{{System, system}, {User, user}}
}

// Vary changes the seed and temperature of r so that each variant gets a
// different reply. Variant 0 leaves r unchanged.
func (r *Request) Vary(variant int) {
	if variant != 0 {
		r.Seed += variant
		r.Temperature = RetryTemperature
	}
}

// ForEach calls f for each element and stops at the first error, except for those that satisfy
// IsDeferred: a batch can contain the requests of all elements. It returns one of these at the end.
func ForEach[T any](list iter.Seq[T], f func(T) error) error {
	var deferred error
	for x := range list {
		err := f(x)
		switch {
		case IsDeferred(err):
			deferred = err
		case err != nil:
			return err
		}
	}
	return deferred
}

// SplitInHalf calls f for the first and the second half of list, and stops at the first error.
func SplitInHalf[T any](list []T, f func([]T) error) error {
	n := (len(list) + 1) / 2
	if err := f(list[:n]); err != nil {
		return err
	}
	return f(list[n:])
}

// A Meter accumulates usage.
type Meter struct {
	mu    sync.Mutex
	total usage.Usage
}

func (m *Meter) add(u usage.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total = m.total.Add(u)
}

// Total returns the usage so far.
func (m *Meter) Total() usage.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// untilChange is the wait of a request that another one must end.
const untilChange = time.Duration(math.MaxInt64)

// A Clock provides the time.
type Clock interface {
	Now() time.Time
	// Sleep waits for d, or returns ctx.Err() as soon as ctx is done.
	Sleep(ctx context.Context, d time.Duration) error
}

// NewClock returns a Clock that reads the time from now and sleeps in real time.
func NewClock(now func() time.Time) Clock { return clock(now) }

type clock func() time.Time

// Now implements Clock.
func (c clock) Now() time.Time { return c() }

// Sleep implements Clock.
func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const (
	maxAlternatives = 20    // largest top_logprobs of OpenAI
	maxTokenBytes   = 256   // longest alternative that is kept
	minLogprob      = -9999 // vLLM's value for negative infinity
	roundingLogprob = 1e-3  // a log probability may exceed 0 by this much
)
