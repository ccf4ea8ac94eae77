package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

type reportOptions struct {
	output.Options

	concat  bool // value of --append
	partial bool

	showExplicit bool // --show was given on the command line
	limitsFailed bool // --max-failed was given
}

func newReport(sys system) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RESULTS...",
		Short: "Merge and render results, and check gates",
		Long: `Render results again, in any format, with their figures and gates; nothing is judged.

RESULTS are files written by score (.jsonl, .json, .csv, .tsv or .parquet, also
compressed), or - for standard input. Several files are merged by row index, so the
shards of a dataset become one run. If two files contain the same row, report fails;
use --append for results of different datasets.`,
		Example: `  ragfaith report results.jsonl -o report.html
  ragfaith report shard-*.jsonl -o results.jsonl --min-lower 0.8
  ragfaith report shard-*.jsonl.zst --to none --summary run.json --cluster document
  ragfaith report english.jsonl german.jsonl --append --to markdown`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error, 3 more failed rows than --max-failed,
4 gate not met, 130 interrupted.`},
		Args: someArgs("RESULTS argument: want a file written by score, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.showExplicit = explicit(cmd.Flags(), "show")
			o.limitsFailed = cmd.Flags().Changed("max-failed")
			o.Version = version()
			return runReport(cmd.Context(), &o, args, cmd.InOrStdin(), sys.streams(cmd, &o.Options))
		},
	}
	addFlags(cmd,
		flagGroup{"Input", []flagSpec{
			{"append", "", &o.concat, "concatenate results of different datasets, renumbering rows"},
		}},
		flagGroup{"Output", append(outputFlags(&o.Options), flagSpec{"quiet", "", &o.Quiet, "no warnings or figures on stderr"})},
		flagGroup{"Gates", append(gateFlags(&o.Options), []flagSpec{
			{"partial", "", &o.partial, "let gates pass although shards or rows are missing"},
			{"seed", "N", &o.Seed, "random seed of the intervals"},
		}...)})
	return cmd
}

// check reports invalid combinations of options and arguments.
func (o *reportOptions) check(paths []string) error {
	if err := checkStdinOnce(paths); err != nil {
		return err
	}
	inputs := slices.Clone(paths)
	for _, path := range paths {
		if summary := resultfile.SummaryPath(path); path != "-" && checkExist([]string{summary}) == nil {
			inputs = append(inputs, summary)
		}
	}
	if a, b, found := duplicate(withoutStdin(paths)); found {
		return exit.Usagef("%s and %s are the same file", a, b)
	}
	return errors.Join(checkGroups(&o.Options), checkShow(&o.Options, o.showExplicit), checkOutputs(&o.Options, "the results", inputs))
}

// A reportRun holds the state of one run of "ragfaith report".
type reportRun struct {
	options *reportOptions
	paths   []string
	console *console.Console
	origin  *resultfile.Origin
	out     *output.Writer
	missing int // rows that no file contains, up to the last row read
}

func runReport(ctx context.Context, o *reportOptions, paths []string, stdin io.Reader, streams *output.Streams) error {
	if err := o.check(paths); err != nil {
		return err
	}
	if err := checkExist(paths); err != nil {
		return err
	}
	origin, err := resultfile.OriginOf(paths)
	if err == nil && o.concat {
		err = origin.CheckAppended()
	} else if err == nil {
		err = origin.CheckDataset()
	}
	if errors.Is(err, resultfile.ErrDifferentOptions) {
		return &exit.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	r := &reportRun{options: o, paths: paths, origin: origin, console: streams.Console}
	// Open the outputs first: reading standard input may block.
	if r.out, err = output.New(&o.Options, streams, r.details(), nil); err != nil {
		return err
	}
	defer r.out.Discard()
	input := resultfile.Options{OpenPipe: safefile.OpenPipe(ctx)}
	if slices.Contains(paths, "-") {
		input.Stdin = safefile.Interruptible(ctx, stdin)
	}
	files, err := openResults(paths, origin, input)
	if err == nil {
		err = r.write(ctx, files)
	}
	return r.finish(err)
}

// openResults opens the files that contain rows. On error, it closes those it opened.
func openResults(paths []string, origin *resultfile.Origin, opts resultfile.Options) ([]*resultfile.File, error) {
	var files []*resultfile.File
	for _, path := range paths {
		opts.Summary, opts.SummaryPath = origin.SummaryOf(path), resultfile.SummaryPath(path)
		f, err := resultfile.Open(path, opts)
		if errors.Is(err, dataset.ErrEmpty) && opts.Summary != nil && opts.Summary.Rows.Total == 0 {
			continue // the shard of a small dataset
		}
		if err != nil {
			for _, f := range files {
				f.Close()
			}
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// write copies the rows of all files to every sink.
func (r *reportRun) write(ctx context.Context, files []*resultfile.File) error {
	rows := resultfile.Merge
	if r.options.concat {
		rows = resultfile.Append
	}
	// Results don't contain the dataset of a row.
	dataset := "results"
	if len(r.origin.Datasets) == 1 {
		dataset = r.origin.Datasets[0]
	}
	needed, next := r.options.KeptColumns(), 0
	empty := true
	for row, err := range rows(files) {
		empty = false
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
		if row.Reason != result.StageRead { // a row that could not be read has no columns
			for _, c := range needed {
				if row.KeptValue(c.Name) == nil {
					return exit.Usagef("%s %s: the first row has no such column; score with --keep %s to keep it", c.Flag, c.Name, c.Name)
				}
			}
			needed = nil
		}
		r.missing += row.Index - next
		next = row.Index + 1
		row.File = dataset
		if err := r.out.Write(row); err != nil {
			return err
		}
	}
	if empty {
		return fmt.Errorf("%s: no results", strings.Join(r.paths, ", "))
	}
	return nil
}

// finish completes the outputs after err, and returns the exit code as an error.
func (r *reportRun) finish(err error) error {
	if err != nil {
		_, abandonErr := r.out.Abandon(false)
		if errors.Is(err, output.ErrStdoutClosed) { // stdout is the only output
			return abandonErr
		}
		return errors.Join(err, abandonErr)
	}
	if err := r.out.Finish(); err != nil {
		return err
	}
	err = r.out.Conclude(func(s *report.Summary) {
		s.Results, s.Settings, s.DatasetDigest = r.paths, r.origin.Settings, r.origin.Digest
		if r.origin.Datasets != nil {
			s.Datasets = r.origin.Datasets
		}
	})
	if err != nil {
		return err
	}
	if !r.options.Quiet {
		if what, hint, n := r.incomplete(); n > 0 {
			r.console.Printf("warning: %s: %s", what, hint)
		}
		if unchecked := r.origin.Unchecked; len(unchecked) > 0 && !r.options.concat {
			r.console.Printf("warning: %s: no summary with a dataset digest beside it: cannot check that all files are from the same dataset", unchecked[0])
		}
		for _, w := range r.options.Gates.Warnings(r.out.Tally) {
			r.console.Printf("warning: %s", w)
		}
		for _, line := range r.out.Lines() {
			r.console.Println(line)
		}
	}
	return r.out.PrintGates()
}

// partialGate returns a failed gate if gates can't be decided without the missing rows.
func (r *reportRun) partialGate() []report.Gate {
	what, _, n := r.incomplete()
	if n == 0 || !r.options.Gates.Any() && !r.options.limitsFailed || r.options.partial {
		return nil
	}
	return []report.Gate{{Name: report.GatePartial, Value: float64(n), Text: what + " (use --partial to allow this)"}}
}

// incomplete describes and counts the missing shards or rows of the run, with a hint; 1 for an unfinished file.
func (r *reportRun) incomplete() (what, hint string, n int) {
	selects := slices.ContainsFunc(r.origin.Settings, result.Setting.SelectsRows)
	unfinished := slices.IndexFunc(r.paths, func(path string) bool { return strings.HasSuffix(path, safefile.PartSuffix) })
	switch {
	case unfinished >= 0:
		return r.paths[unfinished] + " is of an unfinished run", "the figures cover only some of the rows", 1
	case r.origin.Missing > 0:
		return "no file for shard " + report.FirstOf(r.origin.FirstMissing, r.origin.Missing), "the figures cover only some of the rows", r.origin.Missing
	case r.missing > 0 && !selects:
		return report.Count(r.missing, "row is", "rows are") + " missing before the last row", "is a shard missing?", r.missing
	}
	return "", "", 0
}

// details describe the run in its reports.
func (r *reportRun) details() output.Details {
	d := output.Details{KeepAll: true, Notes: output.FirstPaths(r.paths), Page: html.Run{Datasets: r.paths}, Partial: r.partialGate}
	if r.origin.Known {
		d.Keep, d.KeepAll = r.kept()
		d.Notes = output.Notes(r.origin.Datasets, r.origin.Settings)
		d.Page = html.Run{Datasets: r.origin.Datasets, Settings: output.PageSettings(r.origin.Settings)}
	}
	return d
}

// kept returns the kept columns in the order of the run; all is true for --keep all.
func (r *reportRun) kept() (columns []string, all bool) {
	for _, s := range r.origin.Settings {
		if name, _, _ := strings.Cut(s.Name, " "); name != "--keep" {
			continue
		}
		if s.Value == "all" {
			return nil, true
		}
		columns = append(columns, s.Value)
	}
	return columns, false
}
