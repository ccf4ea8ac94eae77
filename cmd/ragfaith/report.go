package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/resultfile"
)

// reportOptions are the flags of "ragfaith report".
type reportOptions struct {
	outputOptions
	gateOptions
	seed    uint64
	appends bool

	showTyped bool // --show was given on the command line
}

const reportLong = `Render results again, in any format, with their figures and gates; nothing is judged.

RESULTS are files written by score (.jsonl, .json, .csv, .tsv or .parquet, also .gz
and .zst), or - for standard input. Several files are merged by row index, so the
shards of a dataset become one run. If two files contain the same row, report fails;
use --append for results of different datasets.`

const reportExample = `  ragfaith report results.jsonl -o report.html
  ragfaith report shard-*.jsonl -o results.jsonl --min-lower 0.8
  ragfaith report shard-*.jsonl.zst --to none --summary run.json --cluster document
  ragfaith report english.jsonl german.jsonl --append --to markdown`

const reportNotes = `Exit codes: 0 success, 1 failure, 2 usage error, 3 more failed rows than --max-failed,
4 gate not met, 130 interrupted.`

func newReport(sys system) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:         "report RESULTS...",
		Short:       "Merge and render results, and check gates",
		Long:        reportLong,
		Example:     reportExample,
		Annotations: map[string]string{notesKey: reportNotes},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing RESULTS argument: want a file written by score, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.showTyped = typed(cmd.Flags(), "show")
			return runReport(cmd.Context(), &o, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	quiet := flagSpec{name: "quiet", short: "q", value: &o.quiet, found: anyValue, help: "no warnings or figures on stderr"}
	seed := flagSpec{name: "seed", arg: "N", value: &o.seed, found: anyValue, help: "random seed of the intervals"}
	addFlags(cmd,
		flagGroup{"Input", []flagSpec{
			{name: "append", value: &o.appends, found: anyValue, help: "concatenate results of different datasets, renumbering rows"},
		}},
		flagGroup{"Output", append(o.outputOptions.flags(), quiet)},
		flagGroup{"Gates", append(o.gateFlags(), seed)})
	return cmd
}

// check finds what is wrong with the command line.
func (o *reportOptions) check(paths []string) error {
	inputs, standard := paths, 0
	for _, path := range paths {
		if path == "-" {
			standard++
		} else if beside := resultfile.SummaryPath(path); present([]string{beside}) == nil {
			inputs = append(inputs[:len(inputs):len(inputs)], beside)
		}
	}
	if standard > 1 {
		return usagef("standard input (-) can be read only once")
	}
	named := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == "-" })
	if a, b, found := doubled(named); found {
		return usagef("%s and %s are the same file", a, b)
	}
	return errors.Join(o.checkCluster(), o.checkShow(o.showTyped), o.checkOutputs("the results", inputs))
}

// runReport does the work of "ragfaith report".
func runReport(ctx context.Context, o *reportOptions, paths []string, stdin io.Reader, stdout, stderr io.Writer, sys system) error {
	if err := o.check(paths); err != nil {
		return err
	}
	if err := present(paths); err != nil {
		return err
	}
	origin, err := resultfile.OriginOf(paths)
	if errors.Is(err, resultfile.ErrOtherSettings) {
		return &usageError{err}
	}
	if err != nil {
		return err
	}
	width, marks, paint, errorPaint := tableWidth(stdout, sys), o.show > 0 || sys.Terminal(stdout) > 0, sys.palette(stdout), sys.palette(stderr)
	github := o.githubRun(sys)
	stdout = sys.guarded(o.to, stdout)
	r := &rendering{
		options: o, console: &console{w: stderr, paint: errorPaint}, origin: origin, paths: paths,
		means: report.NewEstimator(o.cluster, o.seed), paint: paint, marks: marks,
	}
	opts := r.writerOptions(width)
	if r.after, err = newEpilogue(&o.outputOptions, opts, github, r.console); err != nil {
		return err
	}
	defer r.after.abandon()
	r.after.datasets, r.after.results, r.after.settings = origin.Datasets, paths, origin.Settings
	// As with score, the outputs come before standard input, which may have to be
	// waited for.
	if r.outputs, err = newOutputs(&o.outputOptions, o.asked(), stdout, opts, nil); err != nil {
		return err
	}
	ro := resultfile.Options{OpenPipe: pipesUntilDone(ctx)}
	if slices.Contains(paths, "-") {
		ro.Stdin = untilDone(ctx, stdin)
	}
	files, err := openResults(paths, origin, ro)
	if err == nil {
		err = r.rows(ctx, files)
	}
	return r.conclude(err)
}
