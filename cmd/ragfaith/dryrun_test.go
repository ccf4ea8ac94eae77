package main

import (
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// numberIn returns the number that the pattern captures in text.
func numberIn(t *testing.T, pattern, text string) float64 {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q not found in: %s", pattern, text)
	}
	return must(strconv.ParseFloat(m[1], 64))
}

// TestDryRunKnowsReasoning checks that a dry run says what its estimate rests on.
func TestDryRunKnowsReasoning(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"gpt-5-mini": "estimate: 1500 reasoning tokens per request, typical of reasoning models",
		"x":          "estimate, if the model does not reason",
	} {
		got := runInProcess(t, t.TempDir(), nil, "score", "../../testdata/rows.jsonl", "--limit", "1", "--judge", "llm", "--model", model, "--price", "1,2", "--dry-run")
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%s: got %s, want %q", model, got.stdout, want)
		}
	}
}

// TestDryRunCreatesNoCache checks that a dry run does not create a cache.
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
