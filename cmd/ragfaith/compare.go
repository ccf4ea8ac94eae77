package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// compareOptions are the flags of "ragfaith compare".
type compareOptions struct {
	summaries [2]string // of the baseline and the candidate
	cluster   string
	seed      uint64

	to     string
	output []string
	quiet  bool

	maxDrop *float64
	alpha   *float64
}

const compareLong = `Compare the results of two runs over the same rows: by how much the mean
faithfulness of the candidate differs from that of the baseline, whether that is
more than chance, which rows got better and worse, and which claims made them so.

Both files are what score -o has written, as JSONL, JSON, CSV, TSV or Parquet.
Rows are paired by their id, and those with a score on both sides are compared.
What makes the two hard to compare, such as another judge or other contexts, is
said first. The settings of a run are found in NAME.summary.json beside
NAME.jsonl, where score --summary has written them.`

const compareExample = `  ragfaith compare baseline.jsonl candidate.jsonl
  ragfaith compare baseline.jsonl candidate.jsonl --to none -o compare.md --max-drop 0.02
  ragfaith compare monday.parquet tuesday.parquet -o compare.html --cluster document`

const compareExit = `Exit codes:
  0    done, and no drop beyond --max-drop
  1    it could not run: a file
  2    usage
  4    a drop beyond --max-drop that is more than chance
  130  interrupted

Every flag can also be set in the environment: --max-drop as RAGFAITH_MAX_DROP.`

func newCompare(sys system) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:     "compare BASELINE CANDIDATE",
		Short:   "Compare the results of two runs",
		Long:    compareLong,
		Example: compareExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("compare takes two files of results, a baseline and a candidate, and got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), &o, [2]string{args[0], args[1]}, cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	groups := []flagGroup{{"Input", o.inputFlags()}, {"Output", o.outputFlags()}, {"Gate", o.gateFlags()}}
	for _, g := range groups {
		cmd.Flags().AddFlagSet(g.flags)
	}
	cmd.SetUsageFunc(groupedUsage(groups, compareExit))
	completeValues(cmd)
	return cmd
}

func (o *compareOptions) inputFlags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.StringVar(&o.summaries[0], "baseline-summary", "", "the baseline's `file` of score --summary (default: NAME.summary.json beside NAME.jsonl, if it is there)")
	fs.StringVar(&o.summaries[1], "candidate-summary", "", "the candidate's `file` of score --summary")
	fs.StringVar(&o.cluster, "cluster", "", "rows with the same value in this kept `column` are right or wrong together: the figures are over groups of them")
	fs.Uint64Var(&o.seed, "seed", 0, "of the random `number`s: the same one gives the same figures")
	return fs
}

func (o *compareOptions) outputFlags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.Var(oneOf(&o.to, "table", "table", "markdown", "json", "none"), "to", "what standard output gets, as a `format`: table, markdown, json, none")
	fs.StringArrayVarP(&o.output, "output", "o", nil, "write the comparison to a `file` ("+strings.Join(compareExtensions(), " ")+") that appears when it is complete; repeatable")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "no warnings on standard error")
	return fs
}

func (o *compareOptions) gateFlags() *pflag.FlagSet {
	fs := newFlagSet()
	fs.Var(fraction{&o.maxDrop}, "max-drop", "exit 4 if the mean faithfulness drops by more than this `score`, and the drop is more than chance")
	fs.Var(fraction{&o.alpha}, "alpha", "what is called chance: a p-value of this `level` or more; 1 less it is the confidence of the interval (default 0.05)")
	return fs
}

// compareExtensions are those of the files that compare writes.
func compareExtensions() []string { return []string{".md", ".json", ".html"} }

// check finds what is wrong with the options together, or with the arguments.
func (o *compareOptions) check(paths [2]string) error {
	const highest = 0.5
	if o.alpha != nil && (*o.alpha <= 0 || *o.alpha >= highest) {
		return usagef("--alpha %v: want a number above 0 and below %v", *o.alpha, highest)
	}
	inputs := append(paths[:], o.summaries[:]...)
	for _, path := range paths {
		if path == "-" {
			return usagef("compare reads its files twice: standard input (-) can't be one")
		}
	}
	for _, out := range o.output {
		if _, err := compareFormat(out); err != nil {
			return err
		}
	}
	return checkOverwrites(targets(o.output), "", inputs)
}

// compareFormat is the format that the extension of path names, without its dot.
func compareFormat(path string) (string, error) {
	for _, ext := range compareExtensions() {
		if strings.HasSuffix(strings.ToLower(path), ext) {
			return ext[1:], nil
		}
	}
	return "", &usageError{fmt.Errorf("%s: the extension decides the format: want %s", path, strings.Join(compareExtensions(), ", "))}
}
