package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/ragfaith/ragfaith/internal/dataset"
)

const (
	// A window of this many rows for each worker keeps the others busy
	// behind a row that takes some ten times as long as the usual one.
	windowPerWorker = 8
	// Rows that take microseconds need slack between reader and writer
	// whatever the number of workers.
	minWindow = 128
	// Text of rows in flight. One row may be larger, and then goes alone.
	windowBytes = 32 << 20
)

// A Pipeline scores rows. The zero value of a field that is not required is
// its default.
type Pipeline struct {
	Extractor Extractor // required, unless there is a Combined
	Judge     Judge     // likewise
	Combined  Combined  // takes the place of Extractor and Judge
	Nearest   Judge     // its evidence is quoted for claims that are not supported and have none
	// Refusals finds refusals that the contexts answer, which become claims; none if
	// nil, and with Combined. They are contradicted, unless JudgeRefusals is set: then
	// the judge gets them too, and those that it does not find contradicted are
	// skipped.
	Refusals      RefusalChecker
	JudgeRefusals bool
	Workers       int // rows judged at once; 1
	Window        int // rows that are read and not yet written; by the number of workers
	// DeriveCited is set where every call of Judge costs money: whether a citation
	// supports its claim is told from the verdict over all contexts. Judge is called
	// again only for supported claims that cite other chunks than those of the verdict.
	DeriveCited bool
	NoClaims    *float64 // faithfulness of a row without claims; none
	Earlier     Earlier  // what rows have a result already; none
	// RowTimeout is how long a row may be worked on, not counting what Waiting
	// says; 0 is no limit. A row that takes longer fails with a *TimeoutError, as
	// soon as the stage that it is in returns: stages stop when their context is
	// done. RowTimeout requires Now, the wall clock.
	RowTimeout time.Duration
	Now        func() time.Time
	// Fatal says that an error of a stage ends the run and not just the row:
	// the server is down, or the money is spent. By default none does.
	Fatal func(error) bool
	// Drain says of a Fatal error that the rows in flight may still be finished,
	// each of them until it fails so itself: what they asked is paid for. By default
	// they are given up.
	Drain func(error) bool
}

// Earlier knows the results of an earlier run of the same rows. For each row,
// in order, it is asked for the one of that row, with the error of its reading,
// if any; a row that it returns nil for goes through the stages. An error of it
// ends the run as one in the rows does. It is called from one goroutine.
type Earlier func(row *dataset.Row, err error) (*Result, error)

// Run reads rows, scores up to Workers of them at once, and writes the results
// to sink in the order of rows. No more than Window rows, and no more text than
// 32 MiB or one row, wait for a slow row before them, so memory does not depend
// on how many rows there are.
//
// An error in rows that is a *dataset.RowError is a failed row, as is an error
// or a panic in a stage. Any other error in rows ends the run after the rows
// before it are written, and is returned. So does an error of a stage that is
// Fatal; its row is not written, nor any row after it. An error of sink ends the run at once.
// Where ctx is done, no further row is begun, the rows that were finished by
// then are written up to the first that was not, and Run returns
// context.Cause(ctx). Run returns only when rows does.
func (p *Pipeline) Run(ctx context.Context, rows iter.Seq2[dataset.Row, error], sink Sink) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	begin, stop := context.WithCancelCause(work) // done: no further row is begun
	defer stop(nil)
	workers := max(p.Workers, 1)
	window := p.Window
	if window < 1 {
		window = max(windowPerWorker*workers, minWindow)
	}
	f := &flight{
		free:  make(chan *slot, window),
		todo:  make(chan *slot, window),
		order: make(chan *slot, window),
		text:  semaphore.NewWeighted(windowBytes),
	}

	var g errgroup.Group
	g.Go(func() error { return f.read(begin, rows, p.Earlier, window) })
	for range workers {
		g.Go(func() error { p.work(begin, work, stop, cancel, f.todo); return nil })
	}
	done, writeErr := f.write(sink)
	if writeErr != nil {
		cancel(writeErr)
	}
	readErr := g.Wait()
	switch {
	case writeErr != nil:
		return writeErr
	case readErr == nil && done:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case readErr == nil: // all was read before the fatal error
		return context.Cause(begin)
	default:
		return readErr
	}
}

// A slot holds a row from its reading to its writing, and is then used again.
type slot struct {
	result   Result
	bytes    int64
	unjudged bool          // the run was cancelled before the row had its result
	done     chan struct{} // receives once when result or unjudged is set
}

// A flight is the rows between the reader and the writer. No send on its
// channels blocks, because there are no more slots than each has room for.
type flight struct {
	free  chan *slot
	todo  chan *slot // to the workers
	order chan *slot // to the writer
	text  *semaphore.Weighted
}

// read hands each row to the workers and to the writer, or where it has a result
// to the writer alone, until rows ends, fails, or ctx is done.
func (f *flight) read(ctx context.Context, rows iter.Seq2[dataset.Row, error], earlier Earlier, window int) error {
	defer close(f.order)
	defer close(f.todo)
	made := 0
	for row, err := range rows {
		var bad *dataset.RowError
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		var s *slot
		if made < window && len(f.free) == 0 {
			s = &slot{done: make(chan struct{}, 1)}
			made++
		} else {
			select {
			case s = <-f.free:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		s.bytes = min(textBytes(&row), windowBytes)
		if err := f.text.Acquire(ctx, s.bytes); err != nil {
			return context.Cause(ctx)
		}
		s.result = Result{Row: row, Err: err}
		known, err := earlier.of(&row, err)
		if err != nil {
			return err
		}
		f.order <- s
		if known != nil {
			s.result, s.unjudged = *known, false
			s.done <- struct{}{}
		} else {
			f.todo <- s
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// of asks e, which may be nil.
func (e Earlier) of(row *dataset.Row, err error) (*Result, error) {
	if e == nil {
		return nil, nil
	}
	return e(row, err)
}

// write gives results to sink in order. It reports whether every row that was
// read is written, and stops at the first one that is not.
func (f *flight) write(sink Sink) (bool, error) {
	for s := range f.order {
		<-s.done
		if s.unjudged {
			return false, nil
		}
		if err := sink.Write(&s.result); err != nil {
			return false, fmt.Errorf("writing row %d: %w", s.result.Row.Index, err)
		}
		f.text.Release(s.bytes)
		s.result = Result{} // its texts can go before the slot is used again
		f.free <- s
	}
	return true, nil
}

// work scores rows until there are no more. Where a row fails of what would fail
// the others too, it stops begin, and unless rows may drain cancels ctx.
func (p *Pipeline) work(begin, ctx context.Context, stop, cancel context.CancelCauseFunc, todo <-chan *slot) {
	score, end := p.scorer(ctx)
	defer end()
	for s := range todo {
		s.unjudged = begin.Err() != nil
		if !s.unjudged {
			score(&s.result)
			if s.result.Status == Failed && s.result.Reason != StageRead {
				fatal := ctx.Err() == nil && p.Fatal != nil && p.Fatal(s.result.Err)
				if fatal {
					stop(s.result.Err)
				}
				if fatal && (p.Drain == nil || !p.Drain(s.result.Err)) {
					cancel(s.result.Err)
				}
				// A stage that gave up because the run is over says nothing of the row.
				s.unjudged = fatal || ctx.Err() != nil
			}
		}
		s.done <- struct{}{}
	}
}

// scorer returns a function that scores rows, one at a time and each within
// RowTimeout, and one that must be called after the last.
func (p *Pipeline) scorer(ctx context.Context) (score func(*Result), end func()) {
	var check quoteChecker
	if p.RowTimeout <= 0 {
		return func(r *Result) { p.score(ctx, r, &check) }, func() {}
	}
	rows, clock := newRowClock(ctx, p.RowTimeout, p.Now)
	score = func(r *Result) {
		clock.start()
		p.score(rows, r, &check)
		if !clock.stop() {
			clock.cancel(nil)
			rows, clock = newRowClock(ctx, p.RowTimeout, p.Now)
		}
	}
	return score, func() { clock.cancel(nil) }
}

// textBytes estimates how much memory a row holds.
func textBytes(row *dataset.Row) int64 {
	n := len(row.Question) + len(row.Answer)
	for _, c := range row.Contexts {
		n += len(c)
	}
	for i := range row.Kept {
		n += len(row.Kept[i].Value)
	}
	return int64(n)
}
