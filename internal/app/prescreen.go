package app

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
	judge "github.com/ragfaith/ragfaith/internal/verdict/llm"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// offline returns the options of a run whose judge is that of --prescreen. A calibration of
// such a run has the bounds.
func (o *Options) offline() *Options {
	p := *o
	p.Judge, p.Threshold, p.Calibrated = o.LLM.Prescreen, nil, nil
	p.LLM.Votes, p.LLM.MaxContextTokens = 1, 0
	return &p
}

// withoutJudge returns the model of a run with the options o.offline(), which is nil if it
// needs none.
func (m *model) withoutJudge(o *Options) *model {
	if !o.offline().UsesLLM() {
		return nil
	}
	extractor := *m
	extractor.embedder, extractor.local = nil, nil
	return &extractor
}

// checkBounds returns an error for a calibration that was made for another judge than that
// of --prescreen.
func (r *run) checkBounds() error {
	o := r.options
	settings, err := o.offline().settings(0, r.model.withoutJudge(o), nil)
	if err != nil {
		return err
	}
	return o.checkCalibration(settings, r.warn)
}

// openPrescreen makes the judge of --prescreen decide clear claims.
func (r *run) openPrescreen(ctx context.Context) error {
	o := r.options
	offline, _, err := o.offline().newPipeline(r.model, nil)
	if err != nil {
		return err
	}
	r.pipeline.Judge = &verdict.Cascade{
		Offline: offline.Judge, Model: r.pipeline.Judge, Supported: o.SupportedFrom, Unsupported: o.UnsupportedFrom,
		Audit: *o.LLM.Audit, Seed: o.Seed, NeedsContext: semantic.NeedsContext, Ask: isRefusal,
	}
	r.savings = newSavings(ctx, o.judgeOptions(r.model), r.model)
	return nil
}

// isRefusal reports whether a claim says that the contexts lack something. The pipeline
// makes a claim of a refusal if the contexts seem to answer the question, and the model
// decides whether it is true.
func isRefusal(question string, c *extract.Claim) bool {
	_, declines := extract.DeclinedBy(c.Text, question)
	return declines
}

// disagreement returns a warning if the audit shows that the offline judge is more often
// wrong than the calibration promises, or "".
func (o *Options) disagreement(t *report.Tally) string {
	if !o.Prescreens() {
		return ""
	}
	i, promised := t.Prescreen.Agreement(), 1-o.Calibrated.Prescreen.MaxError
	if !i.Reliable() || i.Upper >= promised {
		return ""
	}
	format := func(x float64) string { return strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64) + "%" }
	return fmt.Sprintf("--prescreen: the model agrees with %s of the audited verdicts (95%% interval up to %s), --calibration promises %s: calibrate with labelled rows of this dataset",
		format(i.Estimate), format(i.Upper), format(promised))
}

// savings is a sink that estimates the requests and tokens that --prescreen saves, as the
// dry run does. It simulates the requests of each row with and without the claims decided
// offline. Requests about citations are not counted.
type savings struct {
	ctx   context.Context //nolint:containedctx // that of the run, whose rows the sink gets
	model *simulator
	judge verdict.Judge // asks model
	usage usage.Usage
}

func newSavings(ctx context.Context, opts judge.Options, m *model) *savings {
	s := &simulator{tokens: m.stack.Tokens}
	opts.Model, opts.Limit = s, nil
	return &savings{ctx: ctx, model: s, judge: judge.New(opts)}
}

// Write adds the savings of r. A row that cannot be simulated counts as no savings.
func (s *savings) Write(r *result.Row) error {
	all := verdict.Task{Question: r.Question, Contexts: r.Contexts}
	sent := all
	for i := range r.Claims {
		text := r.Claims[i].Judged()
		all.Claims = append(all.Claims, extract.Claim{ID: i, Text: text})
		if !r.Claims[i].Prescreened {
			sent.Claims = append(sent.Claims, extract.Claim{ID: len(sent.Claims), Text: text})
		}
	}
	if len(sent.Claims) == len(all.Claims) {
		return nil
	}
	s.model.maxItems = min(len(all.Claims), maxSimulatedItems) // a larger reply would be refused
	without, err := s.judge.Judge(s.ctx, all)
	if err != nil {
		return nil //nolint:nilerr // only an estimate
	}
	var with verdict.Judgement
	if len(sent.Claims) > 0 {
		if with, err = s.judge.Judge(s.ctx, sent); err != nil {
			return nil //nolint:nilerr // only an estimate
		}
	}
	s.usage.Requests += max(without.Usage.Requests-with.Usage.Requests, 0)
	s.usage.PromptTokens += max(without.Usage.PromptTokens-with.Usage.PromptTokens, 0)
	s.usage.CompletionTokens += max(without.Usage.CompletionTokens-with.Usage.CompletionTokens, 0)
	return nil
}

// String describes the savings on one line.
func (s *savings) String() string {
	return fmt.Sprintf("prescreen: saved about %d requests, %d prompt tokens and %d completion tokens", s.usage.Requests, s.usage.PromptTokens, s.usage.CompletionTokens)
}
