package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

// spentQuota gives Groq's answer when the tokens of a day are used up, after n calls.
func spentQuota(n int) llmtest.Quirk {
	return llmtest.When(func(c *llmtest.Call) bool { return c.N > n }, func(*llmtest.Call) *llmtest.Answer {
		return &llmtest.Answer{
			Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Header: map[string]string{"Retry-After": "578"},
			Message: "Rate limit reached for model `m` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s.",
		}
	})
}

// tokensPerMinute rejects requests of more than n tokens like OpenAI, if prompt and output limit
// exceed the tokens per minute of the account.
func tokensPerMinute(n int) llmtest.Quirk {
	size := func(c *llmtest.Call) int { return (len(c.System)+len(c.User))/4 + c.MaxTokens }
	return llmtest.When(func(c *llmtest.Call) bool { return size(c) > n }, func(c *llmtest.Call) *llmtest.Answer {
		message := fmt.Sprintf("Request too large for m on tokens per min (TPM): Limit %d, Requested %d.", n, size(c))
		return llmtest.Refusal(http.StatusTooManyRequests, message, "")
	})
}

// TestSpentQuotaEndsRun checks that a quota or credit that is used up ends the run with
// one error after the requests in flight, and that the finished rows are resumable.
func TestSpentQuotaEndsRun(t *testing.T) {
	t.Parallel()
	check := func(workers int) (part string) {
		out := filepath.Join(t.TempDir(), "out.jsonl")
		got := runWithQuirks(t, fmt.Sprintf("--no-cache --concurrency %d -o %s", workers, out), spentQuota(8))
		checkExit(t, got.commandResult, exitFailure, "a quota or credit is used up: the server answered 429 Too Many Requests: Rate limit reached")
		if n := strings.Count(got.stderr, "giving up on the server"); n != 1 || got.requests > 8+workers {
			t.Errorf("got %d errors and %d requests, want 1 and at most %d; stderr: %s", n, got.requests, 8+workers, got.stderr)
		}
		content, _ := os.ReadFile(out + ".part") // none if the first row is unfinished
		if strings.Contains(string(content), `"status":"failed"`) {
			t.Errorf("got unfinished results %s, want scored rows only", content)
		}
		return string(content)
	}
	check(4)
	if part := check(1); !strings.Contains(part, `"status":"scored"`) {
		t.Errorf("got unfinished results %s, want scored rows", part)
	}
}

// TestRequestAboveLimitPerMinuteIsSplit checks that requests which alone exceed the tokens
// per minute are split, and that rows fail with the reason if that does not help.
func TestRequestAboveLimitPerMinuteIsSplit(t *testing.T) {
	t.Parallel()
	want := runWithQuirks(t, "--no-cache")
	got := runWithQuirks(t, "--no-cache", tokensPerMinute(2500))
	if got.code != exitOK || len(got.scores) != len(want.scores) || got.requests > 3*want.requests {
		t.Errorf("exit code: got %d, want %d, with %d requests instead of %d; stderr: %s", got.code, exitOK, got.requests, want.requests, got.stderr)
	}
	got = runWithQuirks(t, "--no-cache", tokensPerMinute(800))
	const reason = "the request is larger than the server's limit of 800 tokens per minute"
	if failed := strings.Count(got.stdout, reason); got.code != exitFailedRows || failed != strings.Count(want.stdout, `"status":"scored"`) || got.requests > 16 {
		t.Errorf("exit code: got %d, want %d; %d rows failed with %q after %d requests", got.code, exitFailedRows, failed, reason, got.requests)
	}
}
