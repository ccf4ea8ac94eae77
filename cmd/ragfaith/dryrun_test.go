package main

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/usage"
)

func TestDryRunDurationDoesNotOverflow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit llmOptions
		usage usage.Usage
		want  time.Duration
	}{
		{"few tokens", llmOptions{tpm: 600}, usage.Usage{PromptTokens: 1200}, 2 * time.Minute},
		{"tokens per minute", llmOptions{tpm: 1_000_000}, usage.Usage{PromptTokens: 300_000_000}, 5 * time.Hour},
		{"requests per minute", llmOptions{rpm: 1_000_000}, usage.Usage{Requests: 600_000_000}, 10 * time.Hour},
		{"completion tokens", llmOptions{}, usage.Usage{CompletionTokens: 10_000_000_000}, 1250 * time.Second},
		{"maximum duration", llmOptions{tpm: 1}, usage.Usage{PromptTokens: 1_000_000_000}, math.MaxInt64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := estimate{rows: 1_000_000, usage: tt.usage}
			got, _ := e.duration(&scoreOptions{llm: tt.limit, concurrency: 100_000})
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// numberIn returns the number that the pattern captures in text.
func numberIn(t *testing.T, pattern, text string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q not found in: %s", pattern, text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDryRunCreatesNoCache checks that a dry run does not create a cache to look for
// measured reasoning.
func TestDryRunCreatesNoCache(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	got := runInProcess(t, dir, nil, "score", "../../testdata/rows.jsonl", "--limit", "1", "--judge", "llm", "--model", "o3", "--dry-run", "--cache", dir+"/cache")
	if _, err := os.Stat(dir + "/cache"); got.code != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got exit code %d and a cache: %v; want 0 and none; stderr: %s", got.code, err, got.stderr)
	}
}

// TestDryRunCountsReasoning checks that replies without JSON, as of --profile lynx, count
// the reasoning before them, and that no reply is estimated above --max-output-tokens.
func TestDryRunCountsReasoning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args, pattern string
		least, most   float64 // completion tokens per request
	}{
		{"--profile lynx", `completion tokens +(\d+)`, 1500, 1e6},
		{"--judge llm --max-output-tokens 600", `completion tokens +(\d+).*; at most 600 per request`, 600, 600},
	} {
		got := runInProcess(t, t.TempDir(), nil, append([]string{
			"score", "../../testdata/rows.jsonl", "--limit", "5", "--model", "gpt-5-mini", "--no-cache", "--dry-run",
		}, strings.Fields(tt.args)...)...)
		requests := numberIn(t, `requests +(\d+)`, got.stdout)
		if tokens := numberIn(t, tt.pattern, got.stdout); requests == 0 || tokens < tt.least*requests || tokens > tt.most*requests {
			t.Errorf("%s: got %v completion tokens in %v requests, want %v to %v in each", tt.args, tokens, requests, tt.least, tt.most)
		}
	}
}
