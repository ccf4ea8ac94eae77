package app

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/verdict"
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
	format := func(x float64) string { return strconv.FormatFloat(math.Round(1000*x)/10, 'f', -1, 64) + "%" }
	return fmt.Sprintf("--prescreen: the model agrees with %s of the audited verdicts (95%% interval up to %s), --calibration promises %s: calibrate with labelled rows of this dataset",
		format(i.Estimate), format(i.Upper), format(promised))
}
