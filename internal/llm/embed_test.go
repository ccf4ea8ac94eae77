package llm

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestEmbed(t *testing.T) {
	srv, got := newTestServer(t, func(_ int, s sent, w http.ResponseWriter) {
		var data []string
		texts := s.body["input"].([]any)
		for i := len(texts) - 1; i >= 0; i-- { // servers may answer in any order
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,0.5]}`, i, len(texts[i].(string))))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s],"model":"e","usage":{"prompt_tokens":%d,"total_tokens":9}}`, strings.Join(data, ","), len(texts))
	})
	e := &embedder{newTestClient(t, Config{BaseURL: srv.URL + "/v1", Model: "e", APIKey: secret, Timeout: time.Minute}), nil, &Meter{}}
	v, u, err := e.Embed(t.Context(), append(slices.Repeat([]string{"a"}, maxTexts), "bb", "ccc"))
	if err != nil || fmt.Sprint(v[maxTexts-1:]) != "[[1 0.5] [2 0.5] [3 0.5]]" || u != (usage.Usage{Requests: 2, PromptTokens: maxTexts + 2}) {
		t.Fatalf("got %v, %+v, %v; want [[1 0.5] [2 0.5] [3 0.5]] from 2 requests", v, u, err)
	}
	if s := got()[0]; s.path != "/v1/embeddings" || s.header.Get("Authorization") == "" || s.body["model"] != "e" {
		t.Errorf("got %+v, want model e at /v1/embeddings with a key", s)
	}
}

func TestEmbedRejectsInvalidResponses(t *testing.T) {
	for name, data := range map[string]string{
		"too few":           `{"index":0,"embedding":[1]}`,
		"duplicate":         `{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}`,
		"out of range":      `{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}`,
		"different lengths": `{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}`,
		"empty":             `{"index":0,"embedding":[]},{"index":1,"embedding":[]}`,
		"not numbers":       `{"index":0,"embedding":["x"]},{"index":1,"embedding":[1]}`,
		"too large":         `{"index":0,"embedding":[1e99]},{"index":1,"embedding":[1]}`,
	} {
		t.Run(name, func(t *testing.T) {
			srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) { fmt.Fprintf(w, `{"data":[%s]}`, data) })
			v, u, err := newTestClient(t, Config{BaseURL: srv.URL}).Embed(t.Context(), []string{"a", "b"})
			if _ = mustAs[*StatusError](t, err); v != nil || u.Requests != 1 || UsageOf(err).Requests != 1 || IsTransient(err) {
				t.Errorf("got %v, %+v, %v; want a permanent error after 1 request", v, u, err)
			}
		})
	}
}

// The vector of a truncated text must not be used for the whole text.
func TestEmbedDetectsTruncatedTexts(t *testing.T) {
	for name, tt := range map[string]struct {
		words, reported int
		cut             bool
	}{
		"complete":  {300, 390, false},
		"truncated": {300, 256, true},
		"short":     {40, 3, false},
		"no usage":  {300, 0, false},
	} {
		srv, _ := newTestServer(t, func(_ int, _ sent, w http.ResponseWriter) {
			fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[1]}],"usage":{"prompt_tokens":%d}}`, tt.reported)
		})
		_, u, err := newTestClient(t, Config{BaseURL: srv.URL}).Embed(t.Context(), []string{strings.Repeat("word ", tt.words)})
		if e, ok := errors.AsType[*ContextLengthError](err); ok != tt.cut || ok && !e.Silent || !ok && err != nil || u.Requests != 1 {
			t.Errorf("%s: got %+v, %v; want truncated: %t", name, u, err, tt.cut)
		}
	}
}
