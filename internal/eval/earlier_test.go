package eval

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestEarlierResultIsNotJudgedAgain(t *testing.T) {
	const rows = 500
	var mu sync.Mutex
	judged := make(map[string]int)
	judge := judgeFunc(func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		mu.Lock()
		defer mu.Unlock()
		judged[task.Question]++
		return contained(ctx, task)
	})
	for _, workers := range []int{1, 16} {
		clear(judged)
		next := 0
		p := &Pipeline{Extractor: extractFunc(fields), Judge: judge, Workers: workers, Earlier: func(row *dataset.Row, _ error) (*result.Row, error) {
			if row.Index != next {
				t.Errorf("Earlier: got row %d, want %d", row.Index, next)
			}
			next++
			if row.Index%3 == 0 {
				return nil, nil
			}
			return &result.Row{Index: row.Index, Status: result.NoClaims, Reason: "known"}, nil
		}}
		for i, r := range collect(t, p, suns(rows)) {
			known := i%3 != 0
			if r.Index != i || (r.Reason == "known") != known || (judged[strconv.Itoa(i)] == 1) == known {
				t.Fatalf("row %d: got index %d, reason %q, judged %d times", i, r.Index, r.Reason, judged[strconv.Itoa(i)])
			}
		}
		if next != rows {
			t.Errorf("got %d calls of Earlier, want %d", next, rows)
		}
	}
}

func TestEarlierErrorEndsRun(t *testing.T) {
	bad := errors.New("bad")
	p := &Pipeline{Extractor: extractFunc(fields), Judge: judgeFunc(contained), Workers: 4, Earlier: func(row *dataset.Row, _ error) (*result.Row, error) {
		if row.Index == 7 {
			return nil, bad
		}
		return nil, nil
	}}
	written := 0
	err := p.Run(t.Context(), suns(100), sinkFunc(func(*result.Row) error { written++; return nil }))
	if !errors.Is(err, bad) || written != 7 {
		t.Errorf("got %v after %d rows, want %v after 7", err, written, bad)
	}
}
