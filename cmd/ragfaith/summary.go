package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/safefile"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// A summaryWriter writes what follows the rows, when the outcome of the gates is known:
// the file of --summary and the summary of a GitHub step.
type summaryWriter struct {
	options *outputOptions
	file    *safefile.Output // of --summary; nil without one
	figures report.Figures
	github  *githubStep // nil outside of GitHub Actions

	datasets, results []string // results are nil for a run that makes them
	settings          setting.List
	model             *model // nil for none
}

// newSummaryWriter creates the file of --summary, so that an error is found before the first
// row.
func newSummaryWriter(o *outputOptions, opts report.Options, github *githubStep) (*summaryWriter, error) {
	c := &summaryWriter{options: o, github: github}
	if err := github.start(opts); err != nil || o.summary == "" {
		return c, err
	}
	var err error
	c.file, err = safefile.CreateOutput(o.summary)
	return c, err
}

// summarySettings returns settings as a summary stores them: without the datasets,
// which have their own field.
func summarySettings(settings setting.List) setting.List {
	return slices.DeleteFunc(slices.Clone(settings), func(s setting.Setting) bool {
		name, _, _ := strings.Cut(s.Name, " ")
		return name == "dataset"
	})
}

// sinks returns what has to receive every row.
func (c *summaryWriter) sinks() []eval.Sink {
	var sinks []eval.Sink
	if c.file != nil {
		sinks = append(sinks, &c.figures)
	}
	return append(sinks, c.github.sinks()...)
}

// finish writes everything but the annotations.
func (c *summaryWriter) finish(gates []report.Gate, means *report.Means) error {
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
func (c *summaryWriter) annotate(gates []report.Gate) { c.github.annotate(gates, c.options.quiet) }

// abandon removes an unfinished summary.
func (c *summaryWriter) abandon() {
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

// summaryLine returns the counts and the means on one line.
func summaryLine(t *report.Tally, means *report.Means) string {
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
	return strings.Join(parts, ", ")
}

const (
	// maxStepSummary is the size limit of a step summary; GitHub shows nothing of a
	// longer one.
	maxStepSummary = 1 << 20
	// maxAnnotations is how many annotations of a kind GitHub shows per step.
	maxAnnotations = 10
)

// A githubStep is a step of a GitHub Actions workflow. It writes a report to the step
// summary, sets outputs of the step and adds annotations to its log. The methods of a
// nil githubStep do nothing.
type githubStep struct {
	summaryFile string    // GITHUB_STEP_SUMMARY; "" for none
	outputFile  string    // GITHUB_OUTPUT; "" for none
	commands    io.Writer // standard error, for workflow commands
	console     *console.Console
	report      report.Writer
	text        bytes.Buffer
	worst       *report.Worst
}

// newGithubStep returns nil outside of GitHub Actions and with --github off.
func newGithubStep(o *outputOptions, sys system, c *console.Console) *githubStep {
	if sys.commands == nil || o.github == "off" {
		return nil
	}
	return &githubStep{
		summaryFile: sys.getenv("GITHUB_STEP_SUMMARY"), outputFile: sys.getenv("GITHUB_OUTPUT"),
		commands: sys.commands, console: c, worst: report.NewWorst(maxAnnotations),
	}
}

// start prepares the report of the step summary.
func (g *githubStep) start(opts report.Options) (err error) {
	if g != nil && g.summaryFile != "" {
		g.report, err = report.New(report.FormatMarkdown, &g.text, opts)
	}
	return err
}

// sinks returns what has to receive every row.
func (g *githubStep) sinks() []eval.Sink {
	switch {
	case g == nil:
		return nil
	case g.report == nil:
		return []eval.Sink{g.worst}
	}
	return []eval.Sink{g.worst, g.report}
}

// addSummary appends the report to the step summary. An error does not fail the run.
func (g *githubStep) addSummary() {
	if g == nil || g.report == nil {
		return
	}
	err := g.report.Close()
	if err == nil {
		err = g.appendSummary()
	}
	if err != nil {
		g.console.Printf("warning: can't write the step summary: %v", err)
	}
}

func (g *githubStep) appendSummary() error {
	file, err := openAppend(g.summaryFile)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	text := g.text.Bytes()
	if info.Size() > 0 {
		text = append([]byte("\n"), text...)
	}
	if info.Size()+int64(len(text)) > maxStepSummary {
		return fmt.Errorf("%s has %d bytes already; the limit is %d", g.summaryFile, info.Size(), maxStepSummary)
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// annotate adds annotations for gates that failed and, unless quiet, for rows that
// failed and those with the lowest faithfulness.
func (g *githubStep) annotate(gates []report.Gate, quiet bool) {
	if g == nil {
		return
	}
	var notes []report.Annotation
	for i := range gates {
		if !gates[i].Passed {
			notes = append(notes, report.GateAnnotation(&gates[i]))
		}
	}
	if !quiet {
		notes = append(notes, g.worst.Annotations(textLine)...)
	}
	var b bytes.Buffer
	for _, n := range notes[:min(len(notes), maxAnnotations)] {
		b.WriteString(n.Command() + "\n")
	}
	g.console.WriteRaw(g.commands, b.Bytes())
}

// textLine returns the file and line of a row, or "" and 0 if the file is not text.
func textLine(file string, line int) (string, int) {
	if slices.Contains([]string{".jsonl", ".ndjson", ".json", ".csv", ".tsv"}, strings.ToLower(filepath.Ext(file))) {
		return file, line
	}
	return "", 0
}

func openAppend(path string) (*os.File, error) {
	return safefile.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// setOutputs sets the outputs of the step: mean if a row was scored, lower if the mean
// has an interval, and passed. None contains text of the dataset, which might set
// other outputs. An error does not fail the run.
func (g *githubStep) setOutputs(t *report.Tally, means *report.Means, gates []report.Gate) {
	if g == nil || g.outputFile == "" {
		return
	}
	var text strings.Builder
	for _, f := range []struct {
		name  string
		value float64
	}{{"mean", t.Faithfulness.Mean()}, {"lower", means.Rows.Lower}} {
		if !math.IsNaN(f.value) {
			text.WriteString(f.name + "=" + strconv.FormatFloat(f.value, 'f', -1, 64) + "\n")
		}
	}
	text.WriteString("passed=" + strconv.FormatBool(gateExitCode(gates) == exitOK) + "\n")
	file, err := openAppend(g.outputFile)
	if err == nil {
		_, err = file.WriteString(text.String())
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		g.console.Printf("warning: can't set the outputs of the step: %v", err)
	}
}
