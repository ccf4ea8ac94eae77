package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/report/html"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/resultfile"
	"github.com/ragfaith/ragfaith/internal/safefile"
)

type compareOptions struct {
	summaries [2]string // summary files of the baseline and the candidate
	cluster   string
	seed      uint64

	to     string
	output []string
	quiet  bool

	maxDrop      *float64
	alpha        *float64
	maxRegressed *int
}

func newCompare(sys system) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:   "compare BASELINE CANDIDATE",
		Short: "Compare the results of two runs",
		Long: `Compare the results of two runs over the same rows: the difference of their mean
faithfulness, whether it is statistically significant, and the rows and claims that
changed. Both files are results of score, in JSONL, JSON, CSV, TSV or Parquet. Rows
are paired by id. Differences between the runs, such as another judge or other
contexts, are reported first.`,
		Example: `  ragfaith compare baseline.jsonl candidate.jsonl
  ragfaith compare baseline.jsonl candidate.jsonl --to none -o compare.md --max-drop 0.02
  ragfaith compare monday.parquet tuesday.parquet -o compare.html --cluster document`,
		Annotations: map[string]string{notesKey: `Exit codes: 0 success, 1 failure, 2 usage error, 4 significant drop beyond --max-drop
or more regressed rows than --max-regressed-rows, 130 interrupted.`},
		Args: argCount(2, 2, "two arguments, BASELINE and CANDIDATE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), &o, [2]string{args[0], args[1]}, cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	addFlags(cmd,
		flagGroup{"Input", []flagSpec{
			{"baseline-summary", "FILE", &o.summaries[0], "summary of BASELINE (default: NAME.summary.json next to it)"},
			{"candidate-summary", "FILE", &o.summaries[1], "summary of CANDIDATE (default: as for BASELINE)"},
			{"cluster", "COLUMN", &o.cluster, "treat rows with the same kept COLUMN as one unit"},
			{"seed", "N", &o.seed, "random seed"},
		}},
		flagGroup{"Output", []flagSpec{
			formatFlag(&o.to, "table", "markdown", "json", "none"),
			{"output", "FILE", &o.output, "write to FILE (.md, .json or .html) atomically; repeatable"},
			{"quiet", "", &o.quiet, "no warnings on stderr"},
		}},
		flagGroup{"Gate", []flagSpec{
			{"max-drop", "SCORE", flagvalue.Fraction(&o.maxDrop), "exit 4 if the mean drops significantly, by more than SCORE"},
			{"alpha", "P", flagvalue.Fraction(&o.alpha), "significance level (default 0.05)"},
			{"max-regressed-rows", "N", flagvalue.Count(&o.maxRegressed), "exit 4 if more than N rows score lower or lose their score"},
		}})
	return cmd
}

// check reports invalid combinations of options and arguments.
func (o *compareOptions) check(paths [2]string) error {
	const maxAlpha = 0.5
	if o.alpha != nil && (*o.alpha <= 0 || *o.alpha >= maxAlpha) {
		return exit.Usagef("--alpha %v: want a number above 0 and below %v", *o.alpha, maxAlpha)
	}
	inputs := append(paths[:], o.summaries[:]...)
	for _, path := range paths {
		if path == "-" {
			return exit.Usagef("compare reads its files twice: standard input (-) is not supported")
		}
		inputs = append(inputs, resultfile.SummaryPath(path))
	}
	return checkRenderings(o.output, inputs)
}

func runCompare(ctx context.Context, o *compareOptions, paths [2]string, stdout, stderr io.Writer, sys system) error {
	if err := o.check(paths); err != nil {
		return err
	}
	if err := checkExist(paths[:]); err != nil {
		return err
	}
	var c *compare.Comparison
	r, err := writeRenderings(o.output, func() (_ rendering, err error) {
		c, err = o.compare(ctx, paths)
		return rendering{c, func(w io.Writer) error { return html.WriteComparison(w, c) }}, err
	})
	if err != nil {
		return err
	}
	messages := console.New(stderr, report.Palette{})
	if o.to != "table" && o.to != "markdown" && !o.quiet { // these formats include the warnings
		for _, warning := range c.Warnings {
			messages.Printf("warning: %s", warning.Text)
		}
	}
	if err := r.write(sys.guarded(o.to, stdout), o.to, sys.tableWidth(stdout)); err != nil && !output.IsClosedPipe(err) {
		return fmt.Errorf("standard output: %w", err)
	}
	for _, g := range c.Gates() {
		messages.Println("gate: " + g.Text + ": " + g.Outcome())
	}
	if c.Gate != nil && c.Gate.Note != "" && !o.quiet {
		messages.Println("gate: " + c.Gate.Note)
	}
	if !c.Passed {
		return &exit.ReportedError{Code: exit.Gate}
	}
	return nil
}

// compare reads both files and compares them.
func (o *compareOptions) compare(ctx context.Context, paths [2]string) (*compare.Comparison, error) {
	options := compare.Options{MaxDrop: o.maxDrop, MaxRegressed: o.maxRegressed, Seed: o.seed, Cluster: o.cluster, Ragfaith: version()}
	if o.alpha != nil {
		options.Alpha = *o.alpha
	}
	var sources [2]compare.Source
	for i, path := range paths {
		summary, err := runSummary(path, o.summaries[i])
		if err != nil {
			return nil, err
		}
		opts := resultfile.Options{OpenPipe: safefile.OpenPipe(ctx), Summary: summary, SummaryPath: summaryPath(path, o.summaries[i])}
		if i == 0 && o.cluster != "" && !slices.Contains(report.GroupFields(), o.cluster) {
			opts.Keep = []string{o.cluster} // the baseline must have it
		}
		sources[i] = compare.Source{Name: path, Summary: summary, Rows: func() (iter.Seq2[*result.Row, error], error) {
			f, err := resultfile.Open(path, opts)
			if err != nil {
				return nil, err
			}
			return f.Rows(), nil
		}}
	}
	c, err := compare.Run(ctx, sources[0], sources[1], options)
	if _, ok := errors.AsType[*resultfile.ColumnError](err); ok {
		return nil, exit.Usagef("--cluster: %w", err)
	}
	return c, err
}

// summaryPath returns file or, if it is "", the path of the summary beside path.
func summaryPath(path, file string) string { return cmp.Or(file, resultfile.SummaryPath(path)) }

// runSummary returns the summary of the run that wrote the results in path: that in file or,
// if file is "", the one beside path, or nil if there is none.
func runSummary(path, file string) (*report.Summary, error) {
	if file != "" {
		return resultfile.ReadSummary(file)
	}
	return resultfile.SummaryBeside(path)
}
