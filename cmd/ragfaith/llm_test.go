package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ragfaith/ragfaith/internal/app"
)

// A testServer is a language model that finds one claim in every answer and supports
// claims about the sky.
type testServer struct {
	*httptest.Server
	calls atomic.Int64
	fault faultFunc // may be nil
}

// A faultFunc may respond to request n, counted from 1, in place of a server. It reports
// whether it did.
type faultFunc func(n int64, w http.ResponseWriter, r *http.Request) bool

func newTestServer(t *testing.T) *testServer {
	s := &testServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *testServer) answer(w http.ResponseWriter, r *http.Request) {
	n := s.calls.Add(1)
	if s.fault != nil && s.fault(n, w, r) {
		return
	}
	var q struct {
		Input    []string
		Messages []struct{ Role, Content string }
		Format   struct {
			Schema struct{ Name string } `json:"json_schema"`
		} `json:"response_format"`
	}
	if json.NewDecoder(r.Body).Decode(&q) != nil {
		return // the client has disconnected
	}
	w.Header().Set("Content-Type", "application/json")
	if len(q.Input) > 0 {
		var list []string
		for i := range q.Input {
			list = append(list, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[0.6,0.8]}`, i))
		}
		fmt.Fprintf(w, `{"object":"list","data":[%s],"usage":{"prompt_tokens":3,"total_tokens":3}}`, strings.Join(list, ","))
		return
	}
	text, label, binary := "The sky is blue today.", "supported", 1
	last := q.Messages[len(q.Messages)-1].Content
	word := "yes"
	if strings.Contains(fmt.Sprint(q.Messages), "Elephants") {
		text, label, binary, word = "Elephants migrate through Kenya.", "not_mentioned", 0, "no"
	}
	published := "Yes"
	switch {
	case strings.HasPrefix(last, "<guardian>"):
		published = map[string]string{"yes": "<score> no </score>", "no": "<score> yes </score>"}[word]
	case strings.Contains(last, `"SCORE"`):
		published = map[string]string{"yes": `{"REASONING": ["It says so."], "SCORE": "PASS"}`, "no": `{"REASONING": ["It does not."], "SCORE": "FAIL"}`}[word]
	case word == "no":
		published = "No"
	}
	msg := `"chunk_ids":[0],"quote":"The sky is blue","reason":"It says so.","verdict":"` + label + `"`
	binaryVerdict := fmt.Sprintf(`"reason":"It says so.","verdict":%d`, binary)
	reply := map[string]string{
		"verdicts":              `{"verdicts":[{"claim_id":0,` + msg + `}]}`,
		"verdicts_by_id":        `{"verdicts":{"0":{` + msg + `}}}`,
		"binary_verdicts":       `{"verdicts":[{"statement_id":0,` + binaryVerdict + `}]}`,
		"binary_verdicts_by_id": `{"verdicts":{"0":{` + binaryVerdict + `}}}`,
		"statements":            `{"statements":[{"sentence_id":0,"statement":"` + text + `"}]}`,
		"answer_statements":     `{"statements":["` + text + `"]}`,
		"checked_statements": fmt.Sprintf(`{"statements":[{"sentence_id":0,"text":%q,"reasoning":"It says so.","chunk_ids":[0],"is_supported":%t}]}`,
			text, binary == 1),
		"truths":                 `{"truths":["The sky is blue."]}`,
		"contradiction_verdicts": `{"verdicts":[{"claim_id":0,"reason":"It says so.","verdict":"` + word + `"}]}`,
		"":                       published,
	}[q.Format.Schema.Name]
	fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%q}}],`+
		`"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`, reply)
}

func TestEveryJudgeModeReportsUsage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args     string
		requests int    // for the two rows with claims
		noClaims string // score of the row without claims
	}{
		{"--judge llm", 2, "null"},
		{"--judge llm --strict --no-claims 1", 2, "1.0"},
		{"--judge llm --evidence joined", 2, "null"},
		{"--judge llm --votes 3", 6, "null"},
		{"--claims llm", 2, "null"},
		{"--claims llm --judge llm", 4, "null"},
		{"--profile ragas", 4, "null"},
		{"--profile ragas --judge lexical", 2, "null"},
		{"--profile ragas --no-claims 0", 4, "0.0"},
		{"--profile rag-evals", 2, "0.0"},
		{"--profile rag-evals --claims sentence", 2, "0.0"},
		{"--profile minicheck", 2, "null"},
		{"--profile lynx", 2, "null"},
		{"--profile granite-guardian --no-claims 0", 2, "0.0"},
		{"--profile deepeval --no-cache", 6, "1.0"},
		{"--profile deepeval --claims sentence --votes 3 --no-cache", 8, "1.0"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			s := newTestServer(t)
			args := append([]string{"score", "-", "--to", "jsonl", "--model", "m", "--price", "0.15,0.6", "--base-url", s.URL}, strings.Fields(tt.args)...)
			got := runInProcess(t, t.TempDir(), nil, args...)
			lines := strings.Split(got.stdout, "\n")
			if got.code != 0 || len(lines) != 4 {
				t.Fatalf("exit code: got %d, want %d, with %d lines; stderr: %s", got.code, exitOK, len(lines)-1, got.stderr)
			}
			for i, want := range []string{`"faithfulness":1.0,`, `"faithfulness":0.0,`, `"faithfulness":` + tt.noClaims + `,`} {
				if !strings.Contains(lines[i], want) {
					t.Errorf("got %s, want %s", lines[i], want)
				}
			}
			if !strings.Contains(lines[1], `"quote":"The sky is blue today.","role":"nearest"`) {
				t.Errorf("got no nearest passage: %s", lines[1])
			}
			perRow := tt.requests / 2
			if want := fmt.Sprintf(`"usage":{"requests":%d,"prompt_tokens":%d,"completion_tokens":%d,"cached_requests":0}`, perRow, 100*perRow, 10*perRow); !strings.Contains(lines[0], want) {
				t.Errorf("got %s, want %s", lines[0], want)
			}
			usage := fmt.Sprintf("usage: %d requests, 0 cached, %d prompt tokens, %d completion tokens, $0.", tt.requests, 100*tt.requests, 10*tt.requests)
			if !strings.Contains(got.stderr, "\n"+usage) {
				t.Errorf("got %s, want %s", got.stderr, usage)
			}
			if n := s.calls.Load(); n != int64(tt.requests) {
				t.Errorf("got %d calls, want %d", n, tt.requests)
			}
			dryRun := runInProcess(t, t.TempDir(), nil, append(args, "--dry-run")...)
			if want := regexp.MustCompile(fmt.Sprintf(`(?m)^requests +%d$`, tt.requests)); dryRun.code != 0 || !want.MatchString(dryRun.stdout) {
				t.Errorf("dry run: exit code: got %d, want %d; stdout: %s; stderr: %s", dryRun.code, 0, dryRun.stdout, dryRun.stderr)
			}
			if n := s.calls.Load(); n != int64(tt.requests) {
				t.Errorf("got %d calls in a dry run, want 0", n-int64(tt.requests))
			}
		})
	}
}

func TestSecondRunUsesCache(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"ragas", "rag-evals"} {
		t.Run(profile, func(t *testing.T) {
			s, dir, out := newTestServer(t), t.TempDir(), t.TempDir()
			var csv, rows [2]string
			for i := range 2 {
				table, lines := filepath.Join(out, "out.csv"), filepath.Join(out, "out.jsonl")
				got := runInProcess(t, dir, nil, "score", "-", "--to", "none", "-o", table, "-o", lines, "--profile", profile, "--base-url", s.URL)
				mustExit(t, got, exitOK)
				csv[i] = readFile(t, table)
				rows[i] = readFile(t, lines)
				if i == 1 && !strings.Contains(got.stderr, "\nusage: 0 requests, ") {
					t.Errorf("the second run sent requests: %s", got.stderr)
				}
			}
			requests := map[string]int64{"ragas": 4, "rag-evals": 2}[profile]
			if n := s.calls.Load(); n != requests {
				t.Errorf("got %d calls, want %d", n, requests)
			}
			if csv[0] != csv[1] || rows[0] != rows[1] {
				t.Errorf("results of the second run differ:\n%s\n%s", rows[0], rows[1])
			}
			for _, step := range [][2]string{
				{"stats", fmt.Sprintf("replies  %d\n", requests)},
				{"clear --older-than 1h", "removed 0 entries\n"},
				{"clear --older-than 0s", fmt.Sprintf("removed %d entries\n", requests)},
			} {
				got := mustRun(t, dir, nil, append([]string{"cache"}, strings.Fields(step[0])...)...)
				if !strings.Contains(got.stdout, step[1]) {
					t.Errorf("cache %s: got %s, want %s", step[0], got.stdout, step[1])
				}
			}
		})
	}
}

func TestNoCacheWritesNoFile(t *testing.T) {
	t.Parallel()
	s, dir := newTestServer(t), t.TempDir()
	for range 2 {
		mustRun(t, dir, nil, "score", "-", "--to", "none", "--judge", "llm", "--no-cache", "--base-url", s.URL)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 || s.calls.Load() != 4 {
		t.Errorf("got files %v and %d calls, want no file and 4 calls", files, s.calls.Load())
	}
}

func TestSemanticCacheReusesVerdicts(t *testing.T) {
	t.Parallel()
	rows := `{"id":"a","question":"?","answer":"The sky is blue today.","contexts":["The sky is blue today."]}` + "\n" +
		`{"id":"b","question":"?","answer":"A sky is blue today.","contexts":["The sky is blue today."]}` + "\n" +
		`{"id":"c","question":"?","answer":"The sky is not blue today.","contexts":["The sky is blue today."]}` + "\n"
	path := tempFile(t, "rows.jsonl", rows)
	for _, tt := range []struct {
		name, model string
		calls       int64 // two verdicts, and embeddings from the server
		cosine      string
	}{
		{"from the server", "e", 3, "1.0"},
		{"without a model", app.EmbedLocal, 2, "1.0"},
		{"with a local model", "../../internal/encoder/testdata/models/bert-sentence", 2, "0.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := map[string]string{"RAGFAITH_SEMANTIC_CACHE": "true", "RAGFAITH_SEMANTIC_THRESHOLD": "0.9", "RAGFAITH_EMBED_MODEL": tt.model}
			s := newTestServer(t)
			got := runInProcess(t, t.TempDir(), env, "score", path, "--to", "jsonl", "--judge", "llm", "--concurrency", "1", "--base-url", s.URL)
			mustExit(t, got, exitOK)
			lines := strings.Split(got.stdout, "\n")
			if want := `"cached":"semantic","cached_from":"The sky is blue today.","cosine":` + tt.cosine; !strings.Contains(lines[1], want) {
				t.Errorf("got %s, want %s", lines[1], want)
			}
			if strings.Contains(lines[0]+lines[2], `"cached":`) {
				t.Errorf("got a cached verdict in\n%s\n%s", lines[0], lines[2])
			}
			if n := s.calls.Load(); n != tt.calls {
				t.Errorf("got %d calls, want %d", n, tt.calls)
			}
		})
	}
}

func TestKeyIsSentButNeverPrinted(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(int64, http.ResponseWriter, *http.Request) bool{
		"answered": nil,
		"rejected and echoed": func(_ int64, w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","code":"invalid_api_key"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			return true
		},
		"failing and echoed": func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if n == 1 {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"message":"no: %s"}}`, r.Header.Get("Authorization"))
			}
			return n == 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newTestServer(t), t.TempDir()
			var sent atomic.Bool
			s.fault = func(n int64, w http.ResponseWriter, r *http.Request) bool {
				sent.Store(sent.Load() || r.Header.Get("Authorization") == "Bearer "+testKey)
				return fault != nil && fault(n, w, r)
			}
			out := filepath.Join(dir, "out")
			got := runInProcess(t, dir, nil, "score", "-", "-v", "--to", "jsonl", "-o", out+".jsonl", "-o", out+".csv", "--judge", "llm", "--base-url", s.URL)
			if !sent.Load() {
				t.Error("the key was not sent")
			}
			for stream, text := range map[string]string{"standard output": got.stdout, "standard error": got.stderr} {
				if strings.Contains(text, testKey) || strings.Contains(text, testKey[8:]) {
					t.Errorf("%s contains the key: %s", stream, text)
				}
			}
			if files := filesContaining(t, dir, testKey[8:]); files != nil {
				t.Errorf("files %v contain the key", files)
			}
		})
	}
}

func TestAPIKeyEnvironmentVariable(t *testing.T) {
	t.Parallel()
	s := newTestServer(t)
	var sent []string
	s.fault = func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		sent = append(sent, r.Header.Get("Authorization"))
		return false
	}
	env := map[string]string{"OTHER_KEY": " sk-other \n"}
	got := runInProcess(t, t.TempDir(), env, "score", "-", "--to", "none", "--judge", "llm", "--concurrency", "1", "--api-key-env", "OTHER_KEY", "--base-url", s.URL)
	if got.code != 0 || !slices.Equal(slices.Compact(sent), []string{"Bearer sk-other"}) {
		t.Errorf("exit code: got %d, want %d, %q; stderr: %s", got.code, exitOK, sent, got.stderr)
	}
	sent = nil
	got = runInProcess(t, t.TempDir(), nil, "score", "-", "--to", "none", "--judge", "llm", "--concurrency", "1", "--api-key-env", "", "--base-url", s.URL)
	if got.code != 0 || strings.Contains(strings.Join(sent, ""), "sk-") {
		t.Errorf("exit code: got %d, want %d, %q; stderr: %s", got.code, exitOK, sent, got.stderr)
	}
}
