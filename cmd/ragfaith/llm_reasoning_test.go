package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

// TestReasoningCostsFewRequests checks that the output tokens for reasoning are found
// once, whatever their number and however the server reports them: at most three
// requests more than without reasoning, and no failed row.
func TestReasoningCostsFewRequests(t *testing.T) {
	t.Parallel()
	baseline := runWithQuirks(t, "")
	servers := map[string]quirktest.Reasoner{
		"reported":                             {},
		"prefilled tag, not reported":          {Text: quirktest.Tags("", "</think>"), Silent: true},
		"separated, sent in its field":         {Field: true, Silent: true},
		"separated, neither sent nor reported": {Silent: true},
	}
	lengths := map[string]func(*quirktest.Call) int{"8000": quirktest.Tokens(8000, 8000), "500 to 6000": quirktest.Tokens(500, 6000)}
	for server, reasoner := range servers {
		for length, tokens := range lengths {
			t.Run(server+"/"+length, func(t *testing.T) {
				reasoner.Tokens = tokens
				for _, model := range []string{"x", "deepseek-r1:8b"} {
					got := runWithQuirks(t, "--no-cache --model "+model, quirktest.Reasons(reasoner))
					if d := cmp.Diff(baseline.scores, got.scores); got.code != 0 || d != "" {
						t.Errorf("%s: exit code %d; scores differ: %s; stderr: %s", model, got.code, d, got.stderr)
					}
					if limit := baseline.requests + 12; got.requests > limit {
						t.Errorf("%s: got %d requests, want at most %d", model, got.requests, limit)
					}
				}
			})
		}
	}
}

// TestSecondRunKnowsReasoning checks that a run starts with the output tokens that
// earlier runs found, and that damaged values in the cache change neither scores nor the
// number of requests by much.
func TestSecondRunKnowsReasoning(t *testing.T) {
	t.Parallel()
	server := quirktest.New(quirktest.Reasons(quirktest.Reasoner{Tokens: quirktest.Tokens(2500, 2500)}))
	s := httptest.NewServer(server)
	defer s.Close()
	endpoint, dir := s.URL+"/v1", t.TempDir()
	run := func(args ...string) (string, []*quirktest.Call) {
		t.Helper()
		before := len(server.Calls())
		got := runInProcess(t, t.TempDir(), nil, append([]string{
			"score", "../../testdata/rows.jsonl", "--limit", "20", "--to", "jsonl",
			"--judge", "llm", "--model", "x", "--base-url", endpoint, "--cache", dir,
		}, args...)...)
		if got.code != 0 {
			t.Fatalf("exit code: got %d, want 0; stderr: %s", got.code, got.stderr)
		}
		return got.stdout, server.Calls()[before:]
	}
	rows, first := run()
	again, calls := run()
	if len(calls) != 0 || again != rows {
		t.Errorf("got %d requests in the second run, want 0; equal rows: %t", len(calls), again == rows)
	}
	_, strict := run("--strict") // other prompts, so the replies of the first run are not used
	// The first run needs no request more if its first reply returns before the others start.
	if n := strict[0].MaxTokens; n < 2500 || len(strict) > len(first) {
		t.Errorf("got %d requests, the first with %d output tokens; want at most %d, with 2500 or more", len(strict), n, len(first))
	}
	baseline := len(strict)

	ctx := context.Background()
	for i, value := range []string{`{"replies":9999999999,"mean":9999999999,"peak":9999999999}`, `{"replies":-1,"mean":-5,"peak":-5}`, `{"replies":50,"mean":0,"peak":0}`, `[]`, `{"replies":"x"}`} {
		t.Run(value, func(t *testing.T) {
			c := llm.OpenCache(ctx, dir, llm.NewClock(time.Now), func(err error) { t.Error(err) })
			c.Put(ctx, "reasoning", fmt.Sprintf("%x", sha256.Sum256([]byte(endpoint+"\x00x"))), json.RawMessage(value))
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			out, calls := run("--no-claims", "1", "--votes", strconv.Itoa(2*i+3), "--limit", "5")
			if strings.Contains(out, `"failed"`) || len(calls) > 3*baseline {
				t.Errorf("got %d requests and %d failed rows", len(calls), strings.Count(out, `"failed"`))
			}
			for _, call := range calls {
				if call.MaxTokens > 1<<16 {
					t.Errorf("got a limit of %d output tokens, want at most %d", call.MaxTokens, 1<<16)
				}
			}
		})
	}
}

// TestReasoningEffort checks that the effort is sent, stored with the results, kept apart
// in the cache, and left out with a warning if the model refuses it.
func TestReasoningEffort(t *testing.T) {
	t.Parallel()
	refuse := quirktest.When(func(c *quirktest.Call) bool { return strings.Contains(string(c.Raw), `"reasoning_effort"`) }, func(*quirktest.Call) *quirktest.Answer {
		return quirktest.Refusal(400, "Unrecognized request argument supplied: reasoning_effort", "")
	})
	path := filepath.Join(t.TempDir(), "summary.json")
	sent := func(r quirkRun) (n int) {
		for _, c := range r.server.Calls() {
			if strings.Contains(string(c.Raw), `"reasoning_effort":"low"`) {
				n++
			}
		}
		return n
	}
	baseline := runWithQuirks(t, "")
	got := runWithQuirks(t, "--reasoning-effort low --summary "+path)
	if got.requests != baseline.requests || sent(got) != got.requests || !strings.Contains(readFile(t, path), `"--reasoning-effort": "low"`) {
		t.Errorf("got an effort in %d of %d requests, want all of %d; summary: %s", sent(got), got.requests, baseline.requests, readFile(t, path))
	}
	for _, model := range []string{"x", "gpt-6-luna"} {
		got = runWithQuirks(t, "--reasoning-effort low --model "+model, refuse)
		if warnings := strings.Count(got.stderr, "the model refuses --reasoning-effort low"); got.code != 0 || warnings != 1 || sent(got) > 16 || !cmp.Equal(got.scores, baseline.scores) {
			t.Errorf("%s: got exit code %d, %d warnings and the effort in %d requests; stderr: %s", model, got.code, warnings, sent(got), got.stderr)
		}
	}
	if got := runInProcess(t, "", nil, "score", "../../testdata/rows.jsonl", "--judge", "llm", "--reasoning-effort", "hihg"); got.code != exitUsage || !strings.Contains(got.stderr, "high") {
		t.Errorf("got exit code %d, want %d; stderr: %s", got.code, exitUsage, got.stderr)
	}
}

// TestMaxOutputTokens checks that no request allows more output tokens than the user,
// also if the run then ends without a usable reply.
func TestMaxOutputTokens(t *testing.T) {
	t.Parallel()
	for limit, code := range map[int]int{2000: exitFailure, 6000: exitOK} {
		for _, model := range []string{"x", "qwen3:4b"} {
			got := runWithQuirks(t, fmt.Sprintf("--max-failed 100 --max-output-tokens %d --model %s", limit, model),
				quirktest.Reasons(quirktest.Reasoner{Tokens: quirktest.Tokens(2500, 2500)}))
			if ended := strings.Contains(got.stderr, "the model used all 2000 output tokens"); got.code != code || ended != (code != exitOK) {
				t.Errorf("%d for %s: got exit code %d, want %d; stderr: %s", limit, model, got.code, code, got.stderr)
			}
			for _, c := range got.server.Calls() {
				if c.MaxTokens > limit {
					t.Fatalf("%d for %s: got a request with %d output tokens", limit, model, c.MaxTokens)
				}
			}
		}
	}
}
