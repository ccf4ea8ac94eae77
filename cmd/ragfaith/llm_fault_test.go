package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFatalErrorKeepsFinishedRows(t *testing.T) {
	t.Parallel()
	rejectKey := func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"message":"no such key"}}`))
		return true
	}
	for name, tt := range map[string]struct {
		fault faultFunc
		args  []string
		want  string
	}{
		"key rejected after first request": {func(n int64, w http.ResponseWriter, r *http.Request) bool {
			return n > 1 && rejectKey(n, w, r)
		}, nil, "401"},
		"token limit": {nil, []string{"--max-total-tokens", "2000"}, "the limit of 2000 tokens is reached"},
		"cost limit":  {nil, []string{"--max-cost", "0.02", "--price", "10,10"}, "the limit of $0.02 is reached"},
	} {
		t.Run(name, func(t *testing.T) {
			s, out := newTestServer(t), filepath.Join(t.TempDir(), "out.jsonl")
			s.fault = tt.fault
			path := filepath.Join(t.TempDir(), "rows.jsonl")
			row := func(id string) string {
				return `{"id":"` + id + `","question":"` + id + `","answer":"The sky is blue today.","contexts":["` + id + `: The sky is blue today."]}` + "\n"
			}
			writeFile(t, path, row("a")+row("b")+row("c")+row("d")+strings.Repeat(row("e"), 20))
			args := append([]string{"score", path, "--to", "none", "-o", out, "-o", out + ".csv", "--judge", "llm", "--no-cache", "--concurrency", "1", "--base-url", s.URL}, tt.args...)
			got := runInProcess(t, "", nil, args...)
			checkExit(t, got, exitFailure, tt.want, "finished rows saved in "+out+".part")
			if !strings.Contains(got.stderr, "\nusage: ") {
				t.Errorf("stderr: got %q, want a usage line", got.stderr)
			}
			part := readFile(t, out+".part")
			if scored := strings.Count(part, `"faithfulness":1.0,`); scored == 0 || scored != strings.Count(part, "\n") {
				t.Errorf("got %d scored rows in the .part file, want all rows scored: %s", scored, part)
			}
			for _, f := range []string{out, out + ".csv", out + ".csv.part"} {
				if _, err := os.Stat(f); err == nil {
					t.Errorf("%s exists", f)
				}
			}
		})
	}
}

// A run ends if none of its replies can be used, but not if those for one row can.
func TestUnusableRepliesEndRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ usable, code, maxCalls int }{{0, exitFailure, 40}, {1, exitFailedRows, 200}} {
		s := newTestServer(t)
		s.fault = func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n > int64(tt.usable) {
				fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"content":"I am sorry, Dave."}}]}`)
			}
			return n > int64(tt.usable)
		}
		path := tempFile(t, "rows.jsonl", strings.Repeat(`{"answer":"The sky is blue.","contexts":["The sky is blue."]}`+"\n", 20))
		got := runInProcess(t, "", nil, "score", path, "--judge", "llm", "--no-cache", "--concurrency", "1", "--base-url", s.URL)
		ended := strings.Contains(got.stderr, "giving up on the model: no row got a usable reply: ") && strings.Contains(got.stderr, "Dave")
		if calls := int(s.calls.Load()); got.code != tt.code || ended != (tt.usable == 0) || calls > tt.maxCalls {
			t.Errorf("%d usable replies: got exit code %d after %d requests, want %d after at most %d; stderr: %s", tt.usable, got.code, calls, tt.code, tt.maxCalls, got.stderr)
		}
	}
}
