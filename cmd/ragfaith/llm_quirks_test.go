package main

import (
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// A quirkRun holds the results of a run over the first quirkRows rows of testdata.
type quirkRun struct {
	commandResult
	scores   map[string]*float64
	verdicts map[string]string // verdicts by row ID
	requests int
	server   *llmtest.Server
}

const quirkRows = 20

// runWithQuirks scores the rows with a server that has the quirks.
func runWithQuirks(t *testing.T, args string, quirks ...llmtest.Quirk) quirkRun {
	t.Helper()
	server := llmtest.New(quirks...)
	s := httptest.NewServer(server)
	defer s.Close()
	got := runInProcess(t, t.TempDir(), nil, append([]string{
		"score", "../../testdata/rows.jsonl", "--limit", strconv.Itoa(quirkRows), "--to", "jsonl", "--judge", "llm", "--model", "x", "--base-url", s.URL + "/v1",
	}, strings.Fields(args)...)...)
	run := quirkRun{commandResult: got, scores: scoresIn(t, got.stdout), verdicts: map[string]string{}, requests: len(server.Calls()), server: server}
	for _, r := range decodeLines[resultRow](t, got.stdout) {
		for _, c := range r.Claims {
			run.verdicts[r.ID] += c.Verdict + " "
		}
	}
	return run
}

// failing answers one in n prompts with an error the first time.
func failing(n int, a llmtest.Answer) llmtest.Quirk {
	var seen sync.Map
	a.Header = map[string]string{"Retry-After-Ms": "1"}
	return llmtest.When(func(c *llmtest.Call) bool {
		_, before := seen.LoadOrStore(c.User, true)
		return !before && llmtest.Tokens(1, n)(c) == 1
	}, func(*llmtest.Call) *llmtest.Answer { return &a })
}

// schemaOnly writes JSON only with a JSON schema, like small models.
func schemaOnly() llmtest.Quirk {
	prose := llmtest.Prose()
	return func(c *llmtest.Call, next llmtest.Handler) *llmtest.Answer {
		if c.Format == "json_schema" {
			return next(c)
		}
		return prose(c, next)
	}
}

// TestServerQuirksChangeNoScore checks that deviations from the OpenAI API change no
// score, and that the number of wasted requests is bounded and independent of the number
// of rows.
func TestServerQuirksChangeNoScore(t *testing.T) {
	t.Parallel()
	const rows = quirkRows
	withoutQuirks := map[string]quirkRun{} // by arguments
	short, long := llmtest.Tokens(100, 900), llmtest.Tokens(3000, 7000)
	positive := []string{`"1"`, `1.0`, `true`, `"yes"`, `"Supported"`, `"TRUE"`, `1`, `"1.0"`, `"faithful"`}
	negative := []string{`"0"`, `0.0`, `false`, `"No"`, `"Not supported"`, `"unsupported"`, `0`, `"FALSE"`, `"unfaithful"`}
	for name, tt := range map[string]struct {
		args   string
		quirks []llmtest.Quirk
		learn  int    // requests allowed for learning, in addition to 1.25 times those without quirks
		stderr string // required in stderr; if empty, a downgrade is an error
		binary bool   // verdicts do not distinguish contradicted from not mentioned
	}{
		"occasional 400s that mention JSON": {quirks: []llmtest.Quirk{failing(8, llmtest.Answer{Status: 400, Message: "invalid JSON from the upstream"}), schemaOnly()}},
		"no schemas": {
			quirks: []llmtest.Quirk{llmtest.Rejects("schemas")},
			learn:  18, stderr: "refuses response_format json_schema (the server answered 400 Bad Request: response_format json_schema is not supported); asking for JSON in JSON mode",
		},
		"no response formats": {
			quirks: []llmtest.Quirk{llmtest.Rejects("response formats")},
			learn:  20, stderr: "asking for JSON in the prompt alone",
		},
		"opening tag in the prompt template": {quirks: []llmtest.Quirk{llmtest.Reasons(llmtest.Reasoner{Tokens: long, Text: llmtest.Tags("", "</think>"), Silent: true})}, learn: 24},
		"OpenAI reasoning model": {quirks: []llmtest.Quirk{
			llmtest.Rejects("max_tokens"), llmtest.Rejects("temperature"), llmtest.Rejects("more than 30000 tokens"), llmtest.Reasons(llmtest.Reasoner{Tokens: llmtest.Tokens(9000, 25_000)}),
		}, learn: 64},
		"free text after reasoning": {quirks: []llmtest.Quirk{
			llmtest.Reasons(llmtest.Reasoner{Tokens: short, Text: llmtest.Tags("", "</think>"), Silent: true}), llmtest.Prose(),
		}, learn: 36 * rows, binary: true},
		"other words for verdicts":                    {quirks: []llmtest.Quirk{otherForms(positive, negative)}, binary: true},
		"other forms of numbers":                      {args: "--profile ragas", quirks: []llmtest.Quirk{otherForms(positive, negative), textIDs("")}, learn: rows},
		"combined claims and verdicts in other forms": {args: "--profile rag-evals", quirks: []llmtest.Quirk{otherForms(positive, negative), textIDs("")}},
	} {
		t.Run(name, func(t *testing.T) {
			baseline, ok := withoutQuirks[tt.args]
			if !ok {
				baseline = runWithQuirks(t, tt.args)
				withoutQuirks[tt.args] = baseline
			}
			got := runWithQuirks(t, tt.args, tt.quirks...)
			if got.code != 0 || len(got.scores) != rows {
				t.Fatalf("exit code: got %d, want %d, with %d rows; stderr: %s", got.code, exitOK, len(got.scores), got.stderr)
			}
			if d := cmp.Diff(baseline.scores, got.scores); d != "" {
				t.Errorf("scores differ: %s", d)
			}
			if d := cmp.Diff(baseline.verdicts, got.verdicts); d != "" && !tt.binary {
				t.Errorf("verdicts differ: %s", d)
			}
			// Citations without chunks in the reply cause extra requests.
			if limit := baseline.requests*5/4 + tt.learn; got.requests > limit {
				t.Errorf("got %d requests, want at most %d: %d without quirks", got.requests, limit, baseline.requests)
			}
			downgraded := strings.Count(got.stderr, "refuses response_format")
			if tt.stderr == "" && downgraded > 0 || tt.stderr != "" && (downgraded != 1 || !strings.Contains(got.stderr, tt.stderr)) {
				t.Errorf("got %d downgrades, want stderr %q; stderr: %s", downgraded, tt.stderr, got.stderr)
			}
			t.Logf("%d requests, %d without quirks", got.requests, baseline.requests)
		})
	}
}

// TestServerQuirksChangeNoBatchScore is like TestServerQuirksChangeNoScore for batches,
// which adapt to a server only between rounds.
func TestServerQuirksChangeNoBatchScore(t *testing.T) {
	t.Parallel()
	skipShort(t)
	baseline := runWithQuirks(t, "--no-cache")
	for name, tt := range map[string]struct {
		quirks []llmtest.Quirk
		limit  int // requests
	}{
		"reasoning":         {[]llmtest.Quirk{llmtest.Reasons(llmtest.Reasoner{Tokens: llmtest.Tokens(1500, 7000)})}, 180},
		"parameters":        {[]llmtest.Quirk{llmtest.Rejects("temperature"), llmtest.Rejects("schemas")}, 240},
		"log probabilities": {[]llmtest.Quirk{llmtest.Rejects("logprobs")}, 45},
		"unrelated 400s":    {[]llmtest.Quirk{failing(8, llmtest.Answer{Status: 400, Message: "invalid JSON from the upstream"})}, 100},
		"verdicts":          {[]llmtest.Quirk{otherForms([]string{`"SUPPORTED"`}, []string{`"Not-mentioned"`})}, 80}, // five rows cite chunks that the verdicts do not name
	} {
		t.Run(name, func(t *testing.T) {
			server := llmtest.New(tt.quirks...)
			s := httptest.NewServer(&llmtest.BatchServer{Chat: server})
			defer s.Close()
			got := runInProcess(t, t.TempDir(), nil, "score", "../../testdata/rows.jsonl", "--limit", strconv.Itoa(quirkRows), "-o", filepath.Join(t.TempDir(), "out.jsonl"), "--to", "jsonl",
				"--judge", "llm", "--model", "x", "--batch", "--batch-poll", "1ms", "--no-cache", "--base-url", s.URL+"/v1")
			if d := cmp.Diff(baseline.scores, scoresIn(t, got.stdout)); got.code != 0 || d != "" {
				t.Errorf("got exit code %d, want 0; stderr: %s; scores (-want +got):\n%s", got.code, got.stderr, d)
			}
			if n := len(server.Calls()); n > tt.limit {
				t.Errorf("got %d requests, want at most %d", n, tt.limit)
			} else {
				t.Logf("%d requests", n)
			}
			if name == "unrelated 400s" && strings.Contains(got.stderr, "refuses response_format") {
				t.Errorf("occasional 400s caused a downgrade: %s", got.stderr)
			}
		})
	}
}

func TestThresholdNeedsLogprobs(t *testing.T) {
	t.Parallel()
	for name, quirks := range map[string][]llmtest.Quirk{"ignored": nil, "refused": {llmtest.Rejects("logprobs")}} {
		got := runWithQuirks(t, "--threshold 0.3 --concurrency 1", quirks...)
		checkExit(t, got.commandResult, exitFailure, "the server returns no log probabilities")
		if got.requests > 2 {
			t.Errorf("%s: got %d requests, want the run to end at the first", name, got.requests)
		}
	}
}
