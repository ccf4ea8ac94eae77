package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/verdict"
	"github.com/ragfaith/ragfaith/internal/verdict/semantic"
)

// checkCalibration returns an error for a calibration that was made for another judge.
func (o *Options) checkCalibration(settings result.Settings, warn func(error)) error {
	if o.Calibrated == nil {
		return nil
	}
	invalid, warnings := o.Calibrated.Match(withoutDatasets(settings), o.Version)
	if len(invalid) > 0 {
		return exit.Usagef("--calibration %s was made for another judge: %s", o.Calibration, strings.Join(invalid, "; "))
	}
	for _, w := range warnings {
		warn(fmt.Errorf("--calibration %s may not apply: %s", o.Calibration, w))
	}
	return nil
}

// calibrationNote describes the calibration in reports. It returns "" without one.
func (o *Options) calibrationNote() string {
	if o.Calibrated == nil {
		return ""
	}
	if o.Prescreens() {
		return "prescreen " + o.LLM.Prescreen + ": " + o.Calibrated.DescribeBounds()
	}
	return "calibration " + o.Calibrated.String()
}

// A calibratedJudge has the confidences that --calibration fitted to labels.
type calibratedJudge struct {
	inner verdict.Judge
	fit   *calibrate.ConfidenceFit
}

// Judge returns the verdicts of the judge with calibrated confidences.
func (j calibratedJudge) Judge(ctx context.Context, task verdict.Task) (verdict.Judgement, error) {
	out, err := j.inner.Judge(ctx, task)
	for i := range out.Verdicts {
		v := &out.Verdicts[i]
		if v.Label == verdict.Unjudged {
			continue
		}
		v.Confidence = j.fit.Confidence(v.Label == verdict.Supported, v.SupportProbability())
	}
	return out, err
}

// A faithfulShare is a sink that estimates the share of rows that annotators would label
// faithful, from calibrated confidences.
type faithfulShare struct {
	fit  *calibrate.ConfidenceFit
	mean stats.PlattMean
}

// Write adds a scored row. It never returns an error.
func (s *faithfulShare) Write(r *result.Row) error {
	if r.Status != result.Scored {
		return nil
	}
	if p, ok := r.SupportProbability(); ok {
		s.mean.Add(p)
	}
	return nil
}

func (s *faithfulShare) interval() stats.Interval { return s.mean.Interval(&s.fit.Platt) }

// String describes the estimate on one line.
func (s *faithfulShare) String() string {
	i := s.interval()
	if !i.Reliable() {
		return "faithful rows according to the calibration: unknown (" + i.Note + ")"
	}
	return fmt.Sprintf("%.0f%% of the rows are faithful according to the calibration (95%% interval %.0f%% to %.0f%%, including the error of the judge)",
		100*i.Estimate, 100*i.Lower, 100*i.Upper)
}

// offline returns the options of a run with the --prescreen judge, to compare with its calibration.
func (o *Options) offline() *Options {
	p := *o
	p.Judge, p.Threshold, p.Calibrated = o.LLM.Prescreen, nil, nil
	p.LLM.Votes, p.LLM.MaxContextTokens = 1, 0
	return &p
}

// checkBounds returns an error if the calibration is for a judge other than that of --prescreen.
func (r *run) checkBounds() error {
	o := r.options
	offline := o.offline()
	var m *model // without the judge; nil if nothing else needs a model
	if offline.UsesLLM() {
		extractor := *r.model
		extractor.embedder, extractor.local = nil, nil
		m = &extractor
	}
	settings, err := offline.settings(0, m, nil)
	if err != nil {
		return err
	}
	return o.checkCalibration(settings, r.warn)
}

// openPrescreen makes the judge of --prescreen decide clear claims.
func (r *run) openPrescreen() error {
	o := r.options
	offline, _, err := o.offline().newPipeline(r.model, nil)
	if err != nil {
		return err
	}
	r.pipeline.Judge = &verdict.Cascade{
		Offline: offline.Judge, Model: r.pipeline.Judge, Supported: o.SupportedFrom, Unsupported: o.UnsupportedFrom,
		Audit: *o.LLM.Audit, Seed: o.Seed, NeedsContext: semantic.NeedsContext,
	}
	return nil
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
	return fmt.Sprintf("--prescreen: the model agrees with %s of the audited verdicts (95%% interval up to %s), --calibration promises %s: calibrate with labelled rows of this dataset",
		report.Percent(i.Estimate, 1), report.Percent(i.Upper, 1), report.Percent(promised, 1))
}
