package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/journal"
	"github.com/ragfaith/ragfaith/internal/report"
)

// epilogueFlags adds the flags of what a run leaves behind beside its results.
func (o *scoreOptions) epilogueFlags(fs *pflag.FlagSet) {
	fs.StringVar(&o.summary, "summary", "", "write the figures, the settings and the outcome of the gates to a `file`, as JSON")
	fs.Var(oneOf(&o.github, "auto", "auto", "off"), "github", "what a job of GitHub Actions gets, as a `word`: auto adds a report to its summary and annotations to its log, off nothing")
}

// fileExtensions lists what -o takes.
func fileExtensions() string {
	var names []string
	for _, f := range report.FileFormats() {
		names = append(names, f.Extension())
	}
	return strings.Join(names, " ")
}

// checkSummary finds a --summary that would overwrite something else.
func (o *scoreOptions) checkSummary(paths []string) error {
	if o.summary == "" {
		return nil
	}
	for _, out := range o.output {
		if sameFile(o.summary, out) {
			return usagef("--summary %s and -o %s are the same file", o.summary, out)
		}
	}
	for _, in := range paths {
		if in != "-" && sameFile(o.summary, in) {
			return usagef("--summary %s would overwrite the dataset %s", o.summary, in)
		}
	}
	return nil
}

// notes say in a report how the results came about.
func (o *scoreOptions) notes(paths []string, threshold float64) []string {
	const named = 5 // datasets
	notes := append([]string(nil), paths[:min(len(paths), named)]...)
	if more := len(paths) - named; more > 0 {
		notes = append(notes, "and "+strconv.Itoa(more)+" more")
	}
	return append(notes, "--claims "+o.claims, "--judge "+o.judge, "--evidence "+o.evidence,
		"--threshold "+strconv.FormatFloat(threshold, 'g', -1, 64))
}

// An epilogue is what is written when all rows are there and the gates are known:
// the file of --summary, and what GitHub shows of a job.
type epilogue struct {
	options *scoreOptions
	path    string       // of --summary
	file    *report.File // of --summary; nil without one
	figures report.Figures
	github  *githubRun // nil outside of GitHub

	paths   []string
	settled journal.Settings
	model   *model // nil for none
}

// newEpilogue begins what is written last, so that a file that can't be written
// is found first.
func newEpilogue(o *scoreOptions, opts report.Options, github *githubRun, c *console) (*epilogue, error) {
	e := &epilogue{options: o, path: o.summary, github: github}
	if err := github.begin(opts, c); err != nil {
		return nil, err
	}
	if o.summary == "" {
		return e, nil
	}
	var err error
	e.file, err = report.Create(o.summary)
	return e, err
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
func (e *epilogue) finish(gates []report.Gate) error {
	e.github.addSummary()
	if e.file == nil {
		return nil
	}
	s := e.figures.Summary(gates)
	s.Ragfaith, s.Datasets, s.ExitCode = version(), e.paths, gateCode(gates)
	for _, setting := range e.settled {
		if name, _, _ := strings.Cut(setting.Name, " "); name != "dataset" { // they have their own place
			s.Settings = append(s.Settings, report.SummaryName{Name: setting.Name, Value: setting.Value})
		}
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
	u := m.stack.Meter.Total()
	s := &report.SummarySpent{
		SummaryUsage: report.SummaryUsage{
			Requests: u.Requests, PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens, CachedRequests: u.CachedRequests,
		},
		USD: report.NoFigure(),
	}
	if m.price != nil {
		usd, _ := m.stack.Cost()
		s.USD = report.Figure(usd)
	}
	return s
}
