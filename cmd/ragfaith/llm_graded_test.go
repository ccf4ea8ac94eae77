package main

import (
	"net/http/httptest"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/llmtest"
)

func TestThresholdNeedsLogprobs(t *testing.T) {
	t.Parallel()
	for name, quirks := range map[string][]llmtest.Quirk{"ignored": nil, "refused": {llmtest.NoLogprobs("logprobs")}} {
		server := llmtest.New(quirks...)
		s := httptest.NewServer(server)
		defer s.Close()
		got := runInProcess(t, t.TempDir(), nil, "score", "../../testdata/rows.jsonl", "--limit", "5", "--to", "none", "--judge", "llm", "--model", "x", "--base-url", s.URL+"/v1", "--threshold", "0.3", "--concurrency", "1")
		checkExit(t, got, 1, "the server returns no log probabilities")
		if n := len(server.Calls()); n > 2 {
			t.Errorf("%s: got %d requests, want the run to end at the first", name, n)
		}
	}
}
