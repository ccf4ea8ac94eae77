package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestRequestOptionsInResults checks that --extra-body is stored with the results and
// limits --resume, and that a header that the server repeats in its replies is not.
func TestRequestOptionsInResults(t *testing.T) {
	t.Parallel()
	const token = "tok-0123456789abcdef"
	s, dir := newTestServer(t), t.TempDir()
	fail := true
	s.fault = func(n int64, w http.ResponseWriter, r *http.Request) bool {
		var body struct {
			TopP *float64 `json:"top_p"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.TopP == nil || r.Header.Get("X-Token") != token {
			t.Errorf("got top_p %v and headers %v, want both options", body.TopP, r.Header)
		}
		if fail && n > 1 {
			http.Error(w, `{"error":{"message":"no `+token+`"}}`, http.StatusUnauthorized)
			return true
		}
		reply := `{"verdicts":[{"claim_id":0,"chunk_ids":[0],"quote":"","reason":"` + r.Header.Get("X-Token") + `","verdict":"supported"}]}`
		fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":%q}}]}`, reply)
		return true
	}
	score := func(body string, extraArgs ...string) commandResult {
		return runInProcess(t, dir, map[string]string{"TOKEN": token}, append([]string{
			"score", "-", "--to", "none", "--judge", "llm", "--base-url", s.URL, "--concurrency", "1", "-v", "--summary", filepath.Join(dir, "s.json"),
			"-o", filepath.Join(dir, "o.jsonl"), "--header", "X-Token: $TOKEN", "--extra-body", body,
		}, extraArgs...)...)
	}
	results := []commandResult{score(`{"top_p":0.9}`), score(`{"top_p":0.8}`, "--resume")}
	if got := results[0]; got.code != exitFailure || !strings.Contains(got.stderr, "use --resume to continue") {
		t.Errorf("got exit code %d, want %d; stderr: %s", got.code, exitFailure, got.stderr)
	}
	if got := results[1]; got.code != exitUsage || !strings.Contains(got.stderr, `--extra-body was {"top_p":0.9}, is {"top_p":0.8}`) {
		t.Errorf("got exit code %d, want %d; stderr: %s", got.code, exitUsage, got.stderr)
	}
	fail = false
	results = append(results, score(`{ "top_p": 0.9 }`, "--resume"))
	if got := results[2]; got.code != exitOK {
		t.Errorf("got exit code %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
	}
	if settings, _ := readObject(t, filepath.Join(dir, "s.json"))["settings"].(map[string]any); settings["--extra-body"] != `{"top_p":0.9}` {
		t.Errorf("got settings %v, want the extra body", settings)
	}
	for _, r := range results {
		if strings.Contains(r.stdout+r.stderr, token) {
			t.Errorf("got %s%s, want no token", r.stdout, r.stderr)
		}
	}
	if files := filesContaining(t, dir, token); files != nil {
		t.Errorf("files %v contain the token", files)
	}
}
