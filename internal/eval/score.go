package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A StageError says at which stage a row failed.
type StageError struct {
	Stage string // StageExtract or StageVerdict
	Err   error
}

// Error returns the stage and what went wrong there.
func (e *StageError) Error() string { return e.Stage + ": " + e.Err.Error() }

// Unwrap returns the stage's own error.
func (e *StageError) Unwrap() error { return e.Err }

// A PanicError is a panic of a stage. It fails one row and not the run.
type PanicError struct {
	Value any
	Stack []byte
}

// Error returns the value of the panic without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// score takes a row through both stages. r holds the row and the error of its
// reading, if any.
func (p *Pipeline) score(ctx context.Context, r *Result, check *quoteChecker) {
	r.Faithfulness, r.Support = math.NaN(), math.NaN()
	if r.Err != nil {
		r.Status, r.Reason = Failed, StageRead
		return
	}
	stage := StageExtract
	defer func() {
		if v := recover(); v != nil {
			r.fail(stage, &PanicError{Value: v, Stack: debug.Stack()})
		}
	}()

	found, err := p.Extractor.Extract(ctx, r.Row.Question, r.Row.Answer)
	if err != nil {
		r.fail(stage, err)
		return
	}
	for i := range found.Claims {
		if found.Claims[i].ID != i {
			r.fail(stage, fmt.Errorf("claim %d has the id %d", i, found.Claims[i].ID))
			return
		}
	}
	r.Claims, r.Skipped = found.Claims, found.Skipped
	if len(r.Claims) == 0 {
		r.Status, r.Reason = NoClaims, found.Reason()
		if p.NoClaims != nil {
			r.Faithfulness = *p.NoClaims
		}
		return
	}

	stage = StageVerdict
	if len(r.Row.Contexts) == 0 {
		r.fail(stage, errors.New("no contexts to judge against"))
		return
	}
	vs, err := p.Judge.Judge(ctx, verdict.Task{Question: r.Row.Question, Contexts: r.Row.Contexts, Claims: r.Claims})
	if err == nil {
		vs, err = reconcile(r.Claims, vs)
	}
	if err != nil {
		r.fail(stage, err)
		return
	}
	check.reset(r.Row.Contexts)
	sum := 0.0
	for i := range vs {
		check.clean(&vs[i])
		sum += vs[i].Score
	}
	r.Status, r.Verdicts = Scored, vs
	r.Faithfulness = float64(r.Supported()) / float64(len(vs))
	r.Support = sum / float64(len(vs))
}

// fail makes r the result of a row that failed at stage.
func (r *Result) fail(stage string, err error) {
	r.Status, r.Reason, r.Err = Failed, stage, &StageError{Stage: stage, Err: err}
	r.Verdicts = nil
	r.Faithfulness, r.Support = math.NaN(), math.NaN()
}
