package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A batchServer is a testServer with the Batch API.
type batchServer struct {
	llmtest.BatchServer
	chat testServer
	url  string
}

// newBatchServer starts a batchServer. If set is not nil, it configures the server
// first.
func newBatchServer(t *testing.T, set func(*batchServer)) *batchServer {
	s := &batchServer{}
	s.Chat = http.HandlerFunc(s.chat.answer)
	s.Polls = 1
	if set != nil {
		set(s)
	}
	httpServer := httptest.NewServer(s)
	t.Cleanup(httpServer.Close)
	s.url = httpServer.URL + "/v1"
	return s
}

// batchRows writes a dataset of n rows and returns its path. Every third row is about
// elephants, every seventh makes no claim.
func batchRows(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		answer := "The sky is blue today."
		switch {
		case i%7 == 6:
			answer = "I don't know."
		case i%3 == 2:
			answer = "Elephants migrate through Kenya."
		}
		fmt.Fprintf(&b, `{"id":%d,"question":"What of %d?","answer":%q,"contexts":["The sky is blue today.","Page %d."]}`+"\n", i, i, answer, i)
	}
	return tempFile(t, "rows.jsonl", b.String())
}

// onlineRun returns the results of a run without batches.
func onlineRun(t *testing.T, data string, args ...string) string {
	t.Helper()
	s, out := newTestServer(t), filepath.Join(t.TempDir(), "out.jsonl")
	mustRun(t, t.TempDir(), nil, append([]string{"score", data, "--to", "none", "-o", out, "--base-url", s.URL, "--max-failed", "99"}, args...)...)
	return readFile(t, out)
}

func TestBatchWritesSameResultsAsOnlineRun(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	const withClaims = 24 // rows
	for _, tt := range []struct {
		args              string
		batches, requests int
	}{
		{"--judge llm", 1, withClaims},
		{"--profile ragas", 2, 2 * withClaims},
		{"--profile rag-evals", 1, withClaims},
		{"--profile ragas --limit 3 --no-cache --concurrency 1", 2, 6},
	} {
		t.Run(tt.args, func(t *testing.T) {
			args := strings.Fields(tt.args)
			want := onlineRun(t, data, args...)
			s, dir, out := newBatchServer(t, nil), t.TempDir(), filepath.Join(t.TempDir(), "out.jsonl")
			args = append([]string{"score", data, "--to", "none", "-o", out, "--base-url", s.url, "--batch", "--batch-poll", "1ms"}, args...)
			got := runInProcess(t, dir, nil, args...)
			if got.code != 0 || readFile(t, out) != want {
				t.Fatalf("exit code: got %d, want %d, with equal results; stderr: %s", got.code, exitOK, got.stderr)
			}
			seen := s.Seen()
			if seen.Online != 0 || seen.Batches != tt.batches || seen.Batched != tt.requests || seen.Files != 0 {
				t.Errorf("server saw %+v, want %d batches of %d requests in total, all files deleted", seen, tt.batches, tt.requests)
			}
			usage := fmt.Sprintf("\nusage: %d requests, 0 cached, %d prompt tokens, %d completion tokens, $%.4f\n", tt.requests, 100*tt.requests, 10*tt.requests,
				float64(tt.requests)*(100*0.15+10*0.6)/1e6/2)
			if !strings.Contains(got.stderr, usage) {
				t.Errorf("got %s, want %s", got.stderr, usage)
			}
			if files := tempFiles(t, out); files != nil {
				t.Errorf("got temporary files %v, want none", files)
			}
			// Paid replies are cached.
			if strings.Contains(tt.args, "no-cache") {
				return
			}
			second := runInProcess(t, dir, nil, append(args, "-o", out+".json")...)
			if now := s.Seen(); second.code != 0 || now.Batches != tt.batches || now.Online != 0 || readFile(t, out) != want {
				t.Errorf("the second run: exit code: got %d, want %d, %+v; stderr: %s", second.code, exitOK, now, second.stderr)
			}
		})
	}
}

func TestRequestsMissingFromBatchAreSentOnline(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	want := onlineRun(t, data, "--judge", "llm")
	mapLines := func(change func(i int, line string) []string) func([]string) []string {
		return func(all []string) (out []string) {
			for i, line := range all {
				out = append(out, change(i, line)...)
			}
			return out
		}
	}
	id := regexp.MustCompile(`"custom_id":"[^"]*"`)
	failWith := func(status int) faultFunc {
		return func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n <= 8 && n%2 == 0 {
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error":{"message":"not now","code":"x"}}`)
				return true
			}
			return false
		}
	}
	for name, tt := range map[string]struct {
		lines  func([]string) []string
		fault  faultFunc
		end    string
		online int
	}{
		"rate limited":  {fault: failWith(429), online: 4},
		"expired":       {end: "expired", online: 12},
		"missing lines": {lines: mapLines(func(i int, line string) []string { return []string{line}[:min(1, i%6)] }), online: 4},
		"unknown ids and invalid lines": {lines: mapLines(func(i int, line string) []string {
			return []string{line, id.ReplaceAllString(line, `"custom_id":"none-of-ours"`), `{"custom_id":`, "[]", "null", "", "\x00\xff", `{"custom_id":7}`}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			s := newBatchServer(t, func(s *batchServer) {
				s.chat.fault = tt.fault
				s.Lines = tt.lines
				s.End = func(int) (string, string) { return tt.end, "" }
			})
			got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms")
			if got.code != 0 || readFile(t, out) != want {
				t.Fatalf("exit code: got %d, want %d, with equal results; stderr: %s", got.code, exitOK, got.stderr)
			}
			if seen := s.Seen(); seen.Online != tt.online || seen.Batches != 1 || seen.Files != 0 {
				t.Errorf("server saw %+v, want 1 batch and %d single requests; stderr: %s", seen, tt.online, got.stderr)
			}
			if want := fmt.Sprintf("replies to %d of 24 requests", 24-tt.online); !strings.Contains(got.stderr, want) {
				t.Errorf("got stderr %s, want %q", got.stderr, want)
			}
		})
	}
}

func TestBatchNeverPrintsKey(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 9)
	dir := t.TempDir()
	var requestsWithoutKey atomic.Int64
	var reject atomic.Bool
	s := newBatchServer(t, func(s *batchServer) {
		s.Before = func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Authorization") != "Bearer "+testKey {
				requestsWithoutKey.Add(1)
			}
			return false
		}
		s.Lines = func(lines []string) []string {
			for i := range lines { // echo the key
				lines[i] = strings.Replace(lines[i], "It says so.", testKey, 1)
			}
			return lines
		}
		s.End = func(int) (string, string) {
			if reject.Load() {
				return "failed", "no such thing, " + testKey
			}
			return "", ""
		}
	})
	reject.Store(true)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"score", data, "-v", "--to", "jsonl", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms"}
	first := runInProcess(t, dir, nil, args...)
	checkExit(t, first, exitFailure, "no such thing")
	files := filesContaining(t, dir, testKey[8:])
	reject.Store(false)
	second := runInProcess(t, dir, nil, append(args, "--resume")...)
	checkExit(t, second, exitOK)
	files = append(files, filesContaining(t, dir, testKey[8:])...)
	for _, text := range []string{first.stdout, first.stderr, second.stdout, second.stderr} {
		if strings.Contains(text, testKey[8:]) {
			t.Errorf("output contains the key: %s", text)
		}
	}
	if len(files) > 0 || requestsWithoutKey.Load() > 0 {
		t.Errorf("got the key in files %v and %d requests without it, want none", files, requestsWithoutKey.Load())
	}
}
