package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/app"
	"github.com/ragfaith/ragfaith/internal/calibrate"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

type calibrateOptions struct {
	label, labels string
	positiveAt    *float64
	maxError      *float64
	settings      string
	seed          uint64
	to            string
	output        []string
	quiet         bool
}

func newCalibrate(sys system) *cobra.Command {
	o := calibrateOptions{maxError: new(calibrate.DefaultMaxError)}
	cmd := &cobra.Command{
		Use:   "calibrate RESULTS --label COLUMN",
		Short: "Compare the judge with human labels",
		Long: `Compare the judge with human labels: how well the scores of a run agree with them,
which threshold fits best, and the mean faithfulness corrected for the judge's errors.

RESULTS is a file written by score. Labels are a column of it (score --keep COLUMN), or
a file with row ids. A label is 1 or 0, true or false, yes or no, faithful or
unfaithful, or a number that is higher for more faithful answers. Rows without a label
count only for the mean.

-o FILE.json writes a calibration: the threshold for score --calibration, and the
bounds for score --prescreen with the same judge.`,
		Example: `  ragfaith score dataset.jsonl --keep label -o results.jsonl --summary results.summary.json
  ragfaith calibrate results.jsonl --label label -o calibration.json
  ragfaith score new.jsonl --calibration calibration.json
  ragfaith calibrate results.parquet --labels people.csv --label stars --positive-at 4`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error, 130 interrupted.`},
		Args:        argCount(1, 1, "one RESULTS file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCalibrate(cmd.Context(), &o, args[0], cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	addFlags(cmd,
		flagGroup{"Labels", []flagSpec{
			{"label", "COLUMN", &o.label, "column of the labels (required)"},
			{"labels", "FILE", &o.labels, "dataset with row ids and labels (default: RESULTS)"},
			{"positive-at", "RATING", flagvalue.Float(&o.positiveAt), "lowest rating of a faithful row, if labels are ratings"},
			{"max-error", "SHARE", flagvalue.Proportion(&o.maxError), "share of wrong verdicts to accept from score --prescreen"},
			{"settings", "FILE", &o.settings, "summary of the run (default: NAME.summary.json next to RESULTS)"},
			{"seed", "N", &o.seed, "random seed"},
		}},
		flagGroup{"Output", []flagSpec{
			formatFlag(&o.to, "table", "markdown", "json", "none"),
			{"output", "FILE", &o.output, "write the calibration (.json) or report (.md, .html); repeatable"},
			{"quiet", "", &o.quiet, "no warnings or notes on stderr"},
		}})
	return cmd
}

func runCalibrate(ctx context.Context, o *calibrateOptions, path string, stdin io.Reader, stdout, stderr io.Writer, sys system) error {
	if err := o.check(path); err != nil {
		return err
	}
	if o.labels == "" {
		o.label = app.KeptName(o.label)
	}
	console := console.New(stderr, report.Palette{})
	warn := console.Warn
	if o.quiet {
		warn = func(error) {}
	}
	summary, err := runSummary(path, o.settings)
	if err != nil {
		return err
	}
	var settings result.Settings
	if summary != nil {
		settings = summary.Settings
	}
	if settings == nil && o.writesCalibration() {
		return exit.Usagef("%s: a calibration needs the judge of the run: score with --summary %s, or name the summary with --settings",
			path, filepath.Base(resultfile.SummaryPath(path)))
	}
	var c *calibrate.Calibration
	r, err := writeRenderings(o.output, func() (rendering, error) {
		if path == "-" || o.labels == "-" {
			stdin = safefile.Interruptible(ctx, stdin)
		}
		statistics, err := o.statistics(ctx, path, summary, stdin, warn)
		if err != nil {
			return rendering{}, err
		}
		c = calibrate.New(statistics, calibrate.Source{
			Ragfaith: version(), Results: path, Labels: report.NullText(o.labels), Label: o.label, PositiveAt: o.positiveAt,
		}, settings)
		return rendering{c, func(w io.Writer) error { return html.WriteCalibration(w, c) }}, nil
	})
	if err != nil {
		return err
	}
	if err := r.write(sys.guarded(o.to, stdout), o.to, sys.tableWidth(stdout)); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	if o.to != "table" && o.to != "markdown" && !o.quiet { // these formats include them
		console.Println(report.Printable(c.Advice))
		for _, note := range c.Notes {
			warn(errors.New(note))
		}
	}
	if o.writesCalibration() && math.IsNaN(c.Threshold) {
		warn(fmt.Errorf("score --calibration can't use this calibration: %s", c.Why))
	}
	return nil
}

// check reports invalid combinations of options and arguments.
func (o *calibrateOptions) check(path string) error {
	if o.label == "" {
		return exit.Usagef("missing --label COLUMN")
	}
	if err := checkStdinOnce([]string{path, o.labels}); err != nil {
		return err
	}
	if *o.maxError == 0 || *o.maxError == 1 {
		return exit.Usagef("--max-error: want a share above 0 and below 1")
	}
	return checkRenderings(o.output, []string{path, o.labels, o.settings, resultfile.SummaryPath(path)})
}

// writesCalibration reports whether a file of -o is a calibration.
func (o *calibrateOptions) writesCalibration() bool {
	return slices.ContainsFunc(o.output, func(out string) bool { return strings.EqualFold(filepath.Ext(out), ".json") })
}

// statistics compares the results with the labels. summary may be nil.
func (o *calibrateOptions) statistics(ctx context.Context, path string, summary *report.Summary, stdin io.Reader, warn func(error)) (*calibrate.Statistics, error) {
	label := func(r *result.Row) (*calibrate.Label, error) {
		text, _ := r.KeptText(o.label)
		l, err := calibrate.ParseLabel(text)
		if errors.Is(err, calibrate.ErrNoLabel) {
			return nil, nil // the row has no label
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.label, err)
		}
		return &l, nil
	}
	opts := resultfile.Options{
		Stdin: stdin, Keep: []string{o.label}, OpenPipe: safefile.OpenPipe(ctx), Summary: summary, SummaryPath: summaryPath(path, o.settings),
	}
	var labels *calibrate.Labels
	if o.labels != "" {
		var err error
		if labels, err = calibrate.ReadLabels(o.labels, o.label, dataset.Options{Stdin: stdin, Warn: warn, OpenPipe: opts.OpenPipe}); err != nil {
			return nil, err
		}
		label = func(r *result.Row) (*calibrate.Label, error) { return labels.Lookup(r.ID) }
		opts.Keep = nil
	}
	file, err := resultfile.Open(path, opts)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sample := calibrate.NewSample(calibrate.Options{PositiveAt: o.positiveAt, Seed: o.seed, MaxError: *o.maxError})
	for r, err := range file.Rows() {
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		position := fmt.Sprintf("row %d (%s)", r.Index, r.ID)
		l, err := label(r)
		if err == nil {
			err = sample.Add(r, l, position)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, position, err)
		}
	}
	if labels != nil {
		if unused := labels.Unused(); unused != "" {
			warn(errors.New(unused))
		}
	}
	statistics, err := sample.Statistics()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return statistics, nil
}
