package console

import (
	"errors"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A FailureLog lists failed rows on the console. It is an eval.Sink.
type FailureLog struct {
	console *Console
	limit   int // -1 for all
	stacks  bool
	failed  int
}

// NewFailureLog returns a log of the first limit failed rows, or of all if limit is -1.
// stacks adds the stack of a stage that panicked.
func NewFailureLog(c *Console, limit int, stacks bool) *FailureLog {
	return &FailureLog{console: c, limit: limit, stacks: stacks}
}

// Write lists r if it failed.
func (f *FailureLog) Write(r *result.Row) error {
	if r.Status != result.Failed {
		return nil
	}
	if f.failed++; f.limit >= 0 && f.failed > f.limit {
		return nil
	}
	if r.Reason == result.StageRead { // the reader's error contains the position
		f.console.Printf("%v", r.Err)
	} else {
		f.console.Printf("%v", &dataset.RowError{File: r.File, Line: r.Line, Err: r.Err})
	}
	if thrown, ok := errors.AsType[*eval.PanicError](r.Err); ok && f.stacks {
		f.console.Println(string(thrown.Stack))
	}
	return nil
}

// Close reports how many rows were not listed.
func (f *FailureLog) Close() {
	if f.limit > 0 && f.failed > f.limit {
		f.console.Printf("and %d more failed rows (--verbose lists all)", f.failed-f.limit)
	}
}
