package eval

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// The limit applies to all stages of a row together, without waits. Other rows are scored.
func TestRowTimeoutFailsOneRow(t *testing.T) {
	const limit = time.Minute
	wait := func(ctx context.Context, d time.Duration) {
		defer Waiting(ctx)()
		pause(d)
	}
	tests := []struct {
		name           string
		extract, judge func(ctx context.Context) error
		reason         string // of the failed row; "" if it is scored
	}{
		{"quick", nil, nil, ""},
		{"slow extractor", func(ctx context.Context) error { return work(ctx, 2*limit) }, nil, result.StageExtract},
		{"slow judge", nil, func(ctx context.Context) error { return work(ctx, 2*limit) }, result.StageVerdict},
		{
			"both stages slow",
			func(ctx context.Context) error { return work(ctx, limit*2/3) },
			func(ctx context.Context) error { return work(ctx, limit*2/3) }, result.StageVerdict,
		},
		{
			"extractor that ignores its context", func(context.Context) error { pause(2 * limit); return nil },
			func(context.Context) error { t.Error("judge was called after the timeout"); return nil }, result.StageVerdict,
		},
		{"waiting judge", nil, func(ctx context.Context) error { wait(ctx, 10*limit); return work(ctx, limit/2) }, ""},
		{"judge alternates waiting and working", nil, func(ctx context.Context) error {
			for range 10 {
				if err := work(ctx, limit/5); err != nil {
					return err
				}
				wait(ctx, limit)
			}
			return nil
		}, result.StageVerdict},
		{"overlapping waits", nil, func(ctx context.Context) error {
			first, second := Waiting(ctx), Waiting(ctx)
			pause(limit)
			first()
			pause(limit)
			second()
			return work(ctx, limit/2)
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, workers := range []int{1, 4} {
				synctest.Test(t, func(t *testing.T) {
					const slow, rows = 5, 20
					p := &Pipeline{
						Workers: workers, RowTimeout: limit, Now: time.Now,
						Extractor: extractFunc(func(ctx context.Context, q, a string) (extract.Extraction, error) {
							if q == strconv.Itoa(slow) && tt.extract != nil {
								if err := tt.extract(ctx); err != nil {
									return extract.Extraction{}, err
								}
							}
							return fields(ctx, q, a)
						}),
						Judge: judgeFunc(func(ctx context.Context, k verdict.Task) ([]verdict.Verdict, error) {
							judge := tt.judge
							if k.Question != strconv.Itoa(slow) || judge == nil {
								judge = func(ctx context.Context) error { return work(ctx, limit/2) }
							}
							if err := judge(ctx); err != nil {
								return nil, err
							}
							return contained(ctx, k)
						}),
					}
					results := collect(t, p, suns(rows))
					if len(results) != rows {
						t.Fatalf("got %d results, want %d", len(results), rows)
					}
					for i, r := range results {
						if i != slow || tt.reason == "" {
							if r.Status != result.Scored {
								t.Errorf("row %d: got status %v (%v), want scored", i, r.Status, r.Err)
							}
							continue
						}
						var timeout *TimeoutError
						if r.Status != result.Failed || r.Reason != tt.reason || !errors.As(r.Err, &timeout) {
							t.Fatalf("got status %v, reason %q, error %v, want a timeout in %q", r.Status, r.Reason, r.Err, tt.reason)
						}
						if got, want := r.Err.Error(), tt.reason+": timed out after 1m0s (--row-timeout)"; got != want {
							t.Errorf("got %q, want %q", got, want)
						}
					}
				})
			}
		})
	}
}

func TestCanceledRunReportsNoTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("stop")
		time.AfterFunc(time.Second, func() { cancel(stop) })
		p := &Pipeline{
			RowTimeout: time.Minute, Now: time.Now, Extractor: extractFunc(fields),
			Judge: judgeFunc(func(ctx context.Context, _ verdict.Task) ([]verdict.Verdict, error) { return nil, work(ctx, time.Hour) }),
		}
		written := 0
		err := p.Run(ctx, suns(3), sinkFunc(func(*result.Row) error { written++; return nil }))
		if !errors.Is(err, stop) || written != 0 {
			t.Errorf("got %v after %d rows, want %v after none", err, written, stop)
		}
	})
}

func TestWaitingOutsideRowDoesNothing(t *testing.T) { Waiting(t.Context())() }
