// Package eval runs rows through extraction and judging, concurrently and in order.
//
// It maintains three invariants. Every claim that goes to a judge has exactly one
// verdict, matched by id, or the row fails, so that a judge cannot change the
// denominator of a score. A row that cannot be judged fails; it never scores 0. The
// same rows give the same results in the same order, whatever the number of workers.
package eval

import (
	"context"

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
