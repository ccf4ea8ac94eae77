package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// TestReasoningCostsFewRequests checks that the output tokens for reasoning are found
// once by each of the 16 rows at once, whatever their number and however the server reports
// them: in at most three requests, or none if the model is known. No row fails.
func TestReasoningCostsFewRequests(t *testing.T) {
	t.Parallel()
	baseline := runWithQuirks(t, "")
	servers := map[string]llmtest.Reasoner{
		"reported":                             {},
		"prefilled tag, not reported":          {Text: llmtest.Tags("", "</think>"), Silent: true},
		"separated, sent in its field":         {Field: true, Silent: true},
		"separated, neither sent nor reported": {Silent: true},
	}
	for name, reasoner := range servers {
		t.Run(name, func(t *testing.T) {
			reasoner.Tokens = llmtest.Tokens(500, 6000)
			got := runWithQuirks(t, "--no-cache", llmtest.Reasons(reasoner))
			if d := cmp.Diff(baseline.scores, got.scores); got.code != 0 || d != "" {
				t.Errorf("exit code %d; scores differ: %s; stderr: %s", got.code, d, got.stderr)
			}
			if limit := baseline.requests + 3*16; got.requests > limit {
				t.Errorf("got %d requests, want at most %d", got.requests, limit)
			}
		})
	}
}

// TestReasoningEffort checks that the effort is sent, stored with the results, kept apart
// in the cache, and left out with a warning if the model refuses it.
func TestReasoningEffort(t *testing.T) {
	t.Parallel()
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
		got = runWithQuirks(t, "--reasoning-effort low --model "+model, llmtest.Rejects("reasoning_effort"))
		if warnings := strings.Count(got.stderr, "the model refuses --reasoning-effort low"); got.code != 0 || warnings != 1 || sent(got) > 16 || !cmp.Equal(got.scores, baseline.scores) {
			t.Errorf("%s: got exit code %d, %d warnings and the effort in %d requests; stderr: %s", model, got.code, warnings, sent(got), got.stderr)
		}
	}
	checkExit(t, runInProcess(t, "", nil, "score", "../../testdata/rows.jsonl", "--judge", "llm", "--reasoning-effort", "hihg"), exitUsage, "high")
}

// TestMaxOutputTokens checks that no request allows more output tokens than the user,
// also if the run then ends without a usable reply.
func TestMaxOutputTokens(t *testing.T) {
	t.Parallel()
	for limit, code := range map[int]int{2000: exitFailure, 6000: exitOK} {
		got := runWithQuirks(t, fmt.Sprintf("--max-failed 100 --max-output-tokens %d", limit), llmtest.Reasons(llmtest.Reasoner{Tokens: llmtest.Tokens(2500, 2500)}))
		if ended := strings.Contains(got.stderr, "the model used all 2000 output tokens"); got.code != code || ended != (code != exitOK) {
			t.Errorf("%d: got exit code %d, want %d; stderr: %s", limit, got.code, code, got.stderr)
		}
		for _, c := range got.server.Calls() {
			if c.MaxTokens > limit {
				t.Fatalf("%d: got a request with %d output tokens", limit, c.MaxTokens)
			}
		}
	}
}
