package llm

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ragfaith/ragfaith/internal/extract"
	extractllm "github.com/ragfaith/ragfaith/internal/extract/llm"
	"github.com/ragfaith/ragfaith/internal/llm"
	"github.com/ragfaith/ragfaith/internal/llm/mocktest"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

type mockRow struct {
	Question, Answer string
	Contexts         []string
}

func mockRows(t *testing.T) []mockRow {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "testdata", "rows.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []mockRow
	for s := bufio.NewReader(f); ; {
		line, err := s.ReadBytes('\n')
		var r mockRow
		if json.Unmarshal(line, &r) == nil {
			rows = append(rows, r)
		}
		if err != nil {
			break
		}
	}
	if len(rows) == 0 {
		t.Fatal("no rows")
	}
	var out []mockRow
	for i := range 100 {
		r := rows[i%len(rows)]
		r.Question = fmt.Sprintf("%s (%d)", r.Question, i)
		out = append(out, r)
	}
	return out
}

// Over 100 real rows the verdicts do not change if a fifth of the calls fail, a tenth are
// malformed, and a tenth lack a verdict.
func TestFaultsDoNotChangeVerdicts(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, skipped with -short")
	}
	rows := mockRows(t)
	type evaluate func(ctx context.Context, r mockRow) (extract.Extraction, verdict.Judgement, error)
	apart := func(t *testing.T, opts Options, extractor interface {
		Extract(ctx context.Context, question, answer string) (extract.Extraction, error)
	},
	) evaluate {
		j := New(opts)
		return func(ctx context.Context, r mockRow) (extract.Extraction, verdict.Judgement, error) {
			e, err := extractor.Extract(ctx, r.Question, r.Answer)
			if err != nil || len(e.Claims) == 0 {
				return e, verdict.Judgement{}, err
			}
			out, err := j.Judge(ctx, verdict.Task{Question: r.Question, Contexts: r.Contexts, Claims: e.Claims})
			return e, out, err
		}
	}
	p := loadPrompts(t)
	modes := []struct {
		name string
		make func(t *testing.T, m llm.Completer) evaluate
	}{
		{"default", func(t *testing.T, m llm.Completer) evaluate {
			return apart(t, Options{Model: m, Prompts: p}, extract.Sentences{})
		}},
		{"votes", func(t *testing.T, m llm.Completer) evaluate {
			return apart(t, Options{Model: m, Prompts: p, Votes: 3}, extract.Sentences{})
		}},
		{"claims", func(t *testing.T, m llm.Completer) evaluate {
			return apart(t, Options{Model: m, Prompts: p}, extractllm.Extractor{Model: m, Prompts: p})
		}},
		{"ragas", func(t *testing.T, m llm.Completer) evaluate {
			return apart(t, Options{Model: m, Prompts: p, Style: Ragas}, extractllm.Extractor{Model: m, Prompts: p, Whole: true})
		}},
		{"rag-evals", func(t *testing.T, m llm.Completer) evaluate {
			c := NewCombined(Options{Model: m, Prompts: p}, "")
			return func(ctx context.Context, r mockRow) (extract.Extraction, verdict.Judgement, error) {
				return c.Evaluate(ctx, r.Question, r.Answer, r.Contexts)
			}
		}},
	}
	bin := mocktest.Build(t)
	servers := map[string]string{
		"clean":  mocktest.Start(t, bin),
		"faults": mocktest.Start(t, bin, "-fail-rate", "0.2", "-bad-json-rate", "0.1", "-drop-rate", "0.1"),
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			results := map[string][]string{}
			for kind, base := range servers {
				stack, err := llm.New(llm.Options{
					Client: llm.Config{BaseURL: base, Model: "judge", Timeout: 30 * time.Second}, Clock: llm.NewClock(time.Now), Retries: 8,
				})
				if err != nil {
					t.Fatal(err)
				}
				eval := mode.make(t, stack)
				out := make([]string, len(rows))
				var used usage.Usage
				var mu sync.Mutex
				var wg sync.WaitGroup
				turn := make(chan struct{}, 16)
				for i, r := range rows {
					wg.Go(func() {
						turn <- struct{}{}
						defer func() { <-turn }()
						e, j, err := eval(t.Context(), r)
						mu.Lock()
						defer mu.Unlock()
						used = used.Add(e.Usage).Add(j.Usage)
						if err != nil {
							t.Errorf("%s: row %d: got error %v, want nil", kind, i, err)
							return
						}
						if len(j.Verdicts) != len(e.Claims) {
							t.Errorf("%s: row %d: got %d verdicts for %d claims", kind, i, len(j.Verdicts), len(e.Claims))
						}
						out[i] = labels(j)
					})
				}
				wg.Wait()
				results[kind] = out
				t.Logf("%s: %+v", kind, used)
			}
			if d := cmp.Diff(results["clean"], results["faults"]); d != "" {
				t.Errorf("verdicts changed (-want +got):\n%s", d)
			}
		})
	}
}
