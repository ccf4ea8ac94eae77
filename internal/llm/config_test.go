package llm

import (
	"net/http"
	"strings"
	"testing"
)

func TestParseExtraBody(t *testing.T) {
	for text, want := range map[string]string{
		"":   "",
		"{}": "",
		` { "top_p" : 0.90, "chat_template_kwargs": {"enable_thinking": false} } `: `{"chat_template_kwargs":{"enable_thinking":false},"top_p":0.90}`,
	} {
		if got, err := ParseExtraBody(text); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"top_p=1":                    "want a JSON object",
		"[1]":                        "want a JSON object",
		"null":                       "want a JSON object",
		`{"top_p":1} x`:              "want a JSON object",
		`{"model":"m"}`:              "model can't be set: ragfaith sets it itself",
		`{"top_p":1,"max_tokens":1}`: "max_tokens can't be set: ",
	} {
		if got, err := ParseExtraBody(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %s and error %v, want %q", text, got, err, want)
		}
	}
}

func TestExtraBodyIsSent(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	extra := must(ParseExtraBody(`{"top_p":0.9,"provider":{"only":["x"]}}`))
	c := newTestClient(t, Config{BaseURL: srv.URL, ExtraBody: extra})
	mustComplete(t, c, newRequest(verdicts()))
	s := got()[0]
	if s.body["top_p"] != 0.9 || s.body["provider"] == nil || s.body["temperature"] != 0.0 || s.body["messages"] == nil {
		t.Errorf("got request %s, want one with top_p and provider", s.raw)
	}
}

func TestExtraBodyIsPartOfCacheKey(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { writeReply(w, validReply, "stop") })
	cache, _ := openCache(t, t.TempDir())
	for i, text := range []string{"", `{"top_p":0.9}`, `{ "top_p": 0.9 }`, `{"top_p":0.8}`, ""} {
		extra := must(ParseExtraBody(text))
		s := newStack(t, Options{Client: Config{BaseURL: srv.URL, ExtraBody: extra}, Cache: cache})
		reply := mustComplete(t, s, newRequest(verdicts()))
		if want := i == 2 || i == 4; reply.Cached != want {
			t.Errorf("request %d with %q: got cached %t, want %t", i, text, reply.Cached, want)
		}
	}
	if len(got()) != 3 {
		t.Errorf("got %d requests, want 3", len(got()))
	}
}
