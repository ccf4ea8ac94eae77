package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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
				return errors.New("it has no verdicts")
			}
			return nil
		},
	}
}

func ask(schema *Schema) *Request {
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

// server starts a server that records requests and answers them with f.
func server(t *testing.T, f func(n int, s sent, w http.ResponseWriter)) (*httptest.Server, func() []sent) {
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

// say writes a chat completion with the given text.
func say(w io.Writer, text, finish string) {
	b, _ := json.Marshal(text)
	fmt.Fprintf(w, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":%q}],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, b, finish)
}

func fail(w http.ResponseWriter, status int, message, param string) {
	w.WriteHeader(status)
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": message, "param": param, "type": "invalid_request_error"}})
	_, _ = w.Write(b)
}

func client(t *testing.T, c Config) *Client {
	t.Helper()
	if c.Model == "" {
		c.Model = "m"
	}
	cl, err := NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func as[E error](t *testing.T, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Fatalf("got %T %v, want %T", err, err, e)
	}
	return e
}

const good = `{"verdicts":[1,0]}`

func TestCompleteWithSchema(t *testing.T) {
	srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, good, "stop") })
	r := ask(verdicts())
	r.Seed = 7
	reply, err := client(t, Config{BaseURL: srv.URL + "/v1/", APIKey: secret, Org: "org-1"}).Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if string(reply.JSON) != good || reply.Text != good || reply.Usage != (usage.Usage{Requests: 1, PromptTokens: 11, CompletionTokens: 7}) {
		t.Errorf("got %+v", reply)
	}
	s := got()[0]
	if s.path != "/v1/chat/completions" || s.header.Get("Authorization") != "Bearer "+secret || s.header.Get("OpenAI-Organization") != "org-1" {
		t.Errorf("got path %s, header %v", s.path, s.header)
	}
	if !strings.Contains(s.raw, `"temperature":0,`) {
		t.Errorf("temperature 0 is missing: %s", s.raw)
	}
	if s.body["max_tokens"] != 100.0 || s.body["seed"] != 7.0 {
		t.Errorf("parameters: %s", s.raw)
	}
	f := s.body["response_format"].(map[string]any)["json_schema"].(map[string]any)
	if f["strict"] != true || f["name"] != "verdicts" || f["schema"].(map[string]any)["required"] == nil {
		t.Errorf("format: %v", f)
	}
}

func TestCompleteFreeText(t *testing.T) {
	srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, "hello {", "stop") })
	r := ask(nil)
	r.Temperature = 0.5
	reply, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), r)
	if err != nil || reply.Text != "hello {" || reply.JSON != nil {
		t.Fatalf("got %+v, %v", reply, err)
	}
	s := got()[0]
	if s.format() != "" || s.body["temperature"] != 0.5 || s.header.Get("Authorization") != "" {
		t.Errorf("got %s %v", s.raw, s.header)
	}
}

func TestTemperatureInMessageIsKept(t *testing.T) {
	srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, "x", "stop") })
	text := `say "temperature":1e-45 and \"temperature\":1e-45`
	_, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), &Request{Messages: []Message{{User, text}}})
	if err != nil {
		t.Fatal(err)
	}
	m := got()[0].body["messages"].([]any)[0].(map[string]any)
	if m["content"] != text || got()[0].body["temperature"] != 0.0 {
		t.Errorf("got %s", got()[0].raw)
	}
}

func TestFormatFallback(t *testing.T) {
	tests := map[string]struct {
		refuse func(s sent, w http.ResponseWriter) bool
		want   []string // formats sent by two calls
	}{
		"schema refused by name": {func(s sent, w http.ResponseWriter) bool {
			if s.format() == "json_schema" {
				fail(w, 400, "This response_format type is unavailable now", "")
				return true
			}
			return false
		}, []string{"json_schema", "json_schema", "json_object", "json_object"}},
		"both refused": {func(s sent, w http.ResponseWriter) bool {
			if s.format() != "" {
				fail(w, 422, "extra fields not permitted", "response_format")
				return true
			}
			return false
		}, []string{"json_schema", "json_schema", "json_object", "json_object", "", ""}},
		"refused without a word": {func(s sent, w http.ResponseWriter) bool {
			if s.format() != "" {
				w.WriteHeader(http.StatusBadRequest)
				return true
			}
			return false
		}, []string{"json_schema", "json_schema", "json_object", "json_object", "", ""}},
		"501": {func(s sent, w http.ResponseWriter) bool {
			if s.format() == "json_schema" {
				w.WriteHeader(http.StatusNotImplemented)
				fmt.Fprint(w, "there is no json_schema here")
				return true
			}
			return false
		}, []string{"json_schema", "json_schema", "json_object", "json_object"}},
		"404 for the format": {func(s sent, w http.ResponseWriter) bool {
			if s.format() == "json_schema" {
				fail(w, 404, "No endpoints found that support json_schema", "")
				return true
			}
			return false
		}, []string{"json_schema", "json_schema", "json_object", "json_object"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
				if !tt.refuse(s, w) {
					say(w, "Here:\n```json\n"+good+"\n```", "stop")
				}
			})
			c := client(t, Config{BaseURL: srv.URL})
			for range 2 {
				reply, err := c.Complete(t.Context(), ask(verdicts()))
				if err != nil || string(reply.JSON) != good {
					t.Fatalf("got %+v, %v", reply, err)
				}
			}
			var formats []string
			for _, s := range got() {
				formats = append(formats, s.format())
				system := s.body["messages"].([]any)[0].(map[string]any)["content"].(string)
				if notified := strings.Contains(system, `"additionalProperties":false`); notified != (s.format() != "json_schema") {
					t.Errorf("%q: schema in the prompt: got %v", s.format(), notified)
				}
			}
			if fmt.Sprint(formats) != fmt.Sprint(tt.want) {
				t.Errorf("sent %q, want %q", formats, tt.want)
			}
		})
	}
}

func TestRejectedParametersAreDropped(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		switch {
		case s.body["max_tokens"] != nil:
			fail(w, 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
		case s.body["temperature"] != nil:
			fail(w, 400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature")
		case s.body["seed"] != nil:
			fail(w, 400, "seed is not supported", "")
		case strings.Contains(s.raw, `"role":"system"`):
			fail(w, 400, "System role not supported", "")
		default:
			say(w, good, "stop")
		}
	})
	c := client(t, Config{BaseURL: srv.URL})
	r := ask(verdicts())
	r.Seed = 3
	reply, err := c.Complete(t.Context(), r)
	if err != nil || reply.Usage.Requests != 5 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if reply, err = c.Complete(t.Context(), r); err != nil || reply.Usage.Requests != 1 {
		t.Fatalf("form was not remembered: got %+v, %v", reply, err)
	}
	s := got()[5]
	if s.body["max_completion_tokens"] != 100.0 || s.format() != "json_schema" {
		t.Errorf("got %s", s.raw)
	}
	ms := s.body["messages"].([]any)
	if len(ms) != 1 || ms[0].(map[string]any)["content"] != "Judge.\n\nthe answer" {
		t.Errorf("got messages %v", ms)
	}
}

func TestReasoningModelParameters(t *testing.T) {
	srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, good, "stop") })
	reply, err := client(t, Config{BaseURL: srv.URL, Model: "gpt-5-mini"}).Complete(t.Context(), ask(verdicts()))
	if err != nil || reply.Usage.Requests != 1 {
		t.Fatalf("got %+v, %v", reply, err)
	}
	if s := got()[0]; s.body["max_completion_tokens"] != 100.0 || s.body["temperature"] != nil {
		t.Errorf("got %s", s.raw)
	}
}

func TestMaxOutputTokensAreRemembered(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		if n, _ := s.body["max_tokens"].(float64); n > 4096 {
			fail(w, 400, "max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.", "max_tokens")
			return
		}
		say(w, good, "stop")
	})
	c := client(t, Config{BaseURL: srv.URL})
	r := ask(verdicts())
	r.MaxTokens = 9000
	for range 2 {
		if _, err := c.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(got()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestFormIsRememberedOnlyAfterSuccess(t *testing.T) {
	// A server that repeats the request in its refusal names every parameter.
	srv, got := server(t, func(n int, s sent, w http.ResponseWriter) {
		if strings.Contains(s.raw, "bad row") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"detail":[{"msg":"unfit","input":%s}]}`, s.raw)
			return
		}
		say(w, good, "stop")
	})
	c := client(t, Config{BaseURL: srv.URL})
	bad := ask(verdicts())
	bad.Messages = []Message{{User, "bad row"}}
	_, err := c.Complete(t.Context(), bad)
	if e := as[*StatusError](t, err); e.Status != 422 {
		t.Errorf("got %v", e)
	}
	if n := len(got()); n > 10 || UsageOf(err).Requests != n {
		t.Errorf("got %d requests, usage %+v", n, UsageOf(err))
	}
	if _, err := c.Complete(t.Context(), ask(verdicts())); err != nil {
		t.Fatal(err)
	}
	all := got()
	if s := all[len(all)-1]; s.format() != "json_schema" || s.body["temperature"] == nil || s.body["max_tokens"] == nil {
		t.Errorf("a bad row changed the form: %s", s.raw)
	}
}

func TestConcurrentCallsFindForm(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		if s.format() == "json_schema" {
			fail(w, 400, "json_schema is not supported", "")
			return
		}
		say(w, good, "stop")
	})
	c := client(t, Config{BaseURL: srv.URL})
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := c.Complete(t.Context(), ask(verdicts())); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	before := len(got())
	_, err := c.Complete(t.Context(), ask(verdicts()))
	if err != nil || len(got()) != before+1 {
		t.Errorf("form was not remembered: %v", err)
	}
}

func TestSchemaIsAddedToPromptIfIgnored(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		if strings.Contains(s.raw, "JSON Schema") {
			say(w, "Well. "+good+" I hope that helps!", "stop")
			return
		}
		say(w, "The answer is supported.", "stop")
	})
	c := client(t, Config{BaseURL: srv.URL})
	_, err := c.Complete(t.Context(), ask(verdicts()))
	if e := as[*ParseError](t, err); e.Text != "The answer is supported." || UsageOf(err).CompletionTokens != 7 {
		t.Errorf("got %v", e)
	}
	reply, err := c.Complete(t.Context(), ask(verdicts()))
	if err != nil || string(reply.JSON) != good || got()[1].format() != "json_schema" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestInvalidRepliesAreErrors(t *testing.T) {
	tests := map[string]struct {
		answer func(w http.ResponseWriter)
		check  func(t *testing.T, err error)
	}{
		"refusal": {
			func(w http.ResponseWriter) {
				fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","refusal":"I won't."},"finish_reason":"stop"}]}`)
			},
			func(t *testing.T, err error) {
				if e := as[*RefusalError](t, err); e.Reason != "refusal" || e.Message != "I won't." {
					t.Errorf("got %+v", e)
				}
			},
		},
		"filtered reply": {
			func(w http.ResponseWriter) { say(w, "", "content_filter") },
			func(t *testing.T, err error) {
				if e := as[*RefusalError](t, err); e.Reason != "content_filter" {
					t.Errorf("got %+v", e)
				}
			},
		},
		"filtered prompt": {
			func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`)
			},
			func(t *testing.T, err error) {
				if e := as[*RefusalError](t, err); e.Reason != "content_filter" {
					t.Errorf("got %+v", e)
				}
			},
		},
		"moderated prompt": {
			func(w http.ResponseWriter) { fail(w, 403, "your input was flagged by moderation", "") },
			func(t *testing.T, err error) { _ = as[*RefusalError](t, err) },
		},
		"length": {
			func(w http.ResponseWriter) { say(w, `{"verdicts":[1,`, "length") },
			func(t *testing.T, err error) {
				if e := as[*LengthError](t, err); e.Limit != 100 || UsageOf(err).Tokens() != 18 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"window, OpenAI": {
			func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 16,385 tokens. However, your messages resulted in 20000 tokens.","code":"context_length_exceeded"}}`)
			},
			func(t *testing.T, err error) {
				if e := as[*ContextLengthError](t, err); e.Limit != 16385 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"window, llama.cpp": {
			func(w http.ResponseWriter) {
				w.WriteHeader(http.StatusInternalServerError)
				fmt.Fprint(w, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`)
			},
			func(t *testing.T, err error) {
				if e := as[*ContextLengthError](t, err); e.Limit != 256 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"window, Anthropic": {
			func(w http.ResponseWriter) {
				fail(w, 400, "prompt is too long: 210000 tokens > 200000 maximum", "")
			},
			func(t *testing.T, err error) {
				if e := as[*ContextLengthError](t, err); e.Limit != 200000 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"window, Gemini": {
			func(w http.ResponseWriter) {
				fail(w, 400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).", "")
			},
			func(t *testing.T, err error) {
				if e := as[*ContextLengthError](t, err); e.Limit != 1048575 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"window, Mistral": {
			func(w http.ResponseWriter) {
				fail(w, 400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "")
			},
			func(t *testing.T, err error) {
				if e := as[*ContextLengthError](t, err); e.Limit != 32768 {
					t.Errorf("got %+v", e)
				}
			},
		},
		"too large": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
			func(t *testing.T, err error) { _ = as[*ContextLengthError](t, err) },
		},
		"no choices": {
			func(w http.ResponseWriter) { fmt.Fprint(w, `{"choices":[]}`) },
			func(t *testing.T, err error) { _ = as[*ParseError](t, err) },
		},
		"empty": {
			func(w http.ResponseWriter) { say(w, " ", "stop") },
			func(t *testing.T, err error) { _ = as[*ParseError](t, err) },
		},
		"an error with status 200": {
			func(w http.ResponseWriter) { fmt.Fprint(w, `{"error":{"message":"overloaded","code":503}}`) },
			func(t *testing.T, err error) {
				if e := as[*StatusError](t, err); e.Status != 503 || !Transient(err) {
					t.Errorf("got %+v", e)
				}
			},
		},
		"HTML": {
			func(w http.ResponseWriter) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				fmt.Fprint(w, "<html>")
			},
			func(t *testing.T, err error) {
				if e := as[*StatusError](t, err); !strings.Contains(e.Error(), "text/html") || Transient(err) {
					t.Errorf("got %v", e)
				}
			},
		},
		"another type": {
			func(w http.ResponseWriter) { fmt.Fprint(w, `{"choices":"none"}`) },
			func(t *testing.T, err error) { _ = as[*StatusError](t, err) },
		},
		"error as a string": {
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusTeapot); fmt.Fprint(w, `{"error":"teapot"}`) },
			func(t *testing.T, err error) {
				if e := as[*StatusError](t, err); e.Message != "teapot" || e.Error() != "the server answered 418 I'm a teapot: teapot" {
					t.Errorf("got %v", e)
				}
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			srv, _ := server(t, func(_ int, _ sent, w http.ResponseWriter) { tt.answer(w) })
			_, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), ask(verdicts()))
			tt.check(t, err)
			if err.Error() == "" || UsageOf(err).Requests == 0 {
				t.Errorf("got error %q, usage %+v", err, UsageOf(err))
			}
		})
	}
}

func TestTruncationAfterJSONIsAccepted(t *testing.T) {
	srv, _ := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, good+"\n\n\n", "length") })
	if reply, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), ask(verdicts())); err != nil || string(reply.JSON) != good {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestOutputTokensAreReducedToFitWindow(t *testing.T) {
	srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
		if s.body["max_tokens"].(float64) > 3090 {
			fail(w, 400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.", "")
			return
		}
		say(w, good, "stop")
	})
	r := ask(verdicts())
	r.MaxTokens = 4000
	if _, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if n := got()[1].body["max_tokens"]; n != 3088.0 {
		t.Errorf("got limits %v", n)
	}
}

func TestMessageShapes(t *testing.T) {
	for name, message := range map[string]string{
		"parts":     `{"role":"assistant","content":[{"type":"text","text":"{\"verdicts\":"},{"type":"text","text":"[1,0]}"}]}`,
		"tool call": `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"verdicts","arguments":"{\"verdicts\":[1,0]}"}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := server(t, func(_ int, _ sent, w http.ResponseWriter) {
				fmt.Fprintf(w, "\n\n"+`{"choices":[{"message":%s}]}`, message)
			})
			reply, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), ask(verdicts()))
			if err != nil || string(reply.JSON) != good {
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
}

func TestRequestTimeout(t *testing.T) {
	release := make(chan struct{})
	srv, _ := server(t, func(n int, _ sent, w http.ResponseWriter) {
		if n == 2 { // headers, then silence
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
		}
		<-release
	})
	defer close(release)
	c := client(t, Config{BaseURL: srv.URL, Timeout: 30 * time.Millisecond})
	for range 2 {
		_, err := c.Complete(t.Context(), ask(verdicts()))
		if e := as[*TimeoutError](t, err); e.After != 30*time.Millisecond || !Transient(err) || !e.Timeout() {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Complete(ctx, ask(verdicts())); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestConnectionRefused(t *testing.T) {
	srv := httptest.NewServer(nil)
	srv.Close()
	_, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), ask(verdicts()))
	if e := as[*NetworkError](t, err); !strings.Contains(e.Error(), "refused") || !Transient(err) {
		t.Errorf("got %v", e)
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
			t.Errorf("%v: got %v", c, err)
		}
	}
}

func TestDefaultEndpointIsOpenAI(t *testing.T) {
	c := client(t, Config{Model: "gpt-4o-mini"})
	if c.Endpoint() != "https://api.openai.com/v1" || c.Model() != "gpt-4o-mini" || c.String() != "gpt-4o-mini at https://api.openai.com/v1" {
		t.Errorf("got %v", c)
	}
}

// word accepts text with a yes in its answer.
func word() *Request {
	r := ask(nil)
	r.Accept = func(text string) error {
		answer, ok := Answer(text)
		if !ok || !strings.Contains(strings.ToLower(answer), "yes") {
			return errors.New("no yes")
		}
		return nil
	}
	return r
}

func TestTruncatedFreeText(t *testing.T) {
	for _, tt := range []struct {
		text, finish string
		ok           bool
		requests     int
	}{
		{"yes", "stop", true, 1},
		{"yes", "length", true, 1},
		{" **Yes.**\n", "MAX_TOKENS", true, 1},
		{`{"answer":"yes"}`, "length", true, 1},
		{"yes, and then", "stop", true, 1},
		{"yes, and then", "length", false, 2},
		{"yes, the user asks me to check", "max_tokens", false, 2},
		{"<think>well</think>yes", "length", true, 1},
		{"the user</think>\n\nyes", "length", true, 1},
		{"well", "stop", false, 1},
		{"well, it is", "length", false, 2},
		{"", "stop", false, 1},
	} {
		srv, got := server(t, func(_ int, _ sent, w http.ResponseWriter) { say(w, tt.text, tt.finish) })
		reply, err := (&Reask{Next: client(t, Config{BaseURL: srv.URL})}).Complete(t.Context(), word())
		if len(got()) != tt.requests {
			t.Errorf("%q: %d requests, want %d", tt.text, len(got()), tt.requests)
		}
		_, unread := errors.AsType[*ParseError](err)
		_, truncated := errors.AsType[*LengthError](err)
		switch {
		case tt.ok && (err != nil || reply.Text != tt.text || reply.JSON != nil):
			t.Errorf("%q: got %+v, %v", tt.text, reply, err)
		case !tt.ok && (truncated != (tt.requests > 1) || unread == truncated || UsageOf(err).Requests != tt.requests):
			t.Errorf("%q: got %v", tt.text, err)
		}
	}
	// A batch brings the same.
	c := client(t, Config{BaseURL: "http://127.0.0.1"})
	for text, taken := range map[string]bool{"yes": true, "yes, and then": false, "well": false} {
		var body bytes.Buffer
		say(&body, text, "length")
		reply, err, ok := c.replay(word(), answered{status: http.StatusOK, body: body.Bytes()})
		if !ok || taken != (err == nil) || taken && reply.Text != text {
			t.Errorf("%q in a batch: got %+v, %v, %t", text, reply, err, ok)
		}
	}
}

// A model that reasons first gets more output tokens until it answers or the limit is
// reached. The next request starts with the limit that was needed.
func TestReasoningIncreasesOutputTokens(t *testing.T) {
	for _, thoughts := range []string{"", "<think>The claim is about", "\n<think>"} {
		for name, tt := range map[string]struct {
			r    *Request
			text string
		}{"JSON": {ask(verdicts()), good}, "a word": {word(), "yes"}, "free text": {ask(nil), "well"}} {
			for needs, want := range map[int][]int{2048: {100, 2048, 2048}, 9000: {100, 2048, 8192, 32768, 32768}, 100_000: {100, 2048, 8192, 32768, 65536, 65536}} {
				srv, got := server(t, func(_ int, s sent, w http.ResponseWriter) {
					if int(s.body["max_tokens"].(float64)) < needs {
						say(w, thoughts, "length")
						return
					}
					say(w, tt.text, "stop")
				})
				tt.r.Schema = withBounds(tt.r.Schema)
				a := &Reask{Next: client(t, Config{BaseURL: srv.URL})}
				for range 2 {
					reply, err := a.Complete(t.Context(), tt.r)
					if needs > maxReasoning {
						if e := as[*LengthError](t, err); !e.Reasoning || e.Limit != maxReasoning || CutOff(err) {
							t.Errorf("%s after %q: got %v", name, thoughts, err)
						}
					} else if err != nil || reply.Text != tt.text {
						t.Errorf("%s after %q: got %+v, %v", name, thoughts, reply, err)
					}
				}
				var sent []int
				for _, s := range got() {
					sent = append(sent, int(s.body["max_tokens"].(float64)))
					if strings.Contains(s.raw, "maxItems") {
						t.Errorf("%s after %q: got a bounded schema", name, thoughts)
					}
				}
				if !slices.Equal(sent, want) {
					t.Errorf("%s after %q, of %d tokens: sent %v, want %v", name, thoughts, needs, sent, want)
				}
			}
		}
	}
}

// withBounds returns a schema with a bounded variant.
func withBounds(s *Schema) *Schema {
	if s != nil {
		s.Bounded = json.RawMessage(strings.Replace(string(s.JSON), `"type":"array",`, `"type":"array","maxItems":1,`, 1))
	}
	return s
}

func TestNegotiationIsBounded(t *testing.T) {
	srv, got := server(t, func(n int, _ sent, w http.ResponseWriter) {
		fail(w, 400, fmt.Sprintf("max_tokens: at most %d completion tokens", 1_000_000-n), "max_tokens")
	})
	_, err := client(t, Config{BaseURL: srv.URL}).Complete(t.Context(), ask(verdicts()))
	if e := as[*StatusError](t, err); e.Status != 400 || len(got()) != maxFormAttempts || UsageOf(err).Requests != maxFormAttempts {
		t.Errorf("got %v after %d requests", err, len(got()))
	}
}

func TestNegativeCountsAreEstimated(t *testing.T) {
	srv, _ := server(t, func(_ int, _ sent, w http.ResponseWriter) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"well"}}],"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":-900,"completion_tokens":-9}}`)
	})
	c := client(t, Config{BaseURL: srv.URL})
	if reply, err := c.Complete(t.Context(), ask(nil)); err != nil || reply.Usage != (usage.Usage{Requests: 1, PromptTokens: 16, CompletionTokens: 1, Estimated: true}) {
		t.Errorf("got %+v, %v", reply, err)
	}
	if _, u, err := c.Embed(t.Context(), []string{"a"}); err != nil || u != (usage.Usage{Requests: 1, PromptTokens: 1, Estimated: true}) {
		t.Errorf("got %+v, %v", u, err)
	}
}
