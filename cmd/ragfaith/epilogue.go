package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// notes say in a report how the results came about.
func (o *scoreOptions) notes(paths []string, threshold float64) []string {
	notes := append(named(paths), "--claims "+o.claims, "--judge "+o.judge, "--evidence "+o.evidence,
		"--threshold "+strconv.FormatFloat(threshold, 'g', -1, 64))
	if note := o.calibrationNote(); note != "" {
		notes = append(notes, note)
	}
	return notes
}

// named are the first of the paths, and how many more there are.
func named(paths []string) []string {
	const named = 5
	notes := append([]string(nil), paths[:min(len(paths), named)]...)
	if more := len(paths) - named; more > 0 {
		notes = append(notes, "and "+strconv.Itoa(more)+" more")
	}
	return notes
}

// An epilogue is what is written when all rows are there and the gates are known:
// the file of --summary, and what GitHub shows of a job.
type epilogue struct {
	options *outputOptions
	path    string           // of --summary
	file    *safefile.Output // of --summary; nil without one
	figures report.Figures
	github  *githubRun // nil outside of GitHub

	datasets, results []string // results are nil for a run that makes them
	settings          report.SummaryNames
	model             *model // nil for none
}

// newEpilogue begins what is written last, so that a file that can't be written
// is found first.
func newEpilogue(o *outputOptions, opts report.Options, github *githubRun, c *console) (*epilogue, error) {
	e := &epilogue{options: o, path: o.summary, github: github}
	if err := github.begin(opts, c); err != nil {
		return nil, err
	}
	if o.summary == "" {
		return e, nil
	}
	var err error
	e.file, err = safefile.CreateOutput(o.summary)
	return e, err
}

// summaryNames are settings as a summary has them: the datasets have their own place
// there.
func summaryNames(settled journal.Settings) report.SummaryNames {
	var names report.SummaryNames
	for _, setting := range settled {
		if name, _, _ := strings.Cut(setting.Name, " "); name != "dataset" {
			names = append(names, report.SummaryName{Name: setting.Name, Value: setting.Value})
		}
	}
	return names
}

// sinks are what has to see every row.
func (e *epilogue) sinks() []eval.Sink {
	var sinks []eval.Sink
	if e.file != nil {
		sinks = append(sinks, &e.figures)
	}
	return append(sinks, e.github.sinks()...)
}

// finish writes all but the annotations.
func (e *epilogue) finish(gates []report.Gate, means *report.Means) error {
	e.github.addSummary()
	if e.file == nil {
		return nil
	}
	s := e.figures.Summary(gates, means)
	s.Ragfaith, s.ExitCode, s.Settings, s.Results = version(), gateCode(gates), e.settings, e.results
	if e.datasets != nil {
		s.Datasets = e.datasets
	}
	if e.model != nil {
		s.Spent = e.model.total()
	}
	content, err := s.Bytes()
	if err != nil {
		return fmt.Errorf("%s: %w", e.path, err)
	}
	file := e.file
	e.file = nil
	if _, err := file.Write(content); err != nil {
		_, _ = file.Abandon(false) // it could not be written
		return fmt.Errorf("%s: %w", e.path, err)
	}
	return file.Commit()
}

// annotate shows on GitHub which gates failed, and the worst rows.
func (e *epilogue) annotate(gates []report.Gate) {
	e.github.annotate(gates, e.options.quiet)
}

// abandon gives up what is not finished.
func (e *epilogue) abandon() {
	if e.file != nil {
		_, _ = e.file.Abandon(false) // the run has failed already
		e.file = nil
	}
}

// total is what the run took from the language model.
func (m *model) total() *report.SummarySpent {
	s := &report.SummarySpent{
		Usage: result.Usage(m.stack.Meter.Total()), USD: report.NoFigure(), PromptLimit: m.stack.Limit(),
	}
	if m.price != nil {
		usd, _ := m.stack.Cost()
		s.USD = report.Figure(usd)
	}
	for _, d := range m.stack.Client.Downgrades() {
		s.Downgrades = append(s.Downgrades, report.SummaryDowngrade{From: d.From, To: d.To, Status: d.Status})
	}
	return s
}
