package eval

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A fatal error ends the run: only rows before it are written, and Run returns it.
func TestFatalErrorEndsRun(t *testing.T) {
	down := errors.New("the server is down")
	for _, n := range []int{40, 5000} {
		for _, workers := range []int{1, 8} {
			p := &Pipeline{
				Extractor: extractFunc(fields),
				Judge: judgeFunc(func(ctx context.Context, k verdict.Task) ([]verdict.Verdict, error) {
					if k.Question == "30" {
						return nil, down
					}
					return contained(ctx, k)
				}),
				Workers: workers,
				Fatal:   func(err error) bool { return errors.Is(err, down) },
			}
			written := 0
			err := p.Run(t.Context(), suns(n), sinkFunc(func(r *result.Row) error {
				if r.Index != written || r.Status != result.Scored {
					t.Errorf("got row %d with status %v, want row %d scored", r.Index, r.Status, written)
				}
				written++
				return nil
			}))
			if !errors.Is(err, down) || written > 30 {
				t.Errorf("%d rows, %d workers: got %v after %d rows, want %v after at most 30", n, workers, err, written, down)
			}
			p.Fatal = func(error) bool { return false }
			failed := 0
			err = p.Run(t.Context(), suns(n), sinkFunc(func(r *result.Row) error {
				if r.Status == result.Failed {
					failed++
				}
				return nil
			}))
			if err != nil || failed != 1 {
				t.Errorf("not fatal: got %v and %d failed rows, want no error and 1", err, failed)
			}
		}
	}
}

// With Drain, rows that are being judged are completed. No new row is started.
func TestDrainCompletesRows(t *testing.T) {
	const workers = 4
	for _, drain := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			overBudget := errors.New("budget exceeded")
			var started, finished atomic.Int64
			p := &Pipeline{
				Extractor: extractFunc(fields),
				Judge: judgeFunc(func(ctx context.Context, k verdict.Task) ([]verdict.Verdict, error) {
					if started.Add(1); k.Question == "3" {
						pause(time.Second)
						return nil, overBudget
					}
					if err := work(ctx, time.Minute); err != nil {
						return nil, err
					}
					finished.Add(1)
					return contained(ctx, k)
				}),
				Workers: workers,
				Fatal:   func(err error) bool { return errors.Is(err, overBudget) },
				Drain:   func(error) bool { return drain },
			}
			written := 0
			err := p.Run(t.Context(), suns(100), sinkFunc(func(*result.Row) error { written++; return nil }))
			want := 0
			if drain {
				want = workers - 1
			}
			if !errors.Is(err, overBudget) || started.Load() != workers || int(finished.Load()) != want || written != want {
				t.Errorf("drain %v: got %d started, %d finished, %d written, error %v, want %d, %d, %d, %v",
					drain, started.Load(), finished.Load(), written, err, workers, want, want, overBudget)
			}
		})
	}
}

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
