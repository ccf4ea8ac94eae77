package llm

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestRejectedParametersAreDropped(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		switch {
		case s.body["max_tokens"] != nil:
			writeError(w, 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens")
		case s.body["temperature"] != nil:
			writeError(w, 400, "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.", "temperature")
		case s.body["seed"] != nil:
			writeError(w, 400, "seed is not supported", "")
		case strings.Contains(s.raw, `"role":"system"`):
			writeError(w, 400, "System role not supported", "")
		default:
			writeReply(w, validReply, "stop")
		}
	})
	c := newTestClient(t, Config{BaseURL: srv.URL})
	r := newRequest(verdicts())
	r.Seed = 3
	reply, err := c.Complete(t.Context(), r)
	if err != nil || reply.Usage.Requests != 5 {
		t.Fatalf("got %+v, %v; want a reply to request 5", reply, err)
	}
	if reply, err = c.Complete(t.Context(), r); err != nil || reply.Usage.Requests != 1 {
		t.Fatalf("second call: got %+v, %v; want one request", reply, err)
	}
	s := got()[5]
	if s.body["max_completion_tokens"] != 100.0 || s.format() != "json_schema" {
		t.Errorf("got request %s, want max_completion_tokens and a schema", s.raw)
	}
	ms := s.body["messages"].([]any)
	if len(ms) != 1 || ms[0].(map[string]any)["content"] != "Judge.\n\nthe answer" {
		t.Errorf("got messages %v, want one user message with the instructions", ms)
	}
}

// A limit of the model is remembered, but not one that depends on the prompt.
func TestOutputTokensAreReducedToFit(t *testing.T) {
	for message, want := range map[string][]int{
		"max_tokens is too large: 9000. This model supports at most 4096 completion tokens, whereas you provided 9000.":                                                                                   {9000, 4096, 4096},
		"This model's maximum context length is 4096 tokens. However, you requested 10000 tokens (1000 in the messages, 9000 in the completion). Please reduce the length of the messages or completion.": {9000, 3088, 9000, 3088},
	} {
		srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
			if s.body["max_tokens"].(float64) > 4096 {
				writeError(w, 400, message, "")
				return
			}
			writeReply(w, validReply, "stop")
		})
		c, r := newTestClient(t, Config{BaseURL: srv.URL}), newRequest(verdicts())
		r.MaxTokens = 9000
		for range 2 {
			mustComplete(t, c, r)
		}
		if limits := maxTokensOf(got()); !slices.Equal(limits, want) {
			t.Errorf("got limits %v, want %v", limits, want)
		}
	}
}

func TestFormIsRememberedOnlyAfterSuccess(t *testing.T) {
	// The error repeats the request, so it names every parameter.
	srv, got := newTestServer(t, func(n int, s sent, w http.ResponseWriter) {
		if strings.Contains(s.raw, "bad row") {
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"detail":[{"msg":"unfit","input":%s}]}`, s.raw)
			return
		}
		writeReply(w, validReply, "stop")
	})
	c := newTestClient(t, Config{BaseURL: srv.URL})
	bad := newRequest(verdicts())
	bad.Messages = []Message{{User, "bad row"}}
	_, err := c.Complete(t.Context(), bad)
	if e := mustAs[*StatusError](t, err); e.Status != 422 {
		t.Errorf("got %v, want status 422", e)
	}
	if n := len(got()); n > 10 || UsageOf(err).Requests != n {
		t.Errorf("got %d requests, usage %+v; want at most 10, all counted", n, UsageOf(err))
	}
	mustComplete(t, c, newRequest(verdicts()))
	all := got()
	if s := all[len(all)-1]; s.format() != "json_schema" || s.body["temperature"] == nil || s.body["max_tokens"] == nil {
		t.Errorf("after a bad row: got request %s, want an unchanged form", s.raw)
	}
}

func TestNegotiationIsBounded(t *testing.T) {
	srv, got := newTestServer(t, func(n int, _ sent, w http.ResponseWriter) {
		writeError(w, 400, fmt.Sprintf("max_tokens: at most %d completion tokens", 1_000_000-n), "max_tokens")
	})
	_, err := newTestClient(t, Config{BaseURL: srv.URL}).Complete(t.Context(), newRequest(verdicts()))
	if e := mustAs[*StatusError](t, err); e.Status != 400 || len(got()) != maxFormAttempts || UsageOf(err).Requests != maxFormAttempts {
		t.Errorf("got %v after %d requests, want status 400 after %d", err, len(got()), maxFormAttempts)
	}
}
