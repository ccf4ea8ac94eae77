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

// A summaryWriter writes the summary file and the GitHub step summary after the gates
// have been evaluated.
type summaryWriter struct {
	options *outputOptions
	file    *safefile.Output // summary file, or nil without --summary
	figures report.Figures
	github  *githubStep // nil outside GitHub Actions

	datasets, results []string // input files; results is nil for "ragfaith score"
	settings          setting.List
	model             *model // nil without a language model
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
func summarySettings(settings setting.List) setting.List {
	return slices.DeleteFunc(slices.Clone(settings), func(s setting.Setting) bool {
		name, _, _ := strings.Cut(s.Name, " ")
		return name == "dataset"
	})
}

// sinks returns the sinks that must receive every row.
func (w *summaryWriter) sinks() []eval.Sink {
	var sinks []eval.Sink
	if w.file != nil {
		sinks = append(sinks, &w.figures)
	}
	return append(sinks, w.github.sinks()...)
}

// finish writes the step summary and the summary file.
func (w *summaryWriter) finish(gates []report.Gate, means *report.Means) error {
	w.github.addSummary()
	if w.file == nil {
		return nil
	}
	s := w.figures.Summary(gates, means)
	s.Ragfaith, s.ExitCode, s.Settings, s.Results = version(), gateExitCode(gates), w.settings, w.results
	if w.datasets != nil {
		s.Datasets = w.datasets
	}
	if w.model != nil {
		s.Spent = w.model.spent()
	}
	content, err := s.Bytes()
	if err != nil {
		return fmt.Errorf("%s: %w", w.options.summary, err)
	}
	if _, err := w.file.Write(content); err != nil {
		w.abandon()
		return fmt.Errorf("%s: %w", w.options.summary, err)
	}
	file := w.file
	w.file = nil
	return file.Commit()
}

// annotate adds annotations for failed gates and the worst rows on GitHub.
func (w *summaryWriter) annotate(gates []report.Gate) { w.github.annotate(gates, w.options.quiet) }

// abandon removes an unfinished summary.
func (w *summaryWriter) abandon() {
	if w.file != nil {
		_, _ = w.file.Abandon(false) // the run has failed already
		w.file = nil
	}
}

// htmlConclusion returns the means and gates of an HTML report. It omits --max-failed if
// that passed, as printGates does.
func htmlConclusion(gates []report.Gate, means *report.Means) html.Conclusion {
	c := html.Conclusion{Tables: means.Tables()}
	for _, m := range means.Format() {
		interval := html.Figure{Name: "95% interval", Value: m.Interval, Note: m.Basis}
		if m.Interval == "" {
			interval.Value = "none"
		}
		if m.Of == "claims" {
			c.Figures = append(c.Figures, html.Figure{Name: "mean of claims", Value: m.Estimate})
		}
		c.Figures = append(c.Figures, interval)
	}
	for _, g := range gates {
		if g.Name != report.GateMaxFailed || !g.Passed {
			c.Gates = append(c.Gates, html.Gate{Text: g.Text + ": " + g.Outcome(), Passed: g.Passed})
		}
	}
	return c
}

// summaryLines returns the counts and the means on one line, and the lowest groups of each
// column of --by on another.
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
	lines := []string{strings.Join(parts, ", ")}
	for i := range means.By {
		b := &means.By[i]
		lines = append(lines, "mean faithfulness by "+report.Clip(b.Column, maxGateColumn)+": "+firstGroups(b.Groups, 0))
	}
	return lines
}

const (
	// maxStepSummary is GitHub's size limit for a step summary. It drops longer ones.
	maxStepSummary = 1 << 20
	// maxAnnotations is GitHub's limit on annotations of each kind per step.
	maxAnnotations = 10
)

// A githubStep is a step of a GitHub Actions workflow. It writes a report to the step
// summary, sets outputs of the step and adds annotations to its log. The methods of a
// nil githubStep do nothing.
type githubStep struct {
	summaryFile string    // GITHUB_STEP_SUMMARY, or ""
	outputFile  string    // GITHUB_OUTPUT, or ""
	commands    io.Writer // standard error, for workflow commands
	console     *console.Console
	report      report.Writer
	text        bytes.Buffer
	worst       *report.Worst
}

// newGithubStep returns nil outside GitHub Actions and with --github off.
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

// sinks returns the sinks that must receive every row.
func (g *githubStep) sinks() []eval.Sink {
	switch {
	case g == nil:
		return nil
	case g.report == nil:
		return []eval.Sink{g.worst}
	}
	return []eval.Sink{g.worst, g.report}
}

// addSummary appends the report to the step summary. Errors are only printed.
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
// has an interval, and passed. No output contains text from the dataset, which could
// inject other outputs. Errors are only printed.
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
