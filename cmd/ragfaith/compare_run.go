package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"syscall"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/compare/page"
	"github.com/ragfaith/ragfaith/internal/compare/view"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

// runCompare does the work of "ragfaith compare".
func runCompare(ctx context.Context, o *compareOptions, paths [2]string, stdout, stderr io.Writer, sys system) error {
	if err := o.check(paths); err != nil {
		return err
	}
	if err := present(paths[:]); err != nil {
		return err
	}
	files, err := beginAll(o.output)
	if err != nil {
		return err
	}
	c, err := o.compare(ctx, paths)
	if err == nil {
		err = writeAll(files, c)
	}
	if err != nil {
		abandonAll(files)
		return err
	}
	say := &console{w: stderr}
	if o.to != "table" && o.to != "markdown" && !o.quiet { // these begin with the warnings
		for _, warning := range c.Warnings {
			say.say("warning: %s", warning.Text)
		}
	}
	if err := writeComparison(sys.guarded(o.to, stdout), o.to, c, tableWidth(stdout, sys)); err != nil &&
		!errors.Is(err, syscall.EPIPE) && !errors.Is(err, io.ErrClosedPipe) { // as after "| head -1"
		return fmt.Errorf("standard output: %w", err)
	}
	if c.Gate == nil {
		return nil
	}
	say.line("gate: " + c.Gate.Text + ": " + c.Gate.Outcome())
	if c.Gate.Note != "" && !o.quiet {
		say.line("gate: " + c.Gate.Note)
	}
	if !c.Gate.Passed {
		return &exitError{exitGate}
	}
	return nil
}

// compare reads both files and compares them.
func (o *compareOptions) compare(ctx context.Context, paths [2]string) (*compare.Comparison, error) {
	options := compare.Options{MaxDrop: o.maxDrop, Seed: o.seed}
	if o.alpha != nil {
		options.Alpha = *o.alpha
	}
	if o.cluster != "" {
		options.Cluster = func(r *result.Row) (string, bool) { return r.KeptText(o.cluster) }
	}
	var sources [2]compare.Source
	for i, path := range paths {
		var summary *report.Summary
		var err error
		if o.summaries[i] != "" {
			summary, err = resultfile.ReadSummary(o.summaries[i])
		} else {
			summary, err = resultfile.SummaryBeside(path)
		}
		if err != nil {
			return nil, err
		}
		wanted := resultfile.Options{OpenPipe: pipesUntilDone(ctx)}
		if summary != nil {
			wanted.Settings = summary.Settings
		}
		if i == 0 && o.cluster != "" {
			wanted.Keep = []string{o.cluster}
		}
		sources[i] = compare.Source{Name: path, Summary: summary, Rows: func() (iter.Seq2[*result.Row, error], error) {
			f, err := resultfile.Open(path, wanted)
			if err != nil {
				return nil, err
			}
			return f.Rows(), nil
		}}
	}
	c, err := compare.Run(ctx, sources[0], sources[1], options)
	if column := (*resultfile.ColumnError)(nil); errors.As(err, &column) {
		return nil, usagef("--cluster: %w", err)
	}
	return c, err
}

// writeComparison writes c in that format.
func writeComparison(w io.Writer, format string, c *compare.Comparison, width int) error {
	switch format {
	case "table":
		return view.Table(w, c, width)
	case "markdown", "md":
		return view.Markdown(w, c)
	case "json":
		return view.JSON(w, c, version())
	case "html":
		return page.Write(w, c)
	}
	return nil
}

// A comparisonFile is one of the files of -o.
type comparisonFile struct {
	path, format string
	file         *safefile.Output
}

// beginAll begins the files, or none of them.
func beginAll(paths []string) ([]*comparisonFile, error) {
	var files []*comparisonFile
	for _, path := range paths {
		format, err := compareFormat(path)
		if err != nil {
			return nil, err
		}
		f := &comparisonFile{path: path, format: format}
		if f.file, err = safefile.CreateOutput(path); err != nil {
			abandonAll(files)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// writeAll writes c into the files, which appear when all of them are complete.
func writeAll(files []*comparisonFile, c *compare.Comparison) error {
	for _, f := range files {
		if err := writeComparison(f.file, f.format, c, 0); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
	}
	for _, f := range files {
		file := f.file
		f.file = nil
		if err := file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// abandonAll gives up the files that have not appeared.
func abandonAll(files []*comparisonFile) {
	for _, f := range files {
		if f.file != nil {
			_, _ = f.file.Abandon(false) // something else has failed already
			f.file = nil
		}
	}
}
