// Package eval runs rows through extraction and judging, concurrently and in order.
//
// It maintains three invariants. Every claim that goes to a judge has exactly one
// verdict, matched by id, or the row fails, so that a judge cannot change the
// denominator of a score. A row that cannot be judged fails; it never scores 0. The
// same rows give the same results in the same order, whatever the number of workers.
package eval

import (
	"context"
	"time"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An Extractor extracts the claims of an answer, numbered from 0 in the order of the
// answer. It is called from many goroutines.
type Extractor interface {
	Extract(ctx context.Context, question, answer string) (extract.Extraction, error)
}

// A Combined extracts and judges at once: it returns the claims of an answer, numbered
// from 0, and one Verdict for each. It is called from many goroutines. The cost of a
// row is the sum of both usages.
type Combined interface {
	Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error)
}

// A Pipeline scores rows. Extractor and Judge are required unless Combined is set; all
// other fields are optional.
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
