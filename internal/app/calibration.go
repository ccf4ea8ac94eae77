package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// checkCalibration returns an error for a calibration that was made for another judge.
func (o *Options) checkCalibration(settings result.Settings, warn func(error)) error {
	if o.Calibrated == nil {
		return nil
	}
	refused, doubtful := o.Calibrated.Match(withoutDatasets(settings), o.Version)
	if len(refused) > 0 {
		return exit.Usagef("--calibration %s was made for another judge: %s", o.Calibration, strings.Join(refused, "; "))
	}
	for _, d := range doubtful {
		warn(fmt.Errorf("--calibration %s may not apply: %s", o.Calibration, d))
	}
	return nil
}

// calibrationNote returns the description of the calibration in reports, or "" without
// one.
func (o *Options) calibrationNote() string {
	if o.Calibrated == nil {
		return ""
	}
	if o.Prescreens() {
		return "prescreen " + o.LLM.Prescreen + ": " + o.Calibrated.DescribeBounds()
	}
	return "calibration " + o.Calibrated.String()
}

// A calibratedJudge replaces the confidences of a judge by those that --calibration fitted
// to labels.
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
