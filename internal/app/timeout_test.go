package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/report"
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
			p := eval.Pipeline{Extractor: extract.Sentences{}, Judge: judge, RowTimeout: time.Minute, Now: time.Now}
			var tally report.Tally
			err := p.Run(t.Context(), func(yield func(dataset.Row, error) bool) {
				yield(dataset.Row{Answer: "It is so.", Contexts: []string{"It is so."}}, nil)
			}, eval.Sinks{&tally})
			if err != nil || tally.Scored != 1 {
				t.Errorf("%s: got %v and %v, want one scored row", name, &tally, err)
			}
		})
	}
}
