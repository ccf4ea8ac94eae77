package app

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
)

func TestScoreWritesRowsAndStatistics(t *testing.T) {
	t.Parallel()
	names, err := NewKeptNames(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.4
	o := &Options{
		Options:  output.Options{To: "jsonl", Gates: report.Thresholds{MinMean: &mean}},
		Datasets: []string{"-"}, Dataset: dataset.Options{Format: dataset.JSONL}, Rows: eval.Selection{Shard: 1, Shards: 1}, Names: names,
		Claims: "sentence", Judge: JudgeLexical, Evidence: "chunks", NoClaims: "null", EmptyContexts: EmptyScore, Concurrency: 2,
	}
	const rows = `{"answer":"The sky is blue.","contexts":["The sky is blue."]}
{"answer":"Elephants migrate.","contexts":["The sky is blue."]}
`
	var stdout, stderr bytes.Buffer
	streams := &output.Streams{Stdout: &stdout, Console: console.New(&stderr, report.Palette{})}
	sys := &System{LookupEnv: func(string) (string, bool) { return "", false }, Clock: llm.NewClock(func() time.Time { return time.Time{} })}
	if err := Score(t.Context(), o, strings.NewReader(rows), streams, sys); err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if n := strings.Count(stdout.String(), "\n"); n != 2 {
		t.Errorf("got %d lines, want 2: %s", n, &stdout)
	}
	if want := "gate: mean faithfulness 0.5000 >= 0.4"; !strings.Contains(stderr.String(), want) {
		t.Errorf("got %q, want %q", &stderr, want)
	}
}
