package eval

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A stage that can't go on ends the run: rows before it are written, no row
// after it is, and its error is the run's.
func TestFatalErrorEndsRun(t *testing.T) {
	down := errors.New("the server is down")
	for _, n := range []int{40, 5000} {
		rows := func(n int) iter.Seq2[dataset.Row, error] {
			return func(yield func(dataset.Row, error) bool) {
				for i := range n {
					if !yield(dataset.Row{Index: i, Answer: "sun", Contexts: []string{"the sun"}, Question: strconv.Itoa(i)}, nil) {
						return
					}
				}
			}
		}
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
			err := p.Run(t.Context(), rows(n), sinkFunc(func(r *result.Row) error {
				if r.Index != written || r.Status != result.Scored {
					t.Errorf("row %d is %v, written as number %d", r.Index, r.Status, written)
				}
				written++
				return nil
			}))
			if !errors.Is(err, down) || written > 30 {
				t.Errorf("%d rows, %d workers: %d written, %v", n, workers, written, err)
			}
			p.Fatal = func(error) bool { return false }
			failed := 0
			err = p.Run(t.Context(), rows(n), sinkFunc(func(r *result.Row) error {
				if r.Status == result.Failed {
					failed++
				}
				return nil
			}))
			if err != nil || failed != 1 {
				t.Errorf("not fatal: %d failed, %v", failed, err)
			}
		}
	}
}

// Rows that are asked already are finished where they may be, and nothing new is
// begun.
func TestDrainCompletesRows(t *testing.T) {
	const workers = 4
	for _, drains := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			spent := errors.New("the money is spent")
			var begun, finished atomic.Int64
			p := &Pipeline{
				Extractor: extractFunc(fields),
				Judge: judgeFunc(func(ctx context.Context, k verdict.Task) ([]verdict.Verdict, error) {
					if begun.Add(1); k.Question == "3" {
						<-time.NewTimer(time.Second).C
						return nil, spent
					}
					select {
					case <-time.NewTimer(time.Minute).C:
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					finished.Add(1)
					return contained(ctx, k)
				}),
				Workers: workers,
				Fatal:   func(err error) bool { return errors.Is(err, spent) },
				Drain:   func(error) bool { return drains },
			}
			written := 0
			err := p.Run(t.Context(), func(yield func(dataset.Row, error) bool) {
				for i := range 100 {
					if !yield(dataset.Row{Index: i, Answer: "sun", Contexts: []string{"the sun"}, Question: strconv.Itoa(i)}, nil) {
						return
					}
				}
			}, sinkFunc(func(*result.Row) error { written++; return nil }))
			want := 0
			if drains {
				want = workers - 1
			}
			if !errors.Is(err, spent) || begun.Load() != workers || int(finished.Load()) != want || written != want {
				t.Errorf("drains %v: %d begun, %d finished, %d written, %v", drains, begun.Load(), finished.Load(), written, err)
			}
		})
	}
}
