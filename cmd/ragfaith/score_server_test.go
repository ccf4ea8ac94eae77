package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// newLocalServer starts a server that has models and the given context window, as Ollama
// and llama.cpp report it. requests returns the requests so far.
func newLocalServer(t *testing.T, window int, models ...string) (s *testServer, requests func() []string) {
	t.Helper()
	s = newTestServer(t)
	var mu sync.Mutex
	var all []string
	s.fault = func(_ int64, w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		all = append(all, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")))
		mu.Unlock()
		var reply any
		switch r.URL.Path {
		case "/v1/models":
			list := []any{}
			for _, m := range models {
				list = append(list, map[string]any{"id": m, "owned_by": "library"})
			}
			reply = map[string]any{"object": "list", "data": list}
		case "/api/ps":
			reply = map[string]any{"models": []any{map[string]any{"name": models[0], "context_length": window}}}
		case "/props":
			reply = map[string]any{"default_generation_settings": map[string]any{"n_ctx": window}}
		default:
			return false
		}
		_ = json.NewEncoder(w).Encode(reply)
		return true
	}
	return s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// TestServerShorthandEqualsLongForm checks that --judge ollama/MODEL sends no key, asks for
// the window, and stores the settings that the long form stores.
func TestServerShorthandEqualsLongForm(t *testing.T) {
	t.Parallel()
	s, requests := newLocalServer(t, 8192, "qwen3:4b", "other")
	dir := t.TempDir()
	results := func(name string, env map[string]string, args ...string) string {
		path := filepath.Join(dir, name)
		args = append([]string{"score", "-", "--to", "none", "--no-cache", "-q", "-o", path, "--summary", path + ".json"}, args...)
		mustRun(t, dir, env, args...)
		settings := must(json.Marshal(readJSON[map[string]any](t, path+".json")["settings"]))
		return readFile(t, path) + string(settings)
	}
	long := results("long.jsonl", nil, "--judge", "llm", "--base-url", s.URL+"/v1", "--model", "qwen3:4b", "--api-key-env", "")
	before := len(requests())
	short := results("short.jsonl", map[string]string{"OLLAMA_HOST": s.URL}, "--judge", "ollama/qwen3:4b")
	if short != long {
		t.Errorf("got results and settings\n%s\nwant\n%s", short, long)
	}
	sent := requests()[before:]
	if want := []string{"GET /v1/models", "GET /api/ps", "POST /v1/chat/completions", "POST /v1/chat/completions"}; !slices.Equal(sent, want) {
		t.Errorf("got requests %q, want %q", sent, want)
	}
	if got := results("url.jsonl", nil, "--judge", "ollama/qwen3:4b", "--base-url", s.URL+"/v1"); got != long {
		t.Errorf("--base-url: got results and settings\n%s\nwant\n%s", got, long)
	}
}

// TestServerWindowSplitsContexts checks that contexts which exceed the window that the
// server reports are judged in parts.
func TestServerWindowSplitsContexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	chunk := strings.Repeat("The sky is blue today over the hills. ", 100)
	row := must(json.Marshal(map[string]any{"answer": "Elephants migrate through Kenya.", "contexts": []string{chunk, chunk, chunk}}))
	writeFile(t, rows, string(row))
	for _, tt := range []struct {
		window, explicit, want int
	}{{8192, 0, 1}, {3000, 0, 3}, {3000, 8192, 1}} {
		s, requests := newLocalServer(t, tt.window, "m")
		got := runInProcess(t, dir, nil, "score", rows, "--to", "none", "--no-cache", "--judge", "llamacpp", "--base-url", s.URL+"/v1", "--max-context-tokens", strconv.Itoa(tt.explicit))
		chats := len(slices.DeleteFunc(requests(), func(r string) bool { return !strings.HasPrefix(r, "POST /v1/chat") }))
		if got.code != exitOK || chats != tt.want {
			t.Errorf("window %d, --max-context-tokens %d: got exit code %d and %d requests, want %d; stderr: %s", tt.window, tt.explicit, got.code, chats, tt.want, got.stderr)
		}
	}
}

func TestServerErrors(t *testing.T) {
	t.Parallel()
	s, requests := newLocalServer(t, 8192, "llama3.2:3b", "qwen3:8b")
	single, _ := newLocalServer(t, 8192, "only")
	down := newTestServer(t)
	down.Close()
	for _, tt := range []struct {
		judge, url string
		code       int
		want       string
	}{
		{"ollama/qwen3:4b", s.URL, 1, `ragfaith: --judge ollama: Ollama has no model qwen3:4b; get it with "ollama pull qwen3:4b"; it has: llama3.2:3b, qwen3:8b`},
		{"llamacpp", s.URL, 1, "ragfaith: --judge llamacpp: llama.cpp has several models, choose one with --judge llamacpp/MODEL: "},
		{"llamacpp", single.URL, 0, ""},
		{"vllm", single.URL, 0, ""},
		{"ollama/qwen3:4b", down.URL, 1, `ragfaith: --judge ollama: Ollama is not running at ` + down.URL + `/v1: start it with "ollama serve" (no answer from the server: `},
		{"ollama/", s.URL, 2, "want ollama/MODEL"},
	} {
		got := runInProcess(t, t.TempDir(), nil, "score", "-", "--to", "none", "--no-cache", "--judge", tt.judge, "--base-url", tt.url+"/v1")
		checkExit(t, got, tt.code, tt.want)
	}
	// A server that lists a secret header as a model.
	echo, _ := newLocalServer(t, 8192, "hunter-42", "m")
	if got := runInProcess(t, t.TempDir(), nil, "score", "-", "--judge", "llamacpp", "--base-url", echo.URL+"/v1", "--header", "X-Token: hunter-42"); got.code != exitFailure || strings.Contains(got.stderr, "hunter") || !strings.Contains(got.stderr, "[key]") {
		t.Errorf("secret model: got exit code %d and %q, want %d and no secret", got.code, got.stderr, exitFailure)
	}
	loading, _ := newLocalServer(t, 8192, "m")
	ready, asked := loading.fault, 0
	loading.fault = func(n int64, w http.ResponseWriter, r *http.Request) bool {
		if asked++; asked <= 3 {
			http.Error(w, `{"error":{"message":"Loading model"}}`, http.StatusServiceUnavailable)
			return true
		}
		return ready(n, w, r)
	}
	got := runInProcess(t, t.TempDir(), nil, "score", "-", "--to", "none", "--no-cache", "--judge", "llamacpp", "--base-url", loading.URL+"/v1")
	checkExit(t, got, exitOK, "waiting for llama.cpp: the server answered 503 Service Unavailable: Loading model")
	before := len(requests())
	got = runInProcess(t, t.TempDir(), nil, "score", "-", "--judge", "llamacpp", "--base-url", s.URL+"/v1", "--dry-run")
	if got.code != exitOK || len(requests()) != before {
		t.Errorf("dry run: got exit code %d and %d requests, want 0 and none; stderr: %s", got.code, len(requests())-before, got.stderr)
	}
	checkExit(t, runInProcess(t, t.TempDir(), nil, "score", "-", "--judge", "ollama/a", "--model", "b"), exitUsage, "--judge ollama/a: --model b is another model")
}

func TestRequestTimeouts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args            []string
		want, reasoning time.Duration
	}{
		{nil, time.Minute, 10 * time.Minute},
		{[]string{"--base-url", "https://api.example.com/v1"}, time.Minute, 10 * time.Minute},
		{[]string{"--base-url", "http://127.0.0.1:8080/v1"}, 10 * time.Minute, 10 * time.Minute},
		{[]string{"--base-url", "http://127.0.0.1:8080/v1", "--timeout", "5s"}, 5 * time.Second, 0},
	} {
		var f scoreFlags
		cmd := &cobra.Command{}
		f.define(cmd)
		if err := cmd.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		if got, reasoning := f.requestTimeouts(); got != tt.want || reasoning != tt.reasoning {
			t.Errorf("%q: got %v and %v, want %v and %v", tt.args, got, reasoning, tt.want, tt.reasoning)
		}
	}
}
