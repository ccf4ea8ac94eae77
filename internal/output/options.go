// Package output writes the results of score and report: to standard output, files, a
// summary and GitHub Actions.
package output

import (
	"io"
	"slices"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
)

// Options are the options that score and report share.
type Options struct {
	To      string   // format of standard output, one of report.StreamFormats
	Sort    string   // order of the table: SortScore or SortNone
	Show    int      // rows to show in full: the Show worst and the first Show failed ones
	Files   []string // result files, whose extensions determine their formats
	Summary string   // summary file, or ""
	GitHub  string   // auto, or off for no step summary, outputs and annotations
	Quiet   bool     // no warnings and statistics on standard error
	Version string   // of the program, for summaries

	Gates   report.Thresholds
	Cluster string   // column whose values are the units of intervals; "" for rows
	By      []string // columns whose groups get means
	Seed    uint64   // random seed of the intervals; score also samples and audits with it
}

// Values of Options.Sort.
const (
	SortScore = "score" // lowest first
	SortNone  = "none"
)

// JSONL returns the first JSONL file, which a later run can resume, or "".
func (o *Options) JSONL() string {
	for _, path := range o.Files {
		if format, err := report.FormatOf(path); err == nil && format == report.FormatJSONL {
			return path
		}
	}
	return ""
}

// A Column is a column that groups rows, and the flag that names it.
type Column struct{ Flag, Name string }

// Columns returns the columns of Cluster and By.
func (o *Options) Columns() []Column {
	var all []Column
	if o.Cluster != "" {
		all = append(all, Column{"--cluster", o.Cluster})
	}
	for _, name := range o.By {
		all = append(all, Column{"--by", name})
	}
	return all
}

// KeptColumns returns the columns of the dataset that group rows, which results must
// keep. It omits the fields that results contain anyway.
func (o *Options) KeptColumns() []Column {
	return slices.DeleteFunc(o.Columns(), func(c Column) bool { return slices.Contains(report.GroupFields(), c.Name) })
}

// Streams are standard output and standard error, and how to write to them.
type Streams struct {
	Stdout  io.Writer
	Width   int // maximum columns of a table; 0 for the default
	Palette report.Palette
	Marks   bool // show a symbol for the verdict of each claim
	Console *console.Console
	Bar     bool // standard error can show a progress bar

	// Commands is standard error for workflow commands; nil outside of GitHub Actions.
	Commands io.Writer
	// The files that GITHUB_STEP_SUMMARY and GITHUB_OUTPUT name, or "".
	StepSummary, StepOutput string
}

// Warner returns a function that writes warnings, or discards them with Quiet.
func (o *Options) Warner(c *console.Console) func(error) {
	if o.Quiet {
		return func(error) {}
	}
	return c.Warn
}

// Details describe a run in its reports.
type Details struct {
	Keep    []string // columns of the dataset to write
	KeepAll bool
	Notes   []string // datasets and main options
	Foot    string   // text below the table, or ""
	Page    html.Run // of an HTML report; its Tally and Gates are set by New
	// Partial returns a failed gate if rows of the run are missing. It may be nil.
	Partial func() []report.Gate
}
