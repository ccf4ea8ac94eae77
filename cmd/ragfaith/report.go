package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/results"
)

// reportOptions are the flags of "ragfaith report".
type reportOptions struct {
	outputOptions
	gateOptions
	seed    uint64
	appends bool

	showTyped bool // --show was given on the command line
}

const reportLong = `Render results again, in any format, with the figures and gates of the run that
made them. Nothing is judged.

Results are files that ragfaith score has written (.jsonl .json .csv .tsv
.parquet, also .gz and .zst), or - for standard input. Several are merged by
index: the shards of a dataset become what one run would have written. A row
that two files have is an error; --append takes files of several datasets.

What is known of a run is in the summary beside its results: NAME.summary.json
for NAME.jsonl, as score --summary NAME.summary.json writes it. With it the
number of rows is checked, and so is that all were judged alike.`

const reportExample = `  ragfaith report results.jsonl -o report.html
  ragfaith report shard-*.jsonl -o results.jsonl --min-lower 0.8
  ragfaith report shard-*.jsonl.zst --to none --summary run.json --cluster document
  ragfaith report english.jsonl german.jsonl --append --to markdown`

const reportExit = `Exit codes:
  0    done, gates passed
  1    it could not run: a file is missing, cut off, edited or no results, or two have the same row
  2    usage
  3    more rows failed than --max-failed
  4    below a gate
  130  interrupted

Every flag can also be set in the environment: --min-mean as RAGFAITH_MIN_MEAN.
A list takes commas there. A flag beats the environment.`

func newReport(sys system) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:     "report RESULTS...",
		Short:   "Merge results, render them again and apply gates",
		Long:    reportLong,
		Example: reportExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which results? Name a file that ragfaith score has written, or - for standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.showTyped = typed(cmd.Flags(), "show")
			return runReport(cmd.Context(), &o, args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	input, output := newFlagSet(), newFlagSet()
	input.BoolVar(&o.appends, "append", false, "the files are of several datasets: the index of a row goes on from the file before")
	o.addFlags(output)
	output.BoolVarP(&o.quiet, "quiet", "q", false, "no warnings and no figures on standard error")
	gates := o.gateFlags()
	gates.Uint64Var(&o.seed, "seed", 0, "of the random `number`s: the same one draws the same resamples for intervals")
	groups := []flagGroup{{"Input", input}, {"Output", output}, {"Gates", gates}}
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.flags)
	}
	cmd.SetUsageFunc(groupedUsage(groups, reportExit))
	completeValues(cmd)
	return cmd
}

// check finds what is wrong with the command line.
func (o *reportOptions) check(paths []string) error {
	inputs, standard := paths, 0
	for _, path := range paths {
		if path == "-" {
			standard++
		} else if beside := results.SummaryPath(path); present([]string{beside}) == nil {
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
	origin, err := results.OriginOf(paths)
	if errors.Is(err, results.ErrOtherSettings) {
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
	ro := results.Options{OpenPipe: pipesUntilDone(ctx)}
	if slices.Contains(paths, "-") {
		ro.Stdin = untilDone(ctx, stdin)
	}
	files, err := openResults(paths, origin, ro)
	if err == nil {
		err = r.rows(ctx, files)
	}
	return r.conclude(err)
}
