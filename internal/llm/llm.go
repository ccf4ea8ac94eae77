// Package llm asks language models behind any OpenAI-compatible server.
//
// New puts together what a run needs: a Client and, around it, the decorators
// that retry, keep a pace and a budget, give up on a dead server, ask again for
// replies that could not be used, cache and count. Each can be used alone.
//
// An error says what a caller can do about it. LengthError and ContextLengthError
// ask for less at a time; ParseError and RefusalError are the row's failure, as
// StatusError, NetworkError and TimeoutError are when the retries are used up; and
// what Fatal names, DownError and BudgetError, ends the run. UsageOf tells what a
// failed call cost. The key stands in none of them.
package llm

import (
	"context"
	"encoding/json"

	"github.com/ragfaith/ragfaith/internal/usage"
)

// A Completer answers one request. Decorators (retry, pace, budget, breaker,
// cache, meter) take a Completer and are one. It is called from many goroutines.
type Completer interface {
	Complete(ctx context.Context, r *Request) (*Reply, error)
}

// An Embedder turns texts into vectors of one length, in the order of the texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, usage.Usage, error)
}

// A Role says who a message is from.
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

// A Request is one question to a model. What is asked of every request alike
// (model, endpoint, timeout) belongs to the Completer.
type Request struct {
	Messages []Message
	Schema   *Schema // what the reply must be; nil for free text
	// Accept refuses free text that does not answer what was asked, and returns the
	// reason; nil takes any. Text that it refuses is not asked for again. Of a
	// truncated reply it sees only one that is a single word or a JSON value.
	Accept      func(text string) error
	Seed        int     // 0: none is sent
	Temperature float64 // 0 is really sent, where the model takes a temperature
	MaxTokens   int     // room for the reply, in tokens
	Prompt      string  // name and version of the prompt, for the cache key: "judge/1"
	Bounded     bool    // the reply ran out of room before: Schema.Bounded is taken, where the server can do that
}

// A Schema is the shape of a reply.
type Schema struct {
	Name    string                      // letters, digits, _ and -
	JSON    json.RawMessage             // a JSON Schema that OpenAI's strict mode takes
	Bounded json.RawMessage             // the same with an end to its strings and lists; nil for none
	Accept  func(json.RawMessage) error // refuses a JSON value that is not of this shape, and says why
}

// A Reply is what a model said.
type Reply struct {
	Text   string          // as it came
	JSON   json.RawMessage // the value that Schema.Accept took; nil for free text
	Usage  usage.Usage
	Cached bool
	Made   usage.Usage // of a Cached one: what it took when it was made

	reasoned bool // the model reasoned before it answered
}
