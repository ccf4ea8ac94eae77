package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A slowServer replies after an hour.
type slowServer struct{}

func (slowServer) Complete(ctx context.Context, _ *llm.Request) (*llm.Reply, error) {
	return &llm.Reply{}, waitHour(ctx)
}

func (slowServer) Embed(ctx context.Context, _ []string) ([][]float32, usage.Usage, error) {
	return nil, usage.Usage{}, waitHour(ctx)
}

// waitHour blocks for an hour or until ctx is done.
func waitHour(ctx context.Context) error {
	select {
	case <-time.NewTimer(time.Hour).C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A judgeFunc is a judge that calls the function and returns empty verdicts.
type judgeFunc func(ctx context.Context) error

func (f judgeFunc) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	if err := f(ctx); err != nil {
		return verdict.Judgement{}, err
	}
	return verdict.Judgement{Verdicts: make([]verdict.Verdict, len(task.Claims))}, nil
}

func TestRowTimeoutExcludesServerWaits(t *testing.T) {
	t.Parallel()
	m := &model{Completer: slowServer{}}
	for name, judge := range map[string]judgeFunc{
		"requests": func(ctx context.Context) error {
			_, err := m.Complete(ctx, &llm.Request{})
			return err
		},
		"embeddings": func(ctx context.Context) error {
			_, _, err := remoteEmbedder{slowServer{}}.Embed(ctx, nil)
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := eval.Pipeline{Extractor: extract.Sentences{}, Judge: judge, RowTimeout: defaultRowTimeout, Now: time.Now}
			err := p.Run(t.Context(), func(yield func(dataset.Row, error) bool) {
				yield(dataset.Row{Answer: "It is so.", Contexts: []string{"It is so."}}, nil)
			}, sinks{sinkFunc(func(r *result.Row) {
				if r.Status != result.Scored {
					t.Errorf("%s: got %v: %v", name, r.Status, r.Err)
				}
			})})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A sinkFunc is a sink that passes each row to the function.
type sinkFunc func(*result.Row)

func (f sinkFunc) Write(r *result.Row) error { f(r); return nil }

// TestRowTimeoutFailsOneRow checks that a slow row fails after --row-timeout while the
// other rows are scored.
func TestRowTimeoutFailsOneRow(t *testing.T) {
	t.Parallel()
	skipShort(t)
	var long strings.Builder
	for i := range 90_000 { // fewer than the claims that an answer may have
		fmt.Fprintf(&long, "Sensor %d reported %d degrees. ", i, i%97)
	}
	data := filepath.Join(t.TempDir(), "rows.jsonl")
	file, err := os.Create(data)
	if err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(file)
	for _, text := range []string{"It is so.", long.String(), "It is so."} {
		if err := enc.Encode(map[string]any{"question": "?", "answer": text, "contexts": []string{text}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "o.jsonl")
	got := runInProcess(t, "", nil, "score", data, "--to", "none", "-o", out, "--concurrency", "2", "--row-timeout", "2s")
	want := "timed out after 2s (--row-timeout)"
	if got.code != exitFailedRows || strings.Count(got.stderr, want) != 1 {
		t.Errorf("exit code: got %d, want %d with %q once; stderr: %s", got.code, exitFailedRows, want, got.stderr)
	}
	content, err := os.ReadFile(out)
	if err != nil || strings.Count(string(content), `"status":"scored"`) != 2 {
		t.Errorf("got results %.500s (error %v), want two scored rows", content, err)
	}
}
