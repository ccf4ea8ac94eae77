// Package eval runs rows through the extract and verdict stages.
package eval

import (
	"context"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// An Extractor finds the claims of an answer. It is called from many goroutines.
type Extractor interface {
	Extract(ctx context.Context, question, answer string) (extract.Extraction, error)
}

// A Judge returns one Verdict for each claim of the task, in any order. It is
// called from many goroutines.
type Judge interface {
	Judge(ctx context.Context, task verdict.Task) ([]verdict.Verdict, error)
}

// A Sink receives results in dataset order, from one goroutine.
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

// A Result is the outcome of one row.
type Result struct {
	Row      dataset.Row
	Status   Status
	Reason   string // NoClaims: refusal, empty or nothing_claimed; Failed: read, extract or verdict
	Claims   []extract.Claim
	Verdicts []verdict.Verdict // Verdicts[i] is of Claims[i]
	Skipped  []extract.Skipped
	// Faithfulness is supported claims over claims, and Support the mean of
	// the claims' scores; both 0 to 1, and NaN unless Status is Scored (or,
	// for Faithfulness, NoClaims with a number set by the pipeline).
	Faithfulness, Support float64
	Usage                 Usage
	Err                   error // why it failed
}

// Usage counts what a row cost; all zero for a judge that runs offline.
type Usage struct {
	Requests, PromptTokens, CompletionTokens, CachedRequests int
}
