package main

import (
	"strings"

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

// flags returns the flags that score and report share, without --quiet.
func (o *outputOptions) flags() []flagSpec {
	var streams []string
	for _, f := range report.StreamFormats() {
		streams = append(streams, string(f))
	}
	return []flagSpec{
		{name: "to", arg: "FORMAT", value: oneOf(&o.to, "table", streams...), found: "table none",
			help: "format written to stdout: " + orList(streams)},
		{name: "show", arg: "N", value: atLeast(&o.show, 0, 0), found: anyValue, help: "show the N worst and the first N failed rows below the table"},
		{name: "output", short: "o", arg: "FILE", value: &o.output, path: filePath, exts: fileExtensions(),
			help: "write results to FILE (atomically), by extension; repeatable"},
		{name: "summary", arg: "FILE", value: &o.summary, path: filePath, exts: []string{"json"}, help: "write figures, options and gates to FILE as JSON"},
		{name: "github", arg: "MODE", value: oneOf(&o.github, "auto", "auto", "off"), found: anyValue,
			help: "GitHub Actions summary and annotations: auto or off"},
	}
}

// fileExtensions returns the extensions of output files, without dots.
func fileExtensions() []string {
	var exts []string
	for _, f := range report.FileFormats() {
		exts = append(exts, strings.TrimPrefix(f.Extension(), "."))
	}
	return exts
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
