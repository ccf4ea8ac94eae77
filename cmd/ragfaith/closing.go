package main

import (
	"fmt"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// A closing is what is written after all rows, when the outcome of the gates is known:
// the file of --summary and the summary of a GitHub step.
type closing struct {
	options *outputOptions
	file    *safefile.Output // of --summary; nil without one
	figures report.Figures
	github  *githubStep // nil outside of GitHub Actions

	datasets, results []string // results are nil for a run that makes them
	settings          report.SummaryNames
	model             *model // nil for none
}

// newClosing creates the file of --summary, so that an error is found before the first
// row.
func newClosing(o *outputOptions, opts report.Options, github *githubStep) (*closing, error) {
	c := &closing{options: o, github: github}
	if err := github.start(opts); err != nil || o.summary == "" {
		return c, err
	}
	var err error
	c.file, err = safefile.CreateOutput(o.summary)
	return c, err
}

// summarySettings returns settings as a summary stores them: without the datasets,
// which have their own field.
func summarySettings(settings journal.Settings) report.SummaryNames {
	var names report.SummaryNames
	for _, s := range settings {
		if name, _, _ := strings.Cut(s.Name, " "); name != "dataset" {
			names = append(names, report.SummaryName{Name: s.Name, Value: s.Value})
		}
	}
	return names
}

// sinks returns what has to receive every row.
func (c *closing) sinks() []eval.Sink {
	var sinks []eval.Sink
	if c.file != nil {
		sinks = append(sinks, &c.figures)
	}
	return append(sinks, c.github.sinks()...)
}

// finish writes everything but the annotations.
func (c *closing) finish(gates []report.Gate, means *report.Means) error {
	c.github.addSummary()
	if c.file == nil {
		return nil
	}
	s := c.figures.Summary(gates, means)
	s.Ragfaith, s.ExitCode, s.Settings, s.Results = version(), gateExitCode(gates), c.settings, c.results
	if c.datasets != nil {
		s.Datasets = c.datasets
	}
	if c.model != nil {
		s.Spent = c.model.spent()
	}
	content, err := s.Bytes()
	if err != nil {
		return fmt.Errorf("%s: %w", c.options.summary, err)
	}
	if _, err := c.file.Write(content); err != nil {
		c.abandon()
		return fmt.Errorf("%s: %w", c.options.summary, err)
	}
	file := c.file
	c.file = nil
	return file.Commit()
}

// annotate adds annotations for failed gates and the worst rows on GitHub.
func (c *closing) annotate(gates []report.Gate) { c.github.annotate(gates, c.options.quiet) }

// abandon removes an unfinished summary.
func (c *closing) abandon() {
	if c.file != nil {
		_, _ = c.file.Abandon(false) // the run has failed already
		c.file = nil
	}
}

// pageConclusion returns the means and gates of an HTML report. Like standard error,
// it leaves out the gate of failed rows if that passed.
func pageConclusion(gates []report.Gate, means *report.Means) html.Conclusion {
	var end html.Conclusion
	for _, m := range means.Format() {
		interval := html.Figure{Name: "95% interval", Value: m.Interval, Note: m.Basis}
		if m.Interval == "" {
			interval.Value = "none"
		}
		if m.Of == "claims" {
			end.Figures = append(end.Figures, html.Figure{Name: "mean of claims", Value: m.Estimate})
		}
		end.Figures = append(end.Figures, interval)
	}
	for _, g := range gates {
		if g.Name != report.GateMaxFailed || !g.Passed {
			end.Gates = append(end.Gates, html.Gate{Text: g.Text + ": " + g.Outcome(), Passed: g.Passed})
		}
	}
	return end
}
