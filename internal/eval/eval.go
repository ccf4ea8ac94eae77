// Package eval runs rows through the extract and verdict stages, many at once
// and in order.
//
// Three laws are kept here and nowhere else. Every claim that goes to a judge
// gets exactly one verdict, matched by its id, or the row fails: the
// denominator of a score is never what a judge chose to return. What can't be
// judged is failed and never scored 0. The same rows give the same results in
// the same order, whatever the number of workers.
package eval

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An Extractor finds the claims of an answer, numbered from 0 in the order of
// the answer. It is called from many goroutines.
type Extractor interface {
	Extract(ctx context.Context, question, answer string) (extract.Extraction, error)
}

// A Judge returns one Verdict for each claim of the task, in any order. It is
// called from many goroutines. The slice that it returns belongs to the
// caller; what the slice's elements refer to is only read.
type Judge interface {
	Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error)
}

// A Combined does the work of an Extractor and a Judge in one go: it returns the
// claims of an answer, numbered from 0, and one Verdict for each. It is called
// from many goroutines. What the row cost is the usage of both results.
type Combined interface {
	Evaluate(ctx context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error)
}

// A Sink receives results in dataset order, from one goroutine. The Result is
// the sink's until Write returns; a copy of it may be kept for longer.
type Sink interface {
	Write(*Result) error
}

// A Status says what became of a row.
type Status uint8

// The statuses of a row.
const (
	Scored   Status = iota + 1 // every claim has a verdict
	NoClaims                   // the answer claims nothing; Reason says which way
	Failed                     // Err says why
)

// String returns the status as results spell it.
func (s Status) String() string {
	switch s {
	case Scored:
		return "scored"
	case NoClaims:
		return "no_claims"
	case Failed:
		return "failed"
	}
	return "invalid"
}

// The stages of a row, which are also the reasons for which it can fail.
const (
	StageRead    = "read"
	StageExtract = "extract"
	StageVerdict = "verdict"
)

// A Result is the outcome of one row.
type Result struct {
	Row      dataset.Row
	Status   Status
	Reason   string // NoClaims: refusal, empty or nothing_claimed; Failed: read, extract or verdict
	Claims   []extract.Claim
	Verdicts []verdict.Verdict // Verdicts[i] is of Claims[i]; nil where the row failed
	Skipped  []extract.Skipped
	// Faithfulness is supported claims over claims, and Support the mean of
	// the claims' scores; both 0 to 1, and NaN unless Status is Scored (or,
	// for Faithfulness, NoClaims with a number set by the pipeline).
	Faithfulness, Support float64
	Cited                 *Cited // nil where no claim cites anything
	Usage                 usage.Usage
	Err                   error // why it failed: the reader's error, or a *StageError
}

// Supported counts the claims that the contexts support.
func (r *Result) Supported() int {
	n := 0
	for i := range r.Verdicts {
		if r.Verdicts[i].Label == verdict.Supported {
			n++
		}
	}
	return n
}
