package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A summaryWriter writes the summary file and the GitHub step summary after the gates
// have been evaluated.
type summaryWriter struct {
	options *outputOptions
	file    *safefile.Output // summary file, or nil without --summary
	stats   report.SummaryBuilder
	github  *githubStep // nil outside GitHub Actions

	datasets, results []string // input files; results is nil for "ragfaith score"
	digest            string   // of the rows of the datasets, or ""
	settings          result.Settings
	model             *model         // nil without a language model
	savings           *savings       // nil without --prescreen
	faithful          *faithfulShare // nil without a calibrated confidence
}

// newSummaryWriter creates the summary file, so that errors are found before the first
// row is scored.
func newSummaryWriter(o *outputOptions, opts report.Options, github *githubStep) (*summaryWriter, error) {
	w := &summaryWriter{options: o, github: github}
	if err := github.start(opts); err != nil || o.summary == "" {
		return w, err
	}
	var err error
	w.file, err = safefile.CreateOutput(o.summary)
	return w, err
}

// summarySettings returns the settings for a summary. It omits the datasets, which have
// their own field.
func summarySettings(settings result.Settings) result.Settings {
	return slices.DeleteFunc(slices.Clone(settings), func(s result.Setting) bool {
		name, _, _ := strings.Cut(s.Name, " ")
		return name == "dataset"
	})
}

// sinks returns the sinks that must receive every row.
func (w *summaryWriter) sinks() []eval.Sink {
	var sinks []eval.Sink
	if w.file != nil {
		sinks = append(sinks, &w.stats)
	}
	return append(sinks, w.github.sinks()...)
}

// finish writes the step summary and the summary file.
func (w *summaryWriter) finish(gates []report.Gate, means *report.Means) error {
	w.github.addSummary()
	if w.file == nil {
		return nil
	}
	s := w.stats.Summary(gates, means)
	s.Ragfaith, s.ExitCode, s.Settings, s.Results = version(), gateExitCode(gates), w.settings, w.results
	s.DatasetDigest = w.digest
	if w.datasets != nil {
		s.Datasets = w.datasets
	}
	if w.model != nil {
		s.Spent = w.model.spent()
	}
	if w.faithful != nil {
		s.FaithfulRows = new(w.faithful.interval())
	}
	if w.savings != nil {
		s.Prescreen = w.stats.Prescreen()
		s.Prescreen.Saved = report.NewSummarySaved(w.savings.usage)
	}
	content, err := s.Bytes()
	if err != nil {
		return fmt.Errorf("%s: %w", w.options.summary, err)
	}
	if _, err := w.file.Write(content); err != nil {
		w.discard()
		return fmt.Errorf("%s: %w", w.options.summary, err)
	}
	file := w.file
	w.file = nil
	return file.Commit()
}

// annotate adds annotations for failed gates and the worst rows on GitHub.
func (w *summaryWriter) annotate(gates []report.Gate) { w.github.annotate(gates, w.options.quiet) }

// discard removes an unfinished summary.
func (w *summaryWriter) discard() {
	if w.file != nil {
		_, _ = w.file.Abandon(false) // the run has failed already
		w.file = nil
	}
}

// runNotes returns the lines of a report that name the datasets and the main settings of a
// run.
func runNotes(datasets []string, settings result.Settings) []string {
	notes := firstPaths(datasets)
	for _, name := range []string{"--claims", "--judge", "--evidence", "--threshold"} {
		notes = append(notes, name+" "+settings.Get(name))
	}
	return notes
}

// pageSettings returns the settings of a run that an HTML report shows. Those in own follow
// the main ones.
func pageSettings(settings result.Settings, own ...result.Setting) []result.Setting {
	threshold := settings.Get("--threshold")
	if x, err := strconv.ParseFloat(threshold, 64); err == nil {
		threshold = report.Decimals(x, 1)
	}
	shown := append([]result.Setting{
		{Name: "judge", Value: settings.Get("--judge")},
		{Name: "threshold", Value: threshold},
		{Name: "claims", Value: settings.Get("--claims")},
		{Name: "evidence", Value: settings.Get("--evidence")},
	}, own...)
	for _, optional := range [][2]string{{"language model", "--model"}, {"server", "--base-url"}, {"profile", "--profile"}} {
		if value := settings.Get(optional[1]); value != "" {
			shown = append(shown, result.Setting{Name: optional[0], Value: value})
		}
	}
	return shown
}

// htmlSummary returns the means and gates for an HTML report. Like printGates, it omits the
// --max-failed gate if it passed.
func htmlSummary(gates []report.Gate, means *report.Means) html.Conclusion {
	c := html.Conclusion{Tables: means.Tables()}
	for _, m := range means.Format() {
		interval := html.Statistic{Name: "95% interval", Value: m.Interval, Note: m.Basis}
		if m.Interval == "" {
			interval.Value = "none"
		}
		if m.Of == "claims" {
			c.Statistics = append(c.Statistics, html.Statistic{Name: "mean of claims", Value: m.Estimate})
		}
		c.Statistics = append(c.Statistics, interval)
	}
	for _, g := range gates {
		if g.Name != report.GateMaxFailed || !g.Passed {
			g.Text += ": " + g.Outcome()
			c.Gates = append(c.Gates, g)
		}
	}
	return c
}

// summaryLines returns the counts and the means on one line, the share of uncertain verdicts
// on another if the judge gives confidences, and a line with the lowest groups of each column
// of --by.
func summaryLines(t *report.Tally, means *report.Means) []string {
	parts := []string{t.String()}
	for _, m := range means.Format() {
		part := "of claims " + m.Estimate
		if m.Of == "rows" {
			part = "mean faithfulness " + m.Estimate
		}
		switch {
		case m.Interval != "":
			part += " (95% interval " + m.Interval + ")"
		case m.Of == "rows":
			part += " (no 95% interval, " + m.Basis + ")"
		}
		parts = append(parts, part)
	}
	if cited := t.Cited(); cited != "" {
		parts = append(parts, "citations "+cited)
	}
	if marked := t.Marked(); marked != "" {
		parts = append(parts, "rows with marks: "+marked)
	}
	if prescreened := t.Prescreened(); prescreened != "" {
		parts = append(parts, "prescreen "+prescreened)
	}
	lines := []string{strings.Join(parts, ", ")}
	if confidence := t.Confidence(); confidence != "" {
		lines = append(lines, confidence)
	}
	for i := range means.By {
		lines = append(lines, report.DescribeGroups(&means.By[i]))
	}
	return lines
}
