package console

import (
	"errors"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A FailureLog lists failed rows on the console. It is an eval.Sink.
type FailureLog struct {
	console    *Console
	limit      int // maximum number of rows to list, or -1 for all
	showStacks bool
	failed     int
}

// NewFailureLog returns a log of the first limit failed rows, or of all if
// limit is -1. If stacks is set, it prints the stack traces of panics.
func NewFailureLog(c *Console, limit int, stacks bool) *FailureLog {
	return &FailureLog{console: c, limit: limit, showStacks: stacks}
}

// Write prints r if it failed.
func (f *FailureLog) Write(r *result.Row) error {
	if r.Status != result.Failed {
		return nil
	}
	if f.failed++; f.limit >= 0 && f.failed > f.limit {
		return nil
	}
	if r.Reason == result.StageRead { // the error already contains file and line
		f.console.Printf("%v", r.Err)
	} else {
		f.console.Printf("%v", &dataset.RowError{File: r.File, Line: r.Line, Err: r.Err})
	}
	if panicErr, ok := errors.AsType[*eval.PanicError](r.Err); ok && f.showStacks {
		f.console.Println(string(panicErr.Stack))
	}
	return nil
}

// Close prints how many failed rows were not listed.
func (f *FailureLog) Close() {
	if f.limit > 0 && f.failed > f.limit {
		f.console.Printf("and %s (--verbose lists all)", report.Count(f.failed-f.limit, "more failed row", "more failed rows"))
	}
}
