// Package eval runs rows through extraction and judging, concurrently and in order.
//
// It maintains three invariants. Every claim that goes to a judge has exactly one
// verdict, matched by id, or the row fails, so that a judge cannot change the
// denominator of a score. A row that cannot be judged fails; it never scores 0. The
// same rows give the same results in the same order, whatever the number of workers.
package eval

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An Extractor extracts the claims of an answer, numbered from 0. It is called concurrently.
type Extractor interface {
	Extract(ctx context.Context, question, answer string) (extract.Extraction, error)
}

// A Combined returns the claims of an answer, numbered from 0, and one Verdict for each. It is
// called concurrently. The cost of a row is the sum of both usages.
type Combined interface {
	Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error)
}

// A Pipeline scores rows. Extractor and Judge, or Combined, are required.
type Pipeline struct {
	Extractor Extractor
	Judge     verdict.Judge
	Combined  Combined      // replaces Extractor and Judge
	Nearest   verdict.Judge // its evidence is quoted for unsupported claims that have none
	Workers   int           // rows that are judged concurrently; 1 if 0
	Window    int           // rows between reader and writer; derived from Workers if 0
	// DeriveCited derives the verdict of a citation from the verdict over all contexts
	// if possible, instead of calling Judge again. It is set if calls cost money.
	DeriveCited bool
	NoClaims    *float64 // faithfulness of rows without claims; NaN if nil
	SkipEmpty   bool     // skip rows whose contexts have no text, instead of scoring them
	Earlier     Earlier  // results of an earlier run; may be nil
	// RowTimeout is the maximum time for a row, without the time in Waiting; 0 is no
	// limit. A row that takes longer fails with a *TimeoutError once its stage returns,
	// which stages do when their context is done. RowTimeout requires Now, the clock.
	RowTimeout time.Duration
	Now        func() time.Time
	// Fatal reports whether an error of a stage ends the run instead of the row, such
	// as that of a server that is down. If nil, no error does.
	Fatal func(error) bool
	// Drain reports whether after a Fatal error the rows that are being judged are
	// completed, because their requests are paid for. If nil, they are canceled.
	Drain func(error) bool
}

// Earlier returns the result of an earlier run for a row, or nil if the row must be
// scored. It is called for each row in order, with the error of reading it, from one
// goroutine. An error ends the run like an error of the reader.
type Earlier func(row *dataset.Row, err error) (*result.Row, error)

// A Sink receives results in dataset order, from one goroutine. The Row belongs to the
// sink until Write returns; a copy of it may be kept.
type Sink interface {
	Write(r *result.Row) error
}

// Sinks is a Sink that writes each row to several. It stops at the first error.
type Sinks []Sink

// Write writes r to each sink.
func (s Sinks) Write(r *result.Row) error {
	for _, sink := range s {
		if err := sink.Write(r); err != nil {
			return err
		}
	}
	return nil
}

const (
	// windowPerWorker keeps workers busy behind a row that takes about ten times as long.
	windowPerWorker = 8
	// minWindow decouples reader and writer if rows take microseconds.
	minWindow = 128
	// windowBytes limits the text in the window. A larger row is processed alone.
	windowBytes = 32 << 20
)

// Run reads rows, scores up to Workers of them concurrently, and writes the results to
// sink in the order of rows. At most Window rows, and at most 32 MiB of text or one
// row, wait for a slow row before them, so memory does not depend on the number of rows.
//
// A *dataset.RowError in rows and an error or panic in a stage fail one row. Any other
// error in rows is returned after the rows before it are written. So is a Fatal error of a
// stage, without its row and later ones. An error of sink ends the run at once. If ctx is
// done, no further row is started, finished rows are written up to the first unfinished
// one, and Run returns context.Cause(ctx). Run does not return before rows does.
func (p *Pipeline) Run(ctx context.Context, rows iter.Seq2[dataset.Row, error], sink Sink) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start, stop := context.WithCancelCause(work) // when done, no further row is started
	defer stop(nil)
	workers := max(p.Workers, 1)
	window := p.Window
	if window < 1 {
		window = max(windowPerWorker*workers, minWindow)
	}
	q := &queue{
		rows:  semaphore.NewWeighted(int64(window)),
		text:  semaphore.NewWeighted(windowBytes),
		todo:  make(chan *slot, window),
		order: make(chan *slot, window),
	}

	var g errgroup.Group
	g.Go(func() error { return q.read(start, rows, p.Earlier) })
	for range workers {
		g.Go(func() error { p.work(start, work, stop, cancel, q.todo); return nil })
	}
	done, writeErr := q.write(sink)
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
	case readErr == nil: // everything was read before the fatal error
		return context.Cause(start)
	default:
		return readErr
	}
}

// A slot holds a row between reader and writer.
type slot struct {
	row      evaluation
	result   result.Row
	bytes    int64
	canceled bool          // the run ended before the row had a result
	done     chan struct{} // closed when result or canceled is set
}

// A queue holds the rows between the reader and the writer. Sends on its channels never
// block, because each channel has a buffer for as many rows as there may be.
type queue struct {
	rows  *semaphore.Weighted
	text  *semaphore.Weighted
	todo  chan *slot // to the workers
	order chan *slot // to the writer
}

// read passes each row to the workers and to the writer, or only to the writer if it
// has a result, until rows ends, fails, or ctx is done.
func (q *queue) read(ctx context.Context, rows iter.Seq2[dataset.Row, error], earlier Earlier) error {
	defer close(q.order)
	defer close(q.todo)
	for row, err := range rows {
		if !isRowErr(err) {
			return err
		}
		s := &slot{row: evaluation{row: row, err: err}, bytes: min(textBytes(&row), windowBytes), done: make(chan struct{})}
		if q.rows.Acquire(ctx, 1) != nil || q.text.Acquire(ctx, s.bytes) != nil {
			return context.Cause(ctx)
		}
		var known *result.Row
		if earlier != nil {
			if known, err = earlier(&row, err); err != nil {
				return err
			}
		}
		q.order <- s
		if known != nil {
			s.result = *known
			close(s.done)
		} else {
			q.todo <- s
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// write writes results in order up to a canceled row, and reports whether it wrote all.
func (q *queue) write(sink Sink) (bool, error) {
	for s := range q.order {
		<-s.done
		if s.canceled {
			return false, nil
		}
		if err := sink.Write(&s.result); err != nil {
			return false, fmt.Errorf("writing row %d: %w", s.result.Index, err)
		}
		q.text.Release(s.bytes)
		q.rows.Release(1)
	}
	return true, nil
}

// work scores rows. A fatal error stops start and, unless other rows are drained, cancels ctx.
func (p *Pipeline) work(start, ctx context.Context, stop, cancel context.CancelCauseFunc, todo <-chan *slot) {
	for s := range todo {
		s.canceled = start.Err() != nil
		if !s.canceled {
			p.score(ctx, &s.row)
			if err := s.row.err; s.row.status == result.Failed && s.row.reason != result.StageRead {
				fatal := ctx.Err() == nil && p.Fatal != nil && p.Fatal(err)
				if fatal {
					stop(err)
				}
				if fatal && (p.Drain == nil || !p.Drain(err)) {
					cancel(err)
				}
				// A stage that failed because the run ended says nothing about the row.
				s.canceled = fatal || ctx.Err() != nil
			}
			s.result = s.row.result()
		}
		close(s.done)
	}
}

// A TimeoutError reports that a row took longer than Pipeline.RowTimeout.
type TimeoutError struct{ Limit time.Duration }

// timedOut returns a *TimeoutError if the row timed out, and otherwise err.
func timedOut(ctx context.Context, err error) error {
	if timeout, ok := errors.AsType[*TimeoutError](context.Cause(ctx)); ok {
		return timeout
	}
	return err
}

// Error names the limit and its flag.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("timed out after %v (--row-timeout)", e.Limit)
}

// Waiting pauses the timeout of a row until resume is called. A stage calls it with its
// context before it waits for something that does not depend on the row, such as the reply
// of a server. With any other context it does nothing. Calls may overlap. Each resume must be
// called exactly once, before the stage returns.
func Waiting(ctx context.Context) (resume func()) {
	c, ok := ctx.Value(rowClockKey{}).(*rowClock)
	if !ok {
		return func() {}
	}
	c.pause()
	return c.resume
}

type rowClockKey struct{}

// A rowClock cancels a context when a row takes too long.
type rowClock struct {
	now func() time.Time

	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // remaining time when the timer was last started
	started time.Time
	waits   int  // calls of Waiting that were not resumed
	paused  bool // the timer was stopped before it fired
}

// withRowClock returns a context that is canceled with a *TimeoutError. stop frees resources.
func withRowClock(ctx context.Context, limit time.Duration, now func() time.Time) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c := &rowClock{now: now, left: limit, started: now()}
	c.timer = time.AfterFunc(limit, func() { cancel(&TimeoutError{limit}) })
	stop = func() {
		c.timer.Stop()
		cancel(nil)
	}
	return context.WithValue(ctx, rowClockKey{}, c), stop
}

func (c *rowClock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits++; c.waits == 1 && c.timer.Stop() {
		// The timer has not fired, so a larger difference means that the clock was set.
		if d := c.now().Sub(c.started); d > 0 && d < c.left {
			c.left -= d
		}
		c.paused = true
	}
}

func (c *rowClock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waits--; c.waits == 0 && c.paused {
		c.paused = false
		c.started = c.now()
		c.timer.Reset(max(c.left, 0))
	}
}

// score runs a row through the stages within RowTimeout, unless it could not be read.
func (p *Pipeline) score(ctx context.Context, e *evaluation) {
	if p.RowTimeout > 0 {
		var stop func()
		ctx, stop = withRowClock(ctx, p.RowTimeout, p.Now)
		defer stop()
	}
	e.faithfulness, e.support = math.NaN(), math.NaN()
	if e.err != nil {
		e.status, e.reason = result.Failed, result.StageRead
		return
	}
	if e.empty = !dataset.HasText(e.row.Contexts); e.empty && p.SkipEmpty {
		e.status, e.reason = result.SkippedRow, result.NoContexts
		return
	}
	stage := result.StageExtract
	defer func() {
		if v := recover(); v != nil {
			e.fail(stage, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()
	if err := p.evaluate(ctx, e, &stage); err != nil {
		e.fail(stage, timedOut(ctx, err))
	}
	if err := p.cite(ctx, e); err != nil {
		e.fail(stage, err)
	}
}

// evaluate sets the claims and verdicts of e, and stage to the current stage.
func (p *Pipeline) evaluate(ctx context.Context, e *evaluation, stage *string) error {
	extraction, verdicts, err := p.extract(ctx, e, stage)
	if err != nil {
		return err
	}
	if err := p.setClaims(e, &extraction); err != nil || e.status == result.NoClaims {
		return err
	}
	*stage = result.StageVerdict
	if e.empty { // no claim is supported
		for i := range e.claims {
			v := verdict.Verdict{ClaimID: i, Label: verdict.NotMentioned, Reason: "nothing was retrieved"}
			e.verdicts = append(e.verdicts, v)
		}
		e.status, e.reason = result.Scored, result.NoContexts
		e.score()
		return nil
	}
	if p.Combined == nil {
		if err := ctx.Err(); err != nil {
			return err
		}
		judgement, err := p.Judge.Judge(ctx, verdict.Task{Question: e.row.Question, Contexts: e.row.Contexts, Claims: e.claims})
		e.spend(judgement.Usage)
		if err != nil {
			return err
		}
		e.mark(judgement.Marks...)
		verdicts = judgement.Verdicts
	}
	return p.setVerdicts(ctx, e, verdicts)
}

// extract returns the claims of e and, if they were judged at once, their verdicts.
func (p *Pipeline) extract(ctx context.Context, e *evaluation, stage *string) (extract.Extraction, []verdict.Verdict, error) {
	if p.Combined == nil {
		extraction, err := p.Extractor.Extract(ctx, e.row.Question, e.row.Answer)
		e.spend(extraction.Usage)
		if err != nil {
			return extraction, nil, err
		}
		if extraction.Downgraded {
			e.mark(verdict.MarkDowngraded)
		}
		extraction, err = extraction.ClaimAssertions(ctx, e.row.Question, e.row.Answer, e.row.Contexts)
		return extraction, nil, err
	}
	*stage = result.StageVerdict
	contexts := e.row.Contexts
	if e.empty {
		contexts = nil // only the claims are needed
	}
	extraction, judgement, err := p.Combined.Evaluate(ctx, e.row.Question, e.row.Answer, contexts)
	e.spend(extraction.Usage)
	e.spend(judgement.Usage)
	e.mark(judgement.Marks...)
	return extraction, judgement.Verdicts, err
}
