package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/llm/batchtest"
	"github.com/ragfaith/ragfaith/internal/llm/quirktest"
)

// gradedRows writes 120 rows of one claim, of which a growing share of words is in the
// context. Raters call a row faithful from 0.6 on, while the server says so from 0.8 on;
// one label in ten is wrong.
func gradedRows(t *testing.T, dir string) string {
	t.Helper()
	words := strings.Fields("apples berries cherries dates elders figs grapes honeydew indigos jellies")
	var b strings.Builder
	for i := range 120 {
		found := i % 11
		answer := strings.Join(words[:found], " ") + strings.Repeat(" nowhere", 10-found) + fmt.Sprintf(" %d.", i)
		row, err := json.Marshal(map[string]any{
			"id": strconv.Itoa(i), "answer": strings.TrimSpace(answer), "contexts": []string{strings.Join(words, " ")}, "label": (found >= 6) != (i%10 == 0),
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(row, '\n'))
	}
	path := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGradedScoresCalibrate checks that probabilities separate the labels better than
// verdicts, and that a threshold that calibrate fits to them raises the agreement.
func TestGradedScoresCalibrate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows := gradedRows(t, dir)
	ok := func(args ...string) commandResult {
		t.Helper()
		got := runInProcess(t, t.TempDir(), nil, args...)
		if got.code != 0 {
			t.Fatalf("%v: got exit code %d, want 0; stderr: %s", args, got.code, got.stderr)
		}
		return got
	}
	score := func(name string, handler http.Handler, args ...string) string {
		t.Helper()
		s := httptest.NewServer(handler)
		defer s.Close()
		path := filepath.Join(dir, name)
		ok(append([]string{
			"score", rows, "--keep", "label", "--to", "none", "-o", path, "--summary", strings.TrimSuffix(path, ".jsonl") + ".summary.json",
			"--judge", "llm", "--model", "x", "--base-url", s.URL + "/v1", "--no-cache",
		}, args...)...)
		return path
	}
	type calibration struct {
		Threshold *float64
		Agreement struct {
			Least struct{ AUROC struct{ Estimate float64 } }
		}
		Judged struct {
			BalancedAccuracy struct{ Estimate float64 } `json:"balanced_accuracy"`
		}
	}
	calibrate := func(results string) (c calibration) {
		t.Helper()
		path := strings.TrimSuffix(results, ".jsonl") + ".calibration.json"
		ok("calibrate", results, "--label", "label", "--to", "none", "-o", path)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	tokens := quirktest.Logprobs(regexp.MustCompile(`"?[a-z]+|_[a-z]+|.`))
	verdicts, probabilities := score("verdicts.jsonl", quirktest.New()), score("graded.jsonl", quirktest.New(tokens))
	before, after := calibrate(verdicts), calibrate(probabilities)
	if before.Threshold != nil {
		t.Errorf("got threshold %v from verdicts, want none", *before.Threshold)
	}
	if after.Threshold == nil || !(*after.Threshold < 0.4) {
		t.Fatalf("got threshold %v, want one below 0.4", after.Threshold)
	}
	if b, a := before.Agreement.Least.AUROC.Estimate, after.Agreement.Least.AUROC.Estimate; !(a > b+0.05) {
		t.Errorf("got AUROC %v with probabilities, %v with verdicts, want a clear gain", a, b)
	}
	if before.Judged != after.Judged {
		t.Errorf("got agreement %v with probabilities, %v with verdicts, want the same verdicts", after.Judged, before.Judged)
	}
	file := filepath.Join(dir, "graded.calibration.json")
	calibrated := calibrate(score("calibrated.jsonl", quirktest.New(tokens), "--calibration", file))
	if b, a := after.Judged.BalancedAccuracy.Estimate, calibrated.Judged.BalancedAccuracy.Estimate; !(a > b+0.05) {
		t.Errorf("got balanced accuracy %v with the threshold, %v without, want a clear gain", a, b)
	}
	t.Logf("AUROC %.3f with verdicts, %.3f with probabilities; balanced accuracy %.3f, with threshold %.3f %.3f", before.Agreement.Least.AUROC.Estimate,
		after.Agreement.Least.AUROC.Estimate, after.Judged.BalancedAccuracy.Estimate, *after.Threshold, calibrated.Judged.BalancedAccuracy.Estimate)

	var summary struct{ Claims struct{ Total, Graded int } }
	content, err := os.ReadFile(filepath.Join(dir, "graded.summary.json"))
	if err != nil || json.Unmarshal(content, &summary) != nil || summary.Claims.Graded != summary.Claims.Total || summary.Claims.Total == 0 {
		t.Errorf("got claims %+v (error %v), want all graded", summary.Claims, err)
	}
	want, err := os.ReadFile(probabilities)
	if err != nil {
		t.Fatal(err)
	}
	batch := score("batch.jsonl", &batchtest.Server{Chat: quirktest.New(tokens)}, "--batch", "--batch-poll", "1ms")
	if got, err := os.ReadFile(batch); err != nil || string(got) != string(want) {
		t.Errorf("got other results with --batch (error %v)", err)
	}
}

func TestThresholdNeedsLogprobs(t *testing.T) {
	t.Parallel()
	rows := gradedRows(t, t.TempDir())
	for name, quirks := range map[string][]quirktest.Quirk{"ignored": nil, "refused": {quirktest.NoLogprobs("logprobs")}} {
		server := quirktest.New(quirks...)
		s := httptest.NewServer(server)
		defer s.Close()
		got := runInProcess(t, t.TempDir(), nil, "score", rows, "--to", "none", "--judge", "llm", "--model", "x", "--base-url", s.URL+"/v1", "--threshold", "0.3", "--concurrency", "1")
		if got.code != 1 || !strings.Contains(got.stderr, "the server returns no log probabilities") {
			t.Errorf("%s: got exit code %d, want 1; stderr: %s", name, got.code, got.stderr)
		}
		if n := len(server.Calls()); n > 2 {
			t.Errorf("%s: got %d requests, want the run to end at the first", name, n)
		}
	}
}
