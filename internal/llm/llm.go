// Package llm sends requests to language models behind any OpenAI-compatible server.
//
// New builds the stack of a run: a Client wrapped in decorators for retries, rate
// limits, budgets, a circuit breaker, repeated requests, caching and metering. Each
// decorator can be used separately.
//
// The type of an error tells the caller what to do. A LengthError or
// ContextLengthError may go away if the request is split. ParseError, RefusalError,
// and StatusError, NetworkError and TimeoutError after all retries, fail the row.
// Errors for which Fatal returns true end the run. UsageOf returns the cost of a
// failed call. No error contains the API key.
package llm

import (
	"context"
	"encoding/json"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Completer answers requests. Decorators such as Retry and Cache wrap a Completer
// and implement it. It must be safe for concurrent use.
type Completer interface {
	Complete(ctx context.Context, r *Request) (*Reply, error)
}

// An Embedder turns texts into vectors of one length, in the order of the texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error)
}

// A Role is the author of a message.
type Role string

// The roles.
const (
	System Role = "system"
	User   Role = "user"
)

// A Message is one turn of a prompt.
type Message struct {
	Role Role
	Text string
}

// A Request asks a model one question. What all requests have in common (model,
// endpoint, timeout) is configured in the Completer.
type Request struct {
	Messages []Message
	Schema   *Schema // of the reply; nil for free text
	// Accept returns an error if free text does not answer the question; nil accepts any
	// text. Rejected text is not requested again. Of truncated replies, Accept only sees
	// those that are a single word or a JSON value.
	Accept      func(text string) error
	Seed        int     // not sent if 0
	Temperature float64 // sent even if 0, unless the model takes no temperature
	MaxTokens   int     // limit of output tokens
	Prompt      string  // name and version of the prompt for the cache key, such as "judge/1"
	Bounded     bool    // use Schema.Bounded if the server supports it, since a previous reply was truncated
}

// A Schema describes a JSON reply.
type Schema struct {
	Name    string                      // letters, digits, _ and -
	JSON    json.RawMessage             // a JSON Schema for OpenAI's strict mode
	Bounded json.RawMessage             // the same with limited strings and lists; may be nil
	Accept  func(json.RawMessage) error // returns an error for a value that does not match
}

// A Reply is the reply of a model.
type Reply struct {
	Text          string          // unchanged
	JSON          json.RawMessage // the value that Schema.Accept accepted; nil for free text
	Usage         usage.Usage
	Cached        bool
	OriginalUsage usage.Usage // of a cached reply: what it cost originally

	reasoned bool // the model reasoned before it answered
}

// RetryTemperature is the temperature of requests whose reply should differ from an
// earlier one.
const RetryTemperature = 0.4

// Messages returns the messages of a prompt.
func Messages(system, user string) []Message {
	return []Message{{System, system}, {User, user}}
}

// Vary changes a request so that its reply differs from those to other variants of the
// request. Variant 0 is the request itself.
func (r *Request) Vary(variant int) {
	if variant != 0 {
		r.Seed += variant
		r.Temperature = RetryTemperature
	}
}

// SplitInHalf calls f for each half of ids, and stops at the first error.
func SplitInHalf(ids []int, f func([]int) error) error {
	n := (len(ids) + 1) / 2
	if err := f(ids[:n]); err != nil {
		return err
	}
	return f(ids[n:])
}
