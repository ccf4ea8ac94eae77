package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/usage"
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
	p.judge(ctx, r, check, &stage)
	if err := p.cite(ctx, r); err != nil {
		r.fail(stage, err)
	}
}

// judge sets the claims and verdicts of r. stage is the stage that it is in.
func (p *Pipeline) judge(ctx context.Context, r *Result, check *quoteChecker, stage *string) {
	if p.Combined != nil {
		*stage = StageVerdict
		if len(r.Row.Contexts) == 0 {
			r.fail(*stage, errNoContexts())
			return
		}
		found, said, err := p.Combined.Evaluate(ctx, r.Row.Question, r.Row.Answer, r.Row.Contexts)
		r.spend(found.Usage, said.Usage)
		if err == nil {
			err = p.claim(r, &found)
		}
		if err != nil {
			r.fail(*stage, timedOut(ctx, err))
		} else if r.Status != NoClaims {
			p.conclude(ctx, r, said.Verdicts, check)
		}
		return
	}

	found, err := p.Extractor.Extract(ctx, r.Row.Question, r.Row.Answer)
	r.spend(found.Usage)
	var refusals refused
	if err == nil {
		refusals, err = p.claimRefusals(ctx, r, &found)
	}
	if err == nil {
		err = p.claim(r, &found)
	}
	if err != nil {
		r.fail(*stage, timedOut(ctx, err))
		return
	}
	if r.Status == NoClaims {
		return
	}

	*stage = StageVerdict
	if len(r.Row.Contexts) == 0 {
		r.fail(*stage, errNoContexts())
		return
	}
	if err := ctx.Err(); err != nil {
		r.fail(*stage, timedOut(ctx, err))
		return
	}
	said, err := p.judgeClaims(ctx, r, refusals)
	r.spend(said.Usage)
	if err != nil {
		r.fail(*stage, timedOut(ctx, err))
		return
	}
	p.conclude(ctx, r, said.Verdicts, check)
	p.skipTrueRefusals(r, refusals)
}

// timedOut returns the error of a stage, or that the row's time is up if that
// is why the stage gave up.
func timedOut(ctx context.Context, err error) error {
	var late *TimeoutError
	if errors.As(context.Cause(ctx), &late) {
		return late
	}
	return err
}

func errNoContexts() error { return errors.New("no contexts to judge against") }

// claim takes over what was found in an answer; Status is NoClaims where that is
// no claim.
func (p *Pipeline) claim(r *Result, found *extract.Extraction) error {
	for i := range found.Claims {
		if found.Claims[i].ID != i {
			return fmt.Errorf("claim %d has the id %d", i, found.Claims[i].ID)
		}
	}
	r.Claims, r.Skipped = found.Claims, found.Skipped
	if len(r.Claims) == 0 {
		p.noClaims(r, found.Reason())
	}
	return nil
}

// noClaims makes r the result of a row without claims.
func (p *Pipeline) noClaims(r *Result, reason string) {
	r.Status, r.Reason, r.Faithfulness = NoClaims, reason, math.NaN()
	if p.NoClaims != nil {
		r.Faithfulness = *p.NoClaims
	}
}

// conclude scores a row by the verdicts on its claims, or fails it.
func (p *Pipeline) conclude(ctx context.Context, r *Result, vs []verdict.Verdict, check *quoteChecker) {
	vs, err := reconcile(r.Claims, vs)
	if err != nil {
		r.fail(StageVerdict, err)
		return
	}
	check.reset(r.Row.Contexts)
	for i := range vs {
		check.clean(&vs[i])
	}
	if err := p.addNearest(ctx, r, vs, check); err != nil {
		r.fail(StageVerdict, timedOut(ctx, err))
		return
	}
	r.Status, r.Verdicts = Scored, vs
	r.score()
}

// score sets the scores that the verdicts give.
func (r *Result) score() {
	sum := 0.0
	for i := range r.Verdicts {
		sum += r.Verdicts[i].Score
	}
	n := float64(len(r.Verdicts))
	r.Faithfulness, r.Support = float64(r.Supported())/n, sum/n
}

// spend adds to what the row cost.
func (r *Result) spend(all ...usage.Usage) {
	for _, u := range all {
		r.Usage = r.Usage.Add(u)
	}
}

// fail makes r the result of a row that failed at stage.
func (r *Result) fail(stage string, err error) {
	r.Status, r.Reason, r.Err = Failed, stage, &StageError{Stage: stage, Err: err}
	r.Verdicts = nil
	r.Faithfulness, r.Support = math.NaN(), math.NaN()
	if r.Cited != nil {
		r.Cited.unjudge()
	}
}
