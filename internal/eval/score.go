package eval

import (
	"context"
	"math"
	"runtime/debug"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// score runs a row through the stages, unless it could not be read.
func (p *Pipeline) score(ctx context.Context, e *evaluation) {
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
	evaluate := p.evaluateStages
	if p.Combined != nil {
		evaluate = p.evaluateCombined
	}
	if err := evaluate(ctx, e, &stage); err != nil {
		e.fail(stage, timedOut(ctx, err))
	}
	if err := p.cite(ctx, e); err != nil {
		e.fail(stage, err)
	}
}

// evaluateCombined sets the claims and verdicts of e by p.Combined.
func (p *Pipeline) evaluateCombined(ctx context.Context, e *evaluation, stage *string) error {
	*stage = result.StageVerdict
	contexts := e.row.Contexts
	if e.empty {
		contexts = nil // only the claims are needed
	}
	extraction, judgement, err := p.Combined.Evaluate(ctx, e.row.Question, e.row.Answer, contexts)
	e.spend(extraction.Usage)
	e.spend(judgement.Usage)
	if err != nil {
		return err
	}
	e.mark(judgement.Marks...)
	if err := p.setClaims(e, &extraction); err != nil || e.status == result.NoClaims {
		return err
	}
	if e.empty {
		e.setUnretrieved()
		return nil
	}
	return p.setVerdicts(ctx, e, judgement.Verdicts)
}

// evaluateStages sets the claims and verdicts of e by p.Extractor and p.Judge. It
// sets stage to the current stage.
func (p *Pipeline) evaluateStages(ctx context.Context, e *evaluation, stage *string) error {
	extraction, err := p.Extractor.Extract(ctx, e.row.Question, e.row.Answer)
	e.spend(extraction.Usage)
	if err != nil {
		return err
	}
	if extraction.Downgraded {
		e.mark(verdict.MarkDowngraded)
	}
	if extraction, err = extraction.ClaimAssertions(ctx, e.row.Question, e.row.Answer, e.row.Contexts); err != nil {
		return err
	}
	if err := p.setClaims(e, &extraction); err != nil || e.status == result.NoClaims {
		return err
	}

	*stage = result.StageVerdict
	if e.empty {
		e.setUnretrieved()
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	judgement, err := p.Judge.Judge(ctx, verdict.Task{Question: e.row.Question, Contexts: e.row.Contexts, Claims: e.claims})
	e.spend(judgement.Usage)
	if err != nil {
		return err
	}
	e.mark(judgement.Marks...)
	return p.setVerdicts(ctx, e, judgement.Verdicts)
}
