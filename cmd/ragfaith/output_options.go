package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/ragfaith/ragfaith/internal/report"
)

// outputOptions are the flags of what results are written to, and of what is left
// behind beside them.
type outputOptions struct {
	to      string
	show    int
	output  []string
	summary string
	github  string
	quiet   bool
}

// addFlags adds the flags but for --quiet, which says more than what is written.
func (o *outputOptions) addFlags(fs *pflag.FlagSet) {
	var streams []string
	for _, f := range report.StreamFormats() {
		streams = append(streams, string(f))
	}
	fs.Var(oneOf(&o.to, "table", streams...), "to", "what standard output gets, as a `format`: "+strings.Join(streams, ", "))
	fs.Var(atLeast(&o.show, 0, 0), "show", "show the `N` rows with the lowest faithfulness below the table, with claims, verdicts, reasons and quotes, and the first N that failed")
	fs.StringArrayVarP(&o.output, "output", "o", nil, "write the results to a `file` ("+fileExtensions()+") that appears when it is complete; repeatable")
	fs.StringVar(&o.summary, "summary", "", "write the figures, the settings and the outcome of the gates to a `file`, as JSON")
	fs.Var(oneOf(&o.github, "auto", "auto", "off"), "github", "what a job of GitHub Actions gets, as a `word`: auto adds a report to its summary and annotations to its log, off nothing")
}

// fileExtensions lists those of the formats that a file can have.
func fileExtensions() string {
	var names []string
	for _, f := range report.FileFormats() {
		names = append(names, f.Extension())
	}
	return strings.Join(names, " ")
}

// checkShow finds a --show without a table to be below of. typed says that it was
// given on the command line.
func (o *outputOptions) checkShow(typed bool) error {
	if o.show > 0 && typed && report.Format(o.to) != report.FormatTable {
		return usagef("--show needs --to table, and this is --to %s", o.to)
	}
	return nil
}

// checkOutputs finds files that can't be written or would overwrite others. The
// inputs are what is read, and what names them in a message.
func (o *outputOptions) checkOutputs(what string, inputs []string) error {
	for _, out := range o.output {
		if _, err := report.FormatOf(out); err != nil {
			return &usageError{err}
		}
	}
	var files []target
	if o.summary != "" {
		files = append(files, target{"--summary", o.summary})
	}
	return checkOverwrites(append(files, targets(o.output)...), what+" ", inputs)
}

func isJSONL(path string) bool {
	format, err := report.FormatOf(path)
	return err == nil && format == report.FormatJSONL
}
