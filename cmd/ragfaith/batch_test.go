package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/batchtest"
)

// A batchServer is a testServer with the Batch API.
type batchServer struct {
	batchtest.Server
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
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	writeFile(t, path, b.String())
	return path
}

// onlineRun returns the results of a run without batches.
func onlineRun(t *testing.T, data string, args ...string) string {
	t.Helper()
	s, out := newTestServer(t), filepath.Join(t.TempDir(), "out.jsonl")
	got := runInProcess(t, t.TempDir(), nil, append([]string{"score", data, "--to", "none", "-o", out, "--base-url", s.URL, "--max-failed", "99"}, args...)...)
	if got.code != 0 {
		t.Fatalf("exit code: got %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
	}
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
		{"--judge llm --votes 3", 1, 3 * withClaims},
		{"--claims llm", 1, withClaims},
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
			if seen.Online != 0 || seen.Batches != tt.batches || seen.Batched != tt.requests || seen.Files != 0 || seen.Listings != 0 {
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
		"duplicate lines": {lines: mapLines(func(i int, line string) []string {
			if i%6 == 0 {
				return []string{line, line}
			}
			return []string{line}
		}), online: 4},
		"unknown ids and invalid lines": {lines: mapLines(func(i int, line string) []string {
			return []string{line, id.ReplaceAllString(line, `"custom_id":"none-of-ours"`), `{"custom_id":`, "[]", "null", "", "\x00\xff", `{"custom_id":7}`}
		})},
		"line of 8 MB": {lines: mapLines(func(i int, line string) []string {
			if i == 3 {
				return []string{strings.Replace(line, `{"id"`, `{"x":"`+strings.Repeat("x", 8<<20)+`","id"`, 1)}
			}
			return []string{line}
		}), online: 1},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			s := newBatchServer(t, func(s *batchServer) {
				s.chat.fault = tt.fault
				s.Lines = tt.lines
				s.End = func(int) (string, string, string) { return tt.end, "", "" }
			})
			got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms")
			if got.code != 0 || readFile(t, out) != want {
				t.Fatalf("exit code: got %d, want %d, with equal results; stderr: %s", got.code, exitOK, got.stderr)
			}
			if seen := s.Seen(); seen.Online != tt.online || seen.Batches != 1 || seen.Files != 0 {
				t.Errorf("server saw %+v, want 1 batch and %d single requests; stderr: %s", seen, tt.online, got.stderr)
			}
			if reported := strings.Contains(got.stderr, "to be sent again"); reported != (tt.online > 0) {
				t.Errorf("got requests reported as missing: %t, want %t: %s", reported, tt.online > 0, got.stderr)
			}
		})
	}
}

func TestBatchIsResubmittedWithoutSchema(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	out := filepath.Join(t.TempDir(), "out.jsonl")
	s := newBatchServer(t, func(s *batchServer) { s.chat.fault = rejectSchemas })
	got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms")
	if seen := s.Seen(); got.code != 0 || seen.Online != 0 || seen.Batches != 2 || seen.Batched != 48 {
		t.Errorf("exit code: got %d, want %d, server saw %+v; stderr: %s", got.code, exitOK, seen, got.stderr)
	}
	if n := strings.Count(readFile(t, out), `"status":"scored"`); n != 24 {
		t.Errorf("got %d scored rows, want 24", n)
	}
}

// rejectSchemas rejects requests with a JSON schema.
func rejectSchemas(_ int64, w http.ResponseWriter, r *http.Request) bool {
	var b bytes.Buffer
	_, _ = b.ReadFrom(r.Body)
	if strings.Contains(b.String(), "json_schema") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","param":"response_format","type":"invalid_request_error"}}`)
		return true
	}
	_, _ = w.Write([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"verdicts\":[{\"claim_id\":0,\"chunk_ids\":[0],\"quote\":\"The sky is blue\",\"reason\":\"r\",\"verdict\":\"supported\"}]}"}}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`))
	return true
}

func TestBatchRepliesWithoutVerdictsAreRetried(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	omitVerdicts := func(s *testServer) {
		s.fault = func(_ int64, w http.ResponseWriter, r *http.Request) bool {
			var b bytes.Buffer
			_, _ = b.ReadFrom(r.Body)
			body := b.String()
			r.Body = http.NoBody
			// The first row has a verdict at once: otherwise a run without batches stops retrying.
			if strings.Contains(body, `"seed"`) || strings.Contains(body, "What of 0?") { // "seed" is in retries
				body = `supported`
			} else {
				body = ``
			}
			verdicts := `[]`
			if body != "" {
				verdicts = `[{\"claim_id\":0,\"chunk_ids\":[0],\"quote\":\"\",\"reason\":\"r\",\"verdict\":\"supported\"}]`
			}
			fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"verdicts\":%s}"}}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`, verdicts)
			return true
		}
	}
	online, out := newTestServer(t), filepath.Join(t.TempDir(), "out.jsonl")
	omitVerdicts(online)
	if got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--base-url", online.URL, "--judge", "llm", "--concurrency", "1"); got.code != 0 {
		t.Fatalf("exit code: got %d, want %d; stderr: %s", got.code, exitOK, got.stderr)
	}
	want := readFile(t, out)
	s := newBatchServer(t, func(s *batchServer) { omitVerdicts(&s.chat) })
	got := runInProcess(t, t.TempDir(), nil, "score", data, "--to", "none", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms")
	if seen := s.Seen(); got.code != 0 || seen.Online != 0 || seen.Batches != 3 || readFile(t, out) != want {
		t.Errorf("exit code: got %d, want %d, server saw %+v; stderr: %s", got.code, exitOK, seen, got.stderr)
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
		s.End = func(int) (string, string, string) {
			if reject.Load() {
				return "failed", "x", "no such thing, " + testKey
			}
			return "", "", ""
		}
	})
	reject.Store(true)
	out := filepath.Join(dir, "out.jsonl")
	args := []string{"score", data, "-v", "--to", "jsonl", "-o", out, "--base-url", s.url, "--judge", "llm", "--batch", "--batch-poll", "1ms"}
	first := runInProcess(t, dir, nil, args...)
	if first.code != exitFailure || !strings.Contains(first.stderr, "no such thing") {
		t.Errorf("exit code: got %d, want %d; stderr: %s", first.code, exitFailure, first.stderr)
	}
	files := filesContaining(t, dir, testKey[8:])
	reject.Store(false)
	second := runInProcess(t, dir, nil, append(args, "--resume")...)
	if second.code != 0 {
		t.Errorf("exit code: got %d, want %d; stderr: %s", second.code, 0, second.stderr)
	}
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

// TestBatchWithoutOutputFileKeepsStateInCache checks that the same command finds the
// state without a JSONL output.
func TestBatchWithoutOutputFileKeepsStateInCache(t *testing.T) {
	t.Parallel()
	data, dir := batchRows(t, 28), t.TempDir()
	want := onlineRun(t, data, "--judge", "llm")
	var reject atomic.Bool
	reject.Store(true)
	s := newBatchServer(t, func(s *batchServer) {
		s.End = func(int) (string, string, string) {
			if reject.Load() {
				return "failed", "x", "not today"
			}
			return "", "", ""
		}
	})
	args := []string{"score", data, "--to", "jsonl", "--judge", "llm", "--base-url", s.url, "--batch", "--batch-poll", "1ms"}
	for _, extraArg := range []string{"--verbose", "--resume"} {
		got := runInProcess(t, dir, nil, append(args, extraArg)...)
		if got.code != exitFailure || !strings.Contains(got.stderr, "batch batch_") || !strings.Contains(got.stderr, "was rejected: not today") ||
			!strings.Contains(got.stderr, "batch saved in "+filepath.Join(dir, "ragfaith", "batches")) || got.stdout != "" {
			t.Errorf("exit code: got %d, want %d; stdout: %s; stderr: %s", got.code, exitFailure, got.stdout, got.stderr)
		}
	}
	if got := runInProcess(t, dir, nil, args...); got.code != exitFailure || !strings.Contains(got.stderr, "has a submitted batch") {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, exitFailure, got.stderr)
	}
	reject.Store(false)
	got := runInProcess(t, dir, nil, append(args, "--resume")...)
	if got.code != 0 || got.stdout != want {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, 0, got.stderr)
	}
	if seen := s.Seen(); seen.Uploads != 1 || seen.Batched != 24 || seen.Online != 0 || seen.Files != 0 {
		t.Errorf("server saw %+v, want 1 upload of 24 requests", seen)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "ragfaith", "batches")); err != nil || len(files) > 0 {
		t.Errorf("got leftover files %v and error %v, want neither", files, err)
	}
}

func TestBatchOverBudgetIsNotSubmitted(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	s, out := newBatchServer(t, nil), filepath.Join(t.TempDir(), "out.jsonl")
	args := []string{"score", data, "--to", "none", "-o", out, "--judge", "llm", "--base-url", s.url, "--batch", "--batch-poll", "1ms", "--price", "1,1"}
	got := runInProcess(t, t.TempDir(), nil, append(args, "--max-cost", "0.005")...)
	if got.code != exitFailure || !strings.Contains(got.stderr, "ragfaith: a batch of 24 requests was not submitted: with replies of maximum length it takes $0.0") ||
		!strings.Contains(got.stderr, "it could exceed the limit of $0.005") {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, exitFailure, got.stderr)
	}
	if seen := s.Seen(); seen != (batchtest.Counts{}) || tempFiles(t, out) != nil {
		t.Errorf("server saw %+v, want nothing; got temporary files %v, want none", seen, tempFiles(t, out))
	}
	if got := runInProcess(t, t.TempDir(), nil, append(args, "--max-cost", "1")...); got.code != 0 {
		t.Errorf("exit code: got %d, want %d; stderr: %s", got.code, 0, got.stderr)
	}
}

// TestRunBudgetAppliesToBatch checks that online requests after a batch count its cost.
func TestRunBudgetAppliesToBatch(t *testing.T) {
	t.Parallel()
	data := batchRows(t, 28)
	s := newBatchServer(t, func(s *batchServer) {
		s.Lines = func(lines []string) []string { return lines[:20] }
		s.chat.fault = func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
			_, _ = w.Write([]byte(`{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"verdicts\":[{\"claim_id\":0,\"chunk_ids\":[0],\"quote\":\"\",\"reason\":\"r\",\"verdict\":\"supported\"}]}"}}],"usage":{"prompt_tokens":2490,"completion_tokens":10}}`))
			return true
		}
	})
	args := []string{"score", data, "--to", "none", "--judge", "llm", "--base-url", s.url, "--batch", "--batch-poll", "1ms", "--concurrency", "1"}
	dir := t.TempDir()
	got := runInProcess(t, dir, nil, append(args, "--max-total-tokens", "49999")...)
	if got.code != exitFailure || s.Seen().Online != 0 || !strings.Contains(got.stderr, "the limit of 49999 tokens is reached: 50000 used") ||
		!strings.Contains(got.stderr, "use --batch --resume to continue") {
		t.Errorf("exit code: got %d, want %d, server saw %+v; stderr: %s", got.code, exitFailure, s.Seen(), got.stderr)
	}
	got = runInProcess(t, dir, nil, append(args, "--max-total-tokens", "99999", "--resume")...)
	if seen := s.Seen(); got.code != 0 || seen.Online != 4 || seen.Batches != 1 {
		t.Errorf("exit code: got %d, want %d, server saw %+v; stderr: %s", got.code, exitOK, seen, got.stderr)
	}
}
