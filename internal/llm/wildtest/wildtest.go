// Package wildtest serves a judge for tests that answers every prompt of ragfaith
// correctly, and can be given the quirks of real OpenAI-compatible servers. A run
// against a server with quirks must come to the scores of a run against one
// without.
//
// A quirk is a function around the handler of a call: it may change the call
// before it is answered, change the answer, or answer by itself. Each stands in a
// file with those like it; a new one needs no change here.
package wildtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
)

// A Call is one request for a chat completion.
type Call struct {
	N            int    // from 1, in order of arrival
	Limit        string // max_tokens, max_completion_tokens, or "" if neither is sent
	MaxTokens    int    // its value
	Temperature  *float64
	Format       string // json_schema, json_object, or "" for neither
	Schema       string // the JSON Schema, from the format or the prompt; "" if none is sent
	System, User string // the messages
	Header       http.Header
	Raw          []byte // the body
}

// Word reports whether the call asks for one word.
func (c *Call) Word() bool { return strings.Contains(c.User, "Yes or no:") }

// An Answer is what a server sends back.
type Answer struct {
	Status         int    // 0 for 200
	Message, Param string // of an error
	Header         map[string]string
	Body           string // sent as it is, if not empty

	Content, Reasoning string
	Finish             string // "" for stop
	PromptTokens       int
	CompletionTokens   int // with those for reasoning
	ReasoningTokens    int
}

// A Handler answers calls, many at once.
type Handler func(c *Call) *Answer

// A Quirk wraps a handler.
type Quirk func(next Handler) Handler

// A Server is an http.Handler for /chat/completions below any path.
type Server struct {
	handle Handler

	mu    sync.Mutex
	calls []*Call
}

// New returns a server with some quirks, the outermost first.
func New(quirks ...Quirk) *Server {
	s := &Server{handle: judge}
	for i := len(quirks) - 1; i >= 0; i-- {
		s.handle = quirks[i](s.handle)
	}
	return s
}

// Calls returns the calls so far.
func (s *Server) Calls() []*Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Call(nil), s.calls...)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw json.RawMessage
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") || json.NewDecoder(r.Body).Decode(&raw) != nil {
		http.Error(w, "not a request for a chat completion", http.StatusNotFound)
		return
	}
	c := readCall(raw)
	c.Header = r.Header
	s.mu.Lock()
	c.N = len(s.calls) + 1
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	s.handle(c).write(w)
}

func readCall(raw []byte) *Call {
	var q struct {
		Messages []struct{ Role, Content string }

		MaxTokens           *int `json:"max_tokens"`
		MaxCompletionTokens *int `json:"max_completion_tokens"`
		Temperature         *float64
		Format              struct {
			Type       string
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	_ = json.Unmarshal(raw, &q) // what is missing is seen in the answer
	c := &Call{Temperature: q.Temperature, Format: q.Format.Type, Schema: string(q.Format.JSONSchema.Schema), Raw: raw}
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
	send := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	switch {
	case a.Body != "":
		_, _ = w.Write([]byte(a.Body))
	case a.Status >= http.StatusBadRequest:
		send(map[string]any{"error": map[string]any{"message": a.Message, "param": a.Param}})
	default:
		message := map[string]any{"role": "assistant", "content": a.Content}
		if a.Reasoning != "" {
			message["reasoning_content"] = a.Reasoning
		}
		if a.Finish == "" {
			a.Finish = "stop"
		}
		usage := map[string]any{"prompt_tokens": a.PromptTokens, "completion_tokens": a.CompletionTokens, "total_tokens": a.PromptTokens + a.CompletionTokens}
		if a.ReasoningTokens > 0 {
			usage["completion_tokens_details"] = map[string]any{"reasoning_tokens": a.ReasoningTokens}
		}
		send(map[string]any{
			"object": "chat.completion", "usage": usage,
			"choices": []any{map[string]any{"index": 0, "finish_reason": a.Finish, "message": message}},
		})
	}
}
