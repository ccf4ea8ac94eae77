// Package llmtest provides fake OpenAI-compatible servers for tests. Server answers every
// prompt of ragfaith correctly, and can simulate the quirks of real servers. Runs with and
// without quirks must produce the same scores. BatchServer is one with the Batch API.
//
// A quirk may change a call, change the answer, or answer itself.
package llmtest

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Call is one request for a chat completion.
type Call struct {
	N            int    // number in order of arrival, from 1
	Limit        string // max_tokens, max_completion_tokens, or "" if neither is sent
	MaxTokens    int    // value of that parameter
	Temperature  *float64
	TopLogprobs  int    // alternatives of each token, or 0 if no log probabilities are wanted
	Format       string // json_schema, json_object, or "" for neither
	Schema       string // JSON schema from the format or the prompt; may be empty
	System, User string // messages
	Raw          []byte // body
}

// Word reports whether the call asks for a single word.
func (c *Call) Word() bool { return strings.Contains(c.User, "Yes or no:") }

// An Answer is a response of the server.
type Answer struct {
	Status         int    // 0 means 200
	Message, Param string // error message and the parameter that it names
	Code           string // error code
	Header         map[string]string
	Body           string // if set, sent instead of the fields below

	Content, Reasoning string
	Finish             string // finish reason; default stop
	PromptTokens       int
	CompletionTokens   int // including reasoning
	ReasoningTokens    int
	Logprobs           any // log probabilities of the content as in the API; may be nil
}

// A Handler answers calls. It must be safe for concurrent use.
type Handler func(c *Call) *Answer

// A Quirk answers a call, usually by passing it to next.
type Quirk func(c *Call, next Handler) *Answer

// A Server is an http.Handler for paths that end in /chat/completions.
type Server struct {
	handle Handler

	mu    sync.Mutex
	calls []*Call
}

// New returns a server with quirks, the outermost first.
func New(quirks ...Quirk) *Server {
	s := &Server{handle: judge}
	for _, quirk := range slices.Backward(quirks) {
		next := s.handle
		s.handle = func(c *Call) *Answer { return quirk(c, next) }
	}
	return s
}

// Calls returns the calls so far.
func (s *Server) Calls() []*Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&raw) != nil {
		http.Error(w, "not a request for a chat completion", http.StatusNotFound)
		return
	}
	c := readCall(raw)
	s.mu.Lock()
	s.calls = append(s.calls, c)
	c.N = len(s.calls)
	s.mu.Unlock()
	s.handle(c).write(w)
}

func readCall(raw []byte) *Call {
	var q struct {
		Messages            []struct{ Role, Content string }
		MaxTokens           *int `json:"max_tokens"`
		MaxCompletionTokens *int `json:"max_completion_tokens"`
		Temperature         *float64
		TopLogprobs         int `json:"top_logprobs"`
		Format              struct {
			Type       string
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	_ = json.Unmarshal(raw, &q) // missing fields show up in the answer
	c := &Call{Temperature: q.Temperature, TopLogprobs: q.TopLogprobs, Format: q.Format.Type, Schema: string(q.Format.JSONSchema.Schema), Raw: raw}
	for name, n := range map[string]*int{"max_tokens": q.MaxTokens, "max_completion_tokens": q.MaxCompletionTokens} {
		if n != nil {
			c.Limit, c.MaxTokens = name, *n
		}
	}
	for _, m := range q.Messages {
		if m.Role == "system" {
			c.System = m.Content
		} else {
			c.User = m.Content
		}
	}
	if _, told, ok := strings.Cut(c.System, "It must satisfy this JSON Schema:\n"); ok {
		c.Schema = told
	}
	return c
}

func (a *Answer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	var reply any
	switch {
	case a.Body != "":
		_, _ = w.Write([]byte(a.Body))
		return
	case a.Status >= http.StatusBadRequest:
		reply = map[string]any{"error": map[string]any{"message": a.Message, "param": a.Param, "code": a.Code}}
	default:
		message := map[string]any{"role": "assistant", "content": a.Content, "reasoning_content": a.Reasoning}
		usage := map[string]any{
			"prompt_tokens": a.PromptTokens, "completion_tokens": a.CompletionTokens, "total_tokens": a.PromptTokens + a.CompletionTokens,
			"completion_tokens_details": map[string]any{"reasoning_tokens": a.ReasoningTokens},
		}
		choice := map[string]any{"index": 0, "finish_reason": cmp.Or(a.Finish, "stop"), "message": message, "logprobs": a.Logprobs}
		reply = map[string]any{"object": "chat.completion", "choices": []any{choice}, "usage": usage}
	}
	_ = json.NewEncoder(w).Encode(reply)
}

// Refusal returns an answer with a status and an error message.
func Refusal(status int, message, param string) *Answer {
	return &Answer{Status: status, Message: message, Param: param}
}

// rejections are the answers of real servers to calls with something that they do not support.
//
//nolint:gochecknoglobals // constant
var rejections = map[string]struct {
	matches func(c *Call) bool
	answer  *Answer
}{
	"schemas": {
		func(c *Call) bool { return c.Format == "json_schema" },
		Refusal(http.StatusBadRequest, "response_format json_schema is not supported", ""),
	},
	"response formats": {
		func(c *Call) bool { return c.Format != "" },
		Refusal(http.StatusUnprocessableEntity, "response_format: extra fields not permitted", ""),
	},
	"temperature": { // OpenAI's reasoning models
		func(c *Call) bool { return c.Temperature != nil && *c.Temperature != 1 },
		Refusal(http.StatusBadRequest, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature"),
	},
	"max_tokens": { // OpenAI's reasoning models
		func(c *Call) bool { return c.Limit == "max_tokens" },
		Refusal(http.StatusBadRequest, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens"),
	},
	"more than 30000 tokens": {
		func(c *Call) bool { return c.MaxTokens > 30_000 },
		Refusal(http.StatusBadRequest, "max_completion_tokens is too large: 32768. This model supports at most 30000 completion tokens", "max_completion_tokens"),
	},
	"logprobs": {
		func(c *Call) bool { return c.TopLogprobs > 0 },
		Refusal(http.StatusBadRequest, "Unsupported parameter: 'logprobs' is not supported with this model.", "logprobs"),
	},
	"logprobs without a reason": {
		func(c *Call) bool { return c.TopLogprobs > 0 },
		Refusal(http.StatusBadRequest, "Bad request", ""),
	},
	"reasoning_effort": {
		func(c *Call) bool { return strings.Contains(string(c.Raw), `"reasoning_effort"`) },
		Refusal(http.StatusBadRequest, "Unrecognized request argument supplied: reasoning_effort", ""),
	},
}

// Rejects returns a quirk that rejects calls with something in the table of rejections.
func Rejects(what string) Quirk {
	r := rejections[what]
	return When(r.matches, func(*Call) *Answer { return r.answer })
}

// When returns a quirk that answers matching calls itself.
func When(match func(c *Call) bool, answer func(c *Call) *Answer) Quirk {
	return func(c *Call, next Handler) *Answer {
		if match(c) {
			return answer(c)
		}
		return next(c)
	}
}

// Changed returns a quirk that modifies successful answers.
func Changed(change func(c *Call, a *Answer)) Quirk {
	return func(c *Call, next Handler) *Answer {
		a := next(c)
		if a.Status == 0 && a.Body == "" {
			change(c, a)
		}
		return a
	}
}

// Prose never writes JSON.
func Prose() Quirk {
	return Changed(func(c *Call, a *Answer) {
		if !c.Word() {
			a.Content = "The sources are about a great many things, of which I could tell you more."
		}
	})
}

// draft is reasoning that resembles an answer; its verdicts must be ignored.
const draft = "Yes, the user asks me to check the claims. A first idea would be " +
	`{"verdicts":[{"claim_id":0,"statement_id":0,"chunk_ids":[],"quote":"","reason":"draft","verdict":"supported"}]}` +
	" but let me look closer."

// A Reasoner configures how a model reasons before it answers.
type Reasoner struct {
	Tokens func(c *Call) int // output tokens for reasoning
	// Text combines reasoning and answer in the content. Nil means that the server separates
	// them. The answer is empty if the output tokens ran out.
	Text   func(reasoning, answer string) string
	Field  bool // send separated reasoning in its own field
	Silent bool // do not report reasoning tokens
}

// Reasons uses output tokens for reasoning, and truncates replies that exceed the limit.
func Reasons(r Reasoner) Quirk {
	return Changed(func(c *Call, a *Answer) {
		a.ReasoningTokens = r.Tokens(c)
		a.CompletionTokens += a.ReasoningTokens
		reasoning := draft
		if c.Limit != "" && c.MaxTokens < a.CompletionTokens {
			a.Finish, a.Content = "length", ""
			a.CompletionTokens, a.ReasoningTokens = c.MaxTokens, c.MaxTokens
			reasoning = draft[:min(len(draft), 4*c.MaxTokens)]
		}
		if r.Silent {
			a.ReasoningTokens = 0
		}
		if r.Text != nil {
			a.Content = r.Text(reasoning, a.Content)
		} else if r.Field {
			a.Reasoning = reasoning
		}
	})
}

// Tokens returns a function for a number from low to high that depends only on the prompt.
func Tokens(low, high int) func(c *Call) int {
	return func(c *Call) int {
		h := fnv.New32a()
		_, _ = h.Write([]byte(c.User))
		return low + int(h.Sum32())%(high-low+1)
	}
}

// Tags puts reasoning between tags. Opening is empty if the prompt template adds that tag.
func Tags(opening, closing string) func(reasoning, answer string) string {
	return func(reasoning, answer string) string {
		if answer == "" {
			return opening + reasoning
		}
		return opening + reasoning + closing + "\n\n" + answer
	}
}
