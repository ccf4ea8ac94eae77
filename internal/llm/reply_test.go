package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestCompleteRejectsInvalidReplies(t *testing.T) {
	for name, tt := range map[string]struct {
		status    int
		body      string
		want      error  // type of the error
		contains  string // part of it
		transient bool
	}{
		"refusal":                  {200, `{"choices":[{"message":{"role":"assistant","refusal":"I won't."},"finish_reason":"stop"}]}`, &RefusalError{}, "refused to answer: I won't.", false},
		"filtered reply":           {200, `{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}`, &RefusalError{}, "content filter", false},
		"filtered prompt":          {400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, &RefusalError{}, "content filter", false},
		"moderated prompt":         {403, `{"error":{"message":"your input was flagged by moderation"}}`, &RefusalError{}, "", false},
		"length":                   {200, `{"choices":[{"message":{"content":"{\"verdicts\":[1,"},"finish_reason":"length"}]}`, &LengthError{}, "more than 100 tokens", false},
		"too large":                {413, ``, &ContextLengthError{}, "", false},
		"broken off":               {200, `{"choices":[{"message":{"content":"{\"verdicts\":[1,0]}"},"finish_reason":"error"}]}`, &ParseError{}, "no choices", false},
		"no choices":               {200, `{"choices":[]}`, &ParseError{}, "", false},
		"empty":                    {200, `{"choices":[{"message":{"content":" "},"finish_reason":"stop"}]}`, &ParseError{}, "", false},
		"an error with status 200": {200, `{"error":{"message":"overloaded","code":503}}`, &StatusError{}, "503", true},
		"HTML":                     {200, `<html>`, &StatusError{}, "text/html", false},
		"another type":             {200, `{"choices":"none"}`, &StatusError{}, "", false},
		"error as a string":        {418, `{"error":"teapot"}`, &StatusError{}, "the server answered 418 I'm a teapot: teapot", false},
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
				if tt.body == "<html>" {
					w.Header().Set("Content-Type", "text/html; charset=utf-8")
				}
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			})
			_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
			root := err
			if e, ok := errors.AsType[*usageError](err); ok {
				root = e.error
			}
			if fmt.Sprintf("%T", root) != fmt.Sprintf("%T", tt.want) || !strings.Contains(err.Error(), tt.contains) || IsTransient(err) != tt.transient {
				t.Errorf("got %T %v, want %T with %q, transient: %t", root, err, tt.want, tt.contains, tt.transient)
			}
			if err.Error() == "" || UsageOf(err).Requests == 0 {
				t.Errorf("got error %q, usage %+v; want a message and at least 1 request", err, UsageOf(err))
			}
		})
	}
}

func TestMessageShapes(t *testing.T) {
	for name, choice := range map[string]string{
		"parts":                `{"message":{"role":"assistant","content":[{"type":"text","text":"{\"verdicts\":"},{"type":"text","text":"[1,0]}"}]}}`,
		"tool call":            `{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"verdicts","arguments":"{\"verdicts\":[1,0]}"}}]}}`,
		"another index":        `{"index":1,"message":{"role":"assistant","content":"{}"}},{"index":0,"message":{"role":"assistant","content":"{\"verdicts\":[1,0]}"}}`,
		"truncated after JSON": `{"message":{"role":"assistant","content":"{\"verdicts\":[1,0]}\n\n\n"},"finish_reason":"length"}`,
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
				fmt.Fprintf(w, "\n\n"+`{"choices":[%s]}`, choice)
			})
			reply, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
			if err != nil || string(reply.JSON) != validReply {
				t.Errorf("got %+v, %v; want %s", reply, err, validReply)
			}
		})
	}
}

// newWordRequest accepts text with a yes in its answer.
func newWordRequest() *Request {
	r := newRequest(nil)
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
		srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, tt.text, tt.finish) })
		reply, err := (&ReplyRetry{Next: newTestClient(t, Config{BaseURL: srv.URL})}).Complete(t.Context(), newWordRequest())
		if len(got()) != tt.requests {
			t.Errorf("%q: %d requests, want %d", tt.text, len(got()), tt.requests)
		}
		_, unparsable := errors.AsType[*ParseError](err)
		_, truncated := errors.AsType[*LengthError](err)
		switch {
		case tt.ok && (err != nil || reply.Text != tt.text || reply.JSON != nil):
			t.Errorf("%q: got %+v, %v", tt.text, reply, err)
		case !tt.ok && (truncated != (tt.requests > 1) || unparsable == truncated || UsageOf(err).Requests != tt.requests):
			t.Errorf("%q: got %v", tt.text, err)
		}
	}
}

// A model that reasons first gets more output tokens until it answers or the limit is
// reached. The next request starts with the limit that was needed.
func TestReasoningIncreasesOutputTokens(t *testing.T) {
	for _, reasoning := range []string{"", "<think>The claim is about", "\n<think>"} {
		for name, tt := range map[string]struct {
			r    *Request
			text string
		}{"JSON": {newRequest(verdicts()), validReply}, "a word": {newWordRequest(), "yes"}, "free text": {newRequest(nil), "well"}} {
			for needed, want := range map[int][]int{2048: {100, 2048, 2048}, 9000: {100, 2048, 8192, 32768, 32768}, 100_000: {100, 2048, 8192, 32768, 65536, 65536}} {
				srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
					if int(s.body["max_tokens"].(float64)) < needed {
						writeReply(w, reasoning, "length")
						return
					}
					writeReply(w, tt.text, "stop")
				})
				tt.r.Schema = withBounds(tt.r.Schema)
				retrier := &ReplyRetry{Next: newTestClient(t, Config{BaseURL: srv.URL})}
				for range 2 {
					reply, err := retrier.Complete(t.Context(), tt.r)
					if needed > maxReasoning {
						if e := mustAs[*LengthError](t, err); !e.Reasoning || e.Limit != maxReasoning || IsTruncated(err) {
							t.Errorf("%s after %q: got %v, want reasoning truncated at %d tokens", name, reasoning, err, maxReasoning)
						}
					} else if err != nil || reply.Text != tt.text {
						t.Errorf("%s after %q: got %+v, %v; want %q", name, reasoning, reply, err, tt.text)
					}
				}
				sent := maxTokensOf(got())
				for _, s := range got() {
					if strings.Contains(s.raw, "maxItems") {
						t.Errorf("%s after %q: got a bounded schema, want an unbounded one", name, reasoning)
					}
				}
				if !slices.Equal(sent, want) {
					t.Errorf("%s after %q, of %d tokens: sent %v, want %v", name, reasoning, needed, sent, want)
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

func TestNegativeCountsAreEstimated(t *testing.T) {
	srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
		fmt.Fprint(w, `{"choices":[{"message":{"content":"well"}}],"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":-900,"completion_tokens":-9}}`)
	})
	c := newTestClient(t, Config{BaseURL: srv.URL})
	if reply, err := c.Complete(t.Context(), newRequest(nil)); err != nil || reply.Usage != (usage.Usage{Requests: 1, PromptTokens: 16, CompletionTokens: 1, Estimated: true}) {
		t.Errorf("got %+v, %v; want estimated counts", reply, err)
	}
	if _, u, err := c.Embed(t.Context(), []string{"a"}); err != nil || u != (usage.Usage{Requests: 1, PromptTokens: 1, Estimated: true}) {
		t.Errorf("got %+v, %v; want %+v, nil", u, err, (usage.Usage{Requests: 1, PromptTokens: 1, Estimated: true}))
	}
}
