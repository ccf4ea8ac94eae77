package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type extractFunc func(ctx context.Context, question, answer string) (extract.Extraction, error)

func (f extractFunc) Extract(ctx context.Context, question, answer string) (extract.Extraction, error) {
	return f(ctx, question, answer)
}

type judgeFunc func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error)

func (f judgeFunc) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	vs, err := f(ctx, task)
	return verdict.Judgement{Verdicts: vs}, err
}

type sinkFunc func(*result.Row) error

func (f sinkFunc) Write(r *result.Row) error { return f(r) }

// fields extracts every word of an answer as a claim.
func fields(_ context.Context, _, answer string) (extract.Extraction, error) {
	var found extract.Extraction
	for i, word := range strings.Fields(answer) {
		found.Claims = append(found.Claims, extract.Claim{ID: i, Text: word, Start: -1, End: -1})
	}
	return found, nil
}

// contained supports claims that occur in a context.
func contained(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
	vs := make([]verdict.Verdict, len(task.Claims))
	for i, c := range task.Claims {
		vs[i].ClaimID = c.ID
		for k, text := range task.Contexts {
			if at := strings.Index(text, c.Text); at >= 0 {
				start := len([]rune(text[:at]))
				vs[i] = verdict.Verdict{
					ClaimID: c.ID, Label: verdict.Supported, Score: 1, Reason: "stated", ChunkIDs: []int{k},
					Evidence: []verdict.Evidence{{Chunk: k, Start: start, End: start + len([]rune(c.Text)), Quote: c.Text}},
				}
				break
			}
		}
	}
	return vs, nil
}

// pause advances the fake clock of synctest.
func pause(d time.Duration) { <-time.NewTimer(d).C }

// work takes d on the fake clock of synctest, or less if ctx is done.
func work(ctx context.Context, d time.Duration) error {
	select {
	case <-time.NewTimer(d).C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// generate yields row(0) to row(n-1).
func generate(n int, row func(i int) dataset.Row) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for i := range n {
			if !yield(row(i), nil) {
				return
			}
		}
	}
}

// numbered yields n rows whose answer is their index.
func numbered(n int) iter.Seq2[dataset.Row, error] {
	return generate(n, func(i int) dataset.Row {
		return dataset.Row{Index: i, Answer: strconv.Itoa(i), Contexts: []string{"1 2 3"}}
	})
}

// suns yields n rows with one supported claim, whose question is their index.
func suns(n int) iter.Seq2[dataset.Row, error] {
	return generate(n, func(i int) dataset.Row {
		return dataset.Row{Index: i, Question: strconv.Itoa(i), Answer: "sun", Contexts: []string{"the sun"}}
	})
}

// collect runs p over rows and returns all results.
func collect(t *testing.T, p *Pipeline, rows iter.Seq2[dataset.Row, error]) []result.Row {
	t.Helper()
	var results []result.Row
	err := p.Run(t.Context(), rows, sinkFunc(func(r *result.Row) error {
		results = append(results, *r)
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestRunIsOrderedAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers, window, rows = 8, 16, 2000
		var read, running, peak, written, ahead atomic.Int64
		p := &Pipeline{
			Workers: workers, Window: window, Judge: judgeFunc(contained),
			Extractor: extractFunc(func(ctx context.Context, q, a string) (extract.Extraction, error) {
				peak.Store(max(peak.Load(), running.Add(1)))
				defer running.Add(-1)
				d := time.Duration(rand.IntN(1000)) * time.Millisecond
				if a == "0" {
					d = time.Hour // the other rows wait for this one
				}
				pause(d)
				return fields(ctx, q, a)
			}),
		}
		counted := generate(rows, func(i int) dataset.Row {
			read.Add(1)
			return dataset.Row{Index: i, Answer: strconv.Itoa(i), Contexts: []string{"1 2 3"}}
		})
		next := 0
		err := p.Run(t.Context(), counted, sinkFunc(func(r *result.Row) error {
			isSupported := strings.Contains("1 2 3", r.Answer)
			if r.Index != next || r.Answer != strconv.Itoa(next) || (r.Faithfulness == 1) != isSupported {
				return fmt.Errorf("got row %d with answer %q and faithfulness %v, want row %d", r.Index, r.Answer, r.Faithfulness, next)
			}
			next++
			ahead.Store(max(ahead.Load(), read.Load()-written.Load()))
			written.Add(1)
			return nil
		}))
		if err != nil || next != rows {
			t.Fatalf("got %d rows and error %v, want %d rows", next, err, rows)
		}
		if peak.Load() != workers {
			t.Errorf("got %d concurrent rows, want %d", peak.Load(), workers)
		}
		if ahead.Load() > window+1 { // plus the row that the reader just read
			t.Errorf("got %d rows read ahead, want at most %d", ahead.Load(), window+1)
		}
	})
}

func TestWindowIsLimitedByText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var read, ahead atomic.Int64
		big := strings.Repeat("x", 10<<20)
		rows := generate(20, func(i int) dataset.Row {
			read.Add(1)
			return dataset.Row{Index: i, Answer: strconv.Itoa(i), Contexts: slices.Repeat([]string{big}, 1+i%4)}
		})
		p := &Pipeline{Workers: 4, Window: 1000, Extractor: extractFunc(fields), Judge: judgeFunc(
			func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
				pause(time.Second)
				return contained(ctx, task)
			})}
		n := int64(0)
		err := p.Run(t.Context(), rows, sinkFunc(func(*result.Row) error {
			ahead.Store(max(ahead.Load(), read.Load()-n))
			n++
			return nil
		}))
		if err != nil || n != 20 {
			t.Fatalf("got %d rows and error %v, want 20 rows", n, err)
		}
		if ahead.Load() > 4 {
			t.Errorf("got %d rows of 10 to 40 MiB read ahead, want at most 4", ahead.Load())
		}
	})
}

func TestCanceledRunWritesFinishedRows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		p := &Pipeline{Workers: 4, Window: 8, Judge: judgeFunc(contained), Extractor: extractFunc(
			func(ctx context.Context, q, a string) (extract.Extraction, error) {
				d := time.Second
				if a == "13" {
					d = time.Hour
				}
				if err := work(ctx, d); err != nil {
					return extract.Extraction{}, err
				}
				return fields(ctx, q, a)
			})}
		time.AfterFunc(time.Minute, func() { cancel(stop) })
		n := 0
		err := p.Run(ctx, numbered(1<<30), sinkFunc(func(r *result.Row) error {
			if r.Status == result.Failed || r.Index != n {
				t.Errorf("got row %d with status %v (%v), want row %d scored", r.Index, r.Status, r.Err, n)
			}
			n++
			return nil
		}))
		if !errors.Is(err, stop) || n != 13 { // later rows are finished but not written without row 13
			t.Errorf("got %v after %d rows, want %v after 13", err, n, stop)
		}
	})
}

func TestRowThatIgnoresCancellationIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		p := &Pipeline{Workers: 2, Extractor: extractFunc(fields), Judge: judgeFunc(
			func(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error) {
				pause(4 * time.Second)
				return contained(ctx, task)
			})}
		n := 0
		err := p.Run(ctx, numbered(1<<30), sinkFunc(func(*result.Row) error { n++; return nil }))
		if !errors.Is(err, context.DeadlineExceeded) || n != 6 { // 4 before the deadline and 2 in flight
			t.Errorf("got %v after %d rows, want %v after 6", err, n, context.DeadlineExceeded)
		}
	})
}

func TestRunIgnoresCancellationAfterLastRow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &Pipeline{Workers: 2, Extractor: extractFunc(fields), Judge: judgeFunc(contained)}
	err := p.Run(ctx, numbered(5), sinkFunc(func(r *result.Row) error {
		if r.Index == 4 {
			cancel()
		}
		return nil
	}))
	if err != nil {
		t.Errorf("got %v, want no error", err)
	}
}

func TestSinkErrorEndsRun(t *testing.T) {
	full := errors.New("disk full")
	p := &Pipeline{Workers: 4, Window: 8, Extractor: extractFunc(fields), Judge: judgeFunc(contained)}
	n := 0
	err := p.Run(t.Context(), numbered(1<<30), sinkFunc(func(*result.Row) error {
		if n++; n == 3 {
			return full
		}
		return nil
	}))
	if !errors.Is(err, full) || n != 3 {
		t.Errorf("got %v after %d rows, want %v after 3", err, n, full)
	}
}

func TestReaderErrorEndsRunAfterPreviousRows(t *testing.T) {
	readErr := errors.New("unexpected end of file")
	rows := func(yield func(dataset.Row, error) bool) {
		numbered(10)(yield)
		yield(dataset.Row{}, readErr)
	}
	n := 0
	p := &Pipeline{Workers: 4, Extractor: extractFunc(fields), Judge: judgeFunc(contained)}
	err := p.Run(t.Context(), rows, sinkFunc(func(*result.Row) error { n++; return nil }))
	if !errors.Is(err, readErr) || n != 10 {
		t.Errorf("got %v after %d rows, want %v after 10", err, n, readErr)
	}
}

func BenchmarkPipeline(b *testing.B) {
	row := dataset.Row{Answer: "one two three", Contexts: []string{strings.Repeat("one two ", 120)}}
	for _, workers := range []int{1, 2, 16, 64} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			rows := generate(b.N, func(int) dataset.Row { return row })
			found, _ := fields(b.Context(), "", row.Answer)
			verdicts, _ := contained(b.Context(), verdict.Task{Contexts: row.Contexts, Claims: found.Claims})
			p := &Pipeline{
				Workers: workers,
				Extractor: extractFunc(func(context.Context, string, string) (extract.Extraction, error) {
					return found, nil
				}),
				Judge: judgeFunc(func(context.Context, verdict.Task) ([]verdict.Verdict, error) { return verdicts, nil }),
			}
			b.ReportAllocs()
			sum := 0.0
			if err := p.Run(b.Context(), rows, sinkFunc(func(r *result.Row) error { sum += r.Support; return nil })); err != nil {
				b.Fatal(err)
			}
			if math.IsNaN(sum) {
				b.Fatal("got a NaN score, want every row scored")
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
