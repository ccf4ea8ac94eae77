package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// stepSummaryMost is how many bytes the summary of a step may have; GitHub
	// shows nothing of a longer one.
	stepSummaryMost = 1 << 20
	// annotationsMost is how many annotations of a kind GitHub shows of a step.
	annotationsMost = 10
)

// A githubRun is a run as a step of a workflow of GitHub Actions. It adds a report
// to the summary of the step, outputs to the step and annotations to its log. A nil
// one does nothing.
type githubRun struct {
	stepSummary string // the file that GITHUB_STEP_SUMMARY names; "" for none
	outputs     string // the file that GITHUB_OUTPUT names; "" for none
	commands    io.Writer
	console     *console
	report      report.Writer
	text        bytes.Buffer
	worst       *report.Worst
}

// githubRun returns nil outside of GitHub Actions, and with --github off.
func (o *outputOptions) githubRun(sys system) *githubRun {
	if sys.commands == nil || o.github == "off" {
		return nil
	}
	summary, _ := sys.LookupEnv("GITHUB_STEP_SUMMARY")
	outputs, _ := sys.LookupEnv("GITHUB_OUTPUT")
	return &githubRun{stepSummary: summary, outputs: outputs, commands: sys.commands}
}

// guarded is standard output in which no text of a dataset is a command to GitHub
// Actions. It is only changed if it is for a person.
func (s system) guarded(to string, stdout io.Writer) io.Writer {
	if s.commands != nil && to == "table" {
		return report.NewActionsGuard(stdout)
	}
	return stdout
}

// begin makes ready for the first row.
func (g *githubRun) begin(opts report.Options, c *console) (err error) {
	if g == nil {
		return nil
	}
	g.console, g.worst = c, report.NewWorst(annotationsMost)
	if g.stepSummary != "" {
		g.report, err = report.New(report.FormatMarkdown, &g.text, opts)
	}
	return err
}

// sinks are what has to see every row.
func (g *githubRun) sinks() []eval.Sink {
	switch {
	case g == nil:
		return nil
	case g.report == nil:
		return []eval.Sink{g.worst}
	}
	return []eval.Sink{g.worst, g.report}
}

// addSummary appends the report to the summary of the step. That it can't be
// done does not fail the run.
func (g *githubRun) addSummary() {
	if g == nil || g.report == nil {
		return
	}
	err := g.report.Close()
	if err == nil {
		err = g.appendSummary()
	}
	if err != nil {
		g.console.say("warning: the summary of the step is left as it is: %v", err)
	}
}

func (g *githubRun) appendSummary() error {
	file, err := safefile.OpenFile(g.stepSummary, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
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
	if info.Size()+int64(len(text)) > stepSummaryMost {
		return fmt.Errorf("%s has %d bytes already, and may have %d", g.stepSummary, info.Size(), stepSummaryMost)
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// annotate writes commands that make GitHub show the gates that failed and, but
// for quiet, the rows that failed and those with the lowest faithfulness.
func (g *githubRun) annotate(gates []report.Gate, quiet bool) {
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
		notes = append(notes, g.worst.Annotations(lineOf)...)
	}
	var b bytes.Buffer
	for _, n := range notes[:min(len(notes), annotationsMost)] {
		b.WriteString(n.Command() + "\n")
	}
	g.console.raw(g.commands, b.Bytes())
}

// lineOf returns where in a file a person finds a row, which is nowhere in one
// that is not text.
func lineOf(file string, line int) (string, int) {
	if slices.Contains([]string{".jsonl", ".ndjson", ".json", ".csv", ".tsv"}, strings.ToLower(filepath.Ext(file))) {
		return file, line
	}
	return "", 0
}
