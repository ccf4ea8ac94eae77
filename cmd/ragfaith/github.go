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
	"github.com/ragfaith/ragfaith/internal/safefile"
)

const (
	// maxStepSummary is GitHub's size limit for a step summary. GitHub discards larger summaries.
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

// addSummary appends the report to the step summary. Errors are printed as warnings, not
// returned.
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
	var annotations []report.Annotation
	for i := range gates {
		if !gates[i].Passed {
			annotations = append(annotations, report.GateAnnotation(&gates[i]))
		}
	}
	if !quiet {
		annotations = append(annotations, g.worst.Annotations(sourceLine)...)
	}
	var b bytes.Buffer
	for _, n := range annotations[:min(len(annotations), maxAnnotations)] {
		b.WriteString(n.Command() + "\n")
	}
	g.console.WriteRaw(g.commands, b.Bytes())
}

// sourceLine returns the file and line of a row, or "" and 0 if the file is not text.
func sourceLine(file string, line int) (string, int) {
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
// inject other outputs. Errors are printed as warnings, not returned.
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
