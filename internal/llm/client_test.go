package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

const secret = "sk-very/secret+key=123"

// verdicts returns a schema like that of the judge.
func verdicts() *Schema {
	return &Schema{
		Name: "verdicts",
		JSON: json.RawMessage(`{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"integer"}}},"required":["verdicts"],"additionalProperties":false}`),
		Accept: func(v json.RawMessage) error {
			var o struct{ Verdicts []json.RawMessage }
			if err := json.Unmarshal(v, &o); err != nil {
				return errors.New("want an object")
			}
			if o.Verdicts == nil {
				return errors.New("missing verdicts")
			}
			return nil
		},
	}
}

func newRequest(schema *Schema) *Request {
	return &Request{Messages: []Message{{System, "Judge."}, {User, "the answer"}}, Schema: schema, MaxTokens: 100, Prompt: "test/1"}
}

// A sent request as received by the server.
type sent struct {
	path, query string
	header      http.Header
	body        map[string]any
	raw         string
}

func (s sent) format() string {
	f, _ := s.body["response_format"].(map[string]any)
	t, _ := f["type"].(string)
	return t
}

// newTestServer starts a server that records requests and answers them with f.
func newTestServer(t *testing.T, f func(n int, s sent, w http.ResponseWriter)) (*httptest.Server, func() []sent) {
	t.Helper()
	var mu sync.Mutex
	var all []sent
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s := sent{path: r.URL.Path, query: r.URL.RawQuery, header: r.Header, raw: string(b)}
		_ = json.Unmarshal(b, &s.body)
		mu.Lock()
		all = append(all, s)
		n := len(all)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		f(n, s, w)
	}))
	t.Cleanup(srv.Close)
	return srv, func() []sent {
		mu.Lock()
		defer mu.Unlock()
		return append([]sent(nil), all...)
	}
}

// writeReply writes a chat completion with the given text.
func writeReply(w io.Writer, text, finish string) {
	b, _ := json.Marshal(text)
	fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, b, finish)
}

func writeError(w http.ResponseWriter, status int, message, param string) {
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "param": param, "type": "invalid_request_error"}})
	_, _ = w.Write(b)
}

func newTestClient(t *testing.T, c Config) *Client {
	t.Helper()
	if c.Model == "" {
		c.Model = "m"
	}
	cl, err := NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	cl.sender = testSender(Options{})
	return cl
}

func mustComplete(t *testing.T, c Completer, r *Request) *Reply {
	t.Helper()
	reply, err := c.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func mustAs[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got %T %v, want %T", err, err, e)
	}
	return e
}

// checkDown checks that err reports that the server is down.
func checkDown(t *testing.T, err error) {
	t.Helper()
	if !isA[*DownError](err) {
		t.Errorf("got %v, want a *DownError", err)
	}
}

const validReply = `{"verdicts":[1,0]}`

func TestCompleteWithSchema(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	r := newRequest(verdicts())
	r.Seed = 7
	reply := mustComplete(t, newTestClient(t, Config{BaseURL: srv.URL + "/v1/", APIKey: secret}), r)
	if string(reply.JSON) != validReply || reply.Text != validReply || reply.Usage != (usage.Usage{Requests: 1, PromptTokens: 11, CompletionTokens: 7}) {
		t.Errorf("got %+v, want %s with usage 11 and 7", reply, validReply)
	}
	s := got()[0]
	if s.path != "/v1/chat/completions" || s.header.Get("Authorization") != "Bearer "+secret {
		t.Errorf("got path %s, header %v; want /v1/chat/completions with the key", s.path, s.header)
	}
	if !strings.Contains(s.raw, `"temperature":0,`) {
		t.Errorf("got request %s, want a temperature of 0", s.raw)
	}
	if s.body["max_tokens"] != 100.0 || s.body["seed"] != 7.0 {
		t.Errorf("got request %s, want max_tokens 100 and seed 7", s.raw)
	}
	f := s.body["response_format"].(map[string]any)["json_schema"].(map[string]any)
	if f["strict"] != true || f["name"] != "verdicts" || f["schema"].(map[string]any)["required"] == nil {
		t.Errorf("got format %v, want a strict schema named verdicts", f)
	}
}

func TestCompleteFreeText(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, "hello {", "stop") })
	r := newRequest(nil)
	r.Temperature = 0.5
	reply, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), r)
	if err != nil || reply.Text != "hello {" || reply.JSON != nil {
		t.Fatalf("got %+v, %v; want text without JSON", reply, err)
	}
	s := got()[0]
	if s.format() != "" || s.body["temperature"] != 0.5 || s.header.Get("Authorization") != "" {
		t.Errorf("got request %s, header %v; want no format and no key", s.raw, s.header)
	}
}

func TestRequestTimeout(t *testing.T) {
	release := make(chan struct{})
	srv, _ := newTestServer(t, func(n int, _ sent, w http.ResponseWriter) {
		if n == 2 { // headers without a body
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release)
	c := newTestClient(t, Config{BaseURL: srv.URL, Timeout: 30 * time.Millisecond})
	for range 2 {
		_, err := c.Complete(t.Context(), newRequest(verdicts()))
		if e := mustAs[*TimeoutError](t, err); e.After != 30*time.Millisecond || !IsTransient(err) {
			t.Errorf("got %v, want a timeout after 30ms", err)
		}
	}
	ctx := canceled(t)
	if _, err := c.Complete(ctx, newRequest(verdicts())); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []Config{
		{},
		{Model: "m", BaseURL: "localhost:8080"},
		{Model: "m", BaseURL: "ftp://x"},
		{Model: "m", BaseURL: "http://"},
		{Model: "m", BaseURL: "http://x/\x7f"},
		{Model: "m", BaseURL: "http://x/?code=" + secret},
	} {
		_, err := NewClient(c)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%v: got %v, want an error without the key", c, err)
		}
	}
}

func TestDefaultEndpointIsOpenAI(t *testing.T) {
	c := newTestClient(t, Config{Model: "gpt-4o-mini"})
	if c.Endpoint() != "https://api.openai.com/v1" || c.Model() != "gpt-4o-mini" || c.String() != "gpt-4o-mini at https://api.openai.com/v1" {
		t.Errorf("got %v, want the defaults", c)
	}
}
