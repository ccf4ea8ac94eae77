package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/batchtest"
	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

// TestProfilesOfPublishedJudges checks that each profile scores all rows, and gives the same
// results by batch, and after a killed run is resumed.
func TestProfilesOfPublishedJudges(t *testing.T) {
	t.Parallel()
	tokens := quirktest.Logprobs(regexp.MustCompile(`(?s)[A-Za-z]+| ?.`))
	for _, tt := range []struct {
		profile   string // with other options
		oneClaim  bool   // at most one claim per row, the answer, of which some sentence is unsupported
		graded    bool
		rewritten bool
		labels    string
	}{
		{profile: "minicheck --evidence chunks --threshold 0.8", graded: true, labels: "not_mentioned supported"},
		{profile: "minicheck --semantic-cache --concurrency 1", graded: true, labels: "not_mentioned supported"},
		{profile: "lynx", oneClaim: true, labels: "not_mentioned"},
		{profile: "granite-guardian", oneClaim: true, graded: true, labels: "not_mentioned"},
		{profile: "granite-guardian --claims sentence --votes 3 --no-cache", graded: true, labels: "not_mentioned supported"},
		{profile: "deepeval", graded: true, rewritten: true, labels: "contradicted supported"},
		{profile: "deepeval --claims sentence --max-context-tokens 1500", graded: true, labels: "contradicted supported"},
	} {
		t.Run(tt.profile, func(t *testing.T) {
			run := func(handler http.Handler, args ...string) string {
				t.Helper()
				s := httptest.NewServer(handler)
				defer s.Close()
				path := filepath.Join(t.TempDir(), "out.jsonl")
				got := runInProcess(t, t.TempDir(), nil, append(append([]string{
					"score", "../../testdata/rows.jsonl", "--limit", "8", "--to", "none", "-o", path, "--model", "x", "--base-url", s.URL + "/v1", "--profile",
				}, strings.Fields(tt.profile)...), args...)...)
				if got.code != 0 {
					t.Fatalf("got exit code %d, want 0; stderr: %s", got.code, got.stderr)
				}
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return string(content)
			}
			online := run(quirktest.New(tokens))
			labels, claims, rewritten := map[string]bool{}, 0, 0
			for line := range strings.Lines(online) {
				var r struct {
					Status string
					Marks  []string
					Claims []struct {
						Start   *int
						Verdict string
						Graded  bool
					}
				}
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				if r.Status == "failed" || tt.oneClaim && len(r.Claims) > 1 || strings.Contains(strings.Join(r.Marks, " "), "word") {
					t.Errorf("got row %+v", r)
				}
				for _, c := range r.Claims {
					claims++
					labels[c.Verdict] = true
					if c.Start == nil {
						rewritten++
					}
					if c.Graded != tt.graded {
						t.Errorf("got claim %+v, want graded %t", c, tt.graded)
					}
				}
			}
			// Text that was set aside but asserts something is never rewritten.
			if verbatim := claims - rewritten; tt.rewritten && verbatim > claims/20 || !tt.rewritten && rewritten > 0 {
				t.Errorf("got %d of %d claims rewritten, want rewritten %t", rewritten, claims, tt.rewritten)
			}
			for _, want := range strings.Fields(tt.labels) {
				if !labels[want] {
					t.Errorf("got verdicts %v, want %s among them", labels, want)
				}
				delete(labels, want)
			}
			if claims == 0 || len(labels) > 0 {
				t.Errorf("got %d claims and unexpected verdicts %v", claims, labels)
			}
			if strings.Contains(tt.profile, "semantic") {
				return
			}
			if batch := run(&batchtest.Server{Chat: quirktest.New(tokens)}, "--batch", "--batch-poll", "1ms"); batch != online {
				t.Error("got other results with --batch")
			}
		})
	}
}
