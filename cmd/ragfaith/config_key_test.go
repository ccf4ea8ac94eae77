package main

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsFromEnvironmentAreNeverPrinted checks that no output or file contains the
// password of a URL or a key.
func TestSecretsFromEnvironmentAreNeverPrinted(t *testing.T) {
	const password = "hunter2-hunter2"
	t.Chdir(t.TempDir())
	writeFile(t, "rows.jsonl", skyRows)
	env := map[string]string{"RAGFAITH_BASE_URL": "http://user:" + password + "@localhost:1/v1", "HF_TOKEN": password}
	for _, args := range [][]string{
		{"config", "show"},
		{"config", "show", "--to", "json"},
		{"score", "rows.jsonl", "--judge", "llm", "-v", "--retries", "0", "--to", "none", "-o", "o.jsonl", "--summary", "s.json"},
		{"score", "rows.jsonl", "--judge", "llm", "--dry-run"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "ftp://user:" + password + "@localhost"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://user:" + password + "@local host/"},
		{"score", "rows.jsonl", "--judge", "llm", "--base-url", "http://localhost:1?key=" + password},
		{"score", "rows.jsonl", "--judge", "llm", "-v", "--retries", "0", "--to", "none", "-o", "h.jsonl", "--summary", "h.json", "--header", "X-Token: $HF_TOKEN", "--header", "Cookie: a=" + password},
		{"score", "rows.jsonl", "--judge", "llm", "--header", "Bearer " + password},
		{"config", "show", "score", "--header", "Authorization: Bearer " + password, "--header", password},
		{"models", "list"},
	} {
		got := runInProcess(t, ".", env, args...)
		for stream, text := range map[string]string{"standard output": got.stdout, "standard error": got.stderr} {
			if strings.Contains(text, password) || strings.Contains(text, testKey) {
				t.Errorf("%q: %s contains a secret: %s", args, stream, text)
			}
		}
	}
	for _, secret := range []string{password, testKey} {
		if files := filesContaining(t, ".", secret); files != nil {
			t.Errorf("files %v contain %s", files, secret)
		}
	}
}

// TestResumeRejectsOtherEmbeddingServer checks that runs with embeddings of different
// servers are not mixed.
func TestResumeRejectsOtherEmbeddingServer(t *testing.T) {
	t.Parallel()
	s, one, other, dir := newTestServer(t), newTestServer(t), newTestServer(t), t.TempDir()
	s.fault = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
		if n > 1 {
			http.Error(w, `{"error":{"message":"no"}}`, http.StatusUnauthorized)
		}
		return n > 1
	}
	score := func(embedURL string, extraArgs ...string) commandResult {
		return runInProcess(t, dir, nil, append([]string{
			"score", "-", "--to", "none", "--judge", "llm", "--base-url", s.URL, "--concurrency", "1",
			"--semantic-cache", "--embed-model", "e", "--embed-base-url", embedURL, "-o", filepath.Join(dir, "o.jsonl"),
		}, extraArgs...)...)
	}
	if got := score(one.URL); got.code != exitFailure || !strings.Contains(got.stderr, "use --resume to continue") {
		t.Fatalf("exit code: got %d, want %d; stderr: %s", got.code, exitFailure, got.stderr)
	}
	got := score(other.URL, "--resume")
	if want := "--embed-base-url was " + one.URL + ", is " + other.URL; got.code != exitUsage || !strings.Contains(got.stderr, want) {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, exitUsage, got.stderr)
	}
	s.fault = nil
	if got := score(one.URL, "--resume"); got.code != exitOK {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
	}
}
