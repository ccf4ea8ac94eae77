package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
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

const compareLong = `Compare the results of two runs over the same rows: the difference of their mean
faithfulness, whether it is statistically significant, and the rows and claims that
changed. Both files are results of score, in JSONL, JSON, CSV, TSV or Parquet. Rows
are paired by id. Differences between the runs, such as another judge or other
contexts, are reported first.`

const compareExample = `  ragfaith compare baseline.jsonl candidate.jsonl
  ragfaith compare baseline.jsonl candidate.jsonl --to none -o compare.md --max-drop 0.02
  ragfaith compare monday.parquet tuesday.parquet -o compare.html --cluster document`

const compareNotes = `Exit codes: 0 success, 1 failure, 2 usage error, 4 significant drop beyond --max-drop,
130 interrupted.`

func newCompare(sys system) *cobra.Command {
	var o compareOptions
	cmd := &cobra.Command{
		Use:         "compare BASELINE CANDIDATE",
		Short:       "Compare the results of two runs",
		Long:        compareLong,
		Example:     compareExample,
		Annotations: map[string]string{notesKey: compareNotes},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("want two arguments, BASELINE and CANDIDATE, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(cmd.Context(), &o, [2]string{args[0], args[1]}, cmd.OutOrStdout(), cmd.ErrOrStderr(), sys)
		},
	}
	addFlags(cmd, flagGroup{"Input", o.inputFlags()}, flagGroup{"Output", o.outputFlags()}, flagGroup{"Gate", o.gateFlags()})
	return cmd
}

func (o *compareOptions) inputFlags() []flagSpec {
	return []flagSpec{
		{name: "baseline-summary", arg: "FILE", value: &o.summaries[0], path: filePath, help: "summary of BASELINE (default: NAME.summary.json next to it)"},
		{name: "candidate-summary", arg: "FILE", value: &o.summaries[1], path: filePath, help: "summary of CANDIDATE (default: as for BASELINE)"},
		{name: "cluster", arg: "COLUMN", value: &o.cluster, found: anyValue, help: "treat rows with the same kept COLUMN as one unit"},
		{name: "seed", arg: "N", value: &o.seed, found: anyValue, help: "random seed"},
	}
}

func (o *compareOptions) outputFlags() []flagSpec {
	return []flagSpec{
		{name: "to", arg: "FORMAT", value: oneOf(&o.to, "table", "table", "markdown", "json", "none"), found: "table none",
			help: "format written to stdout: table, markdown, json or none"},
		{name: "output", short: "o", arg: "FILE", value: &o.output, path: filePath,
			help: "write to FILE (" + strings.Join(compareExtensions(), ", ") + ") atomically; repeatable"},
		{name: "quiet", short: "q", value: &o.quiet, found: anyValue, help: "no warnings on stderr"},
	}
}

func (o *compareOptions) gateFlags() []flagSpec {
	return []flagSpec{
		{name: "max-drop", arg: "SCORE", value: fraction{&o.maxDrop}, found: anyValue, help: "exit 4 if the mean drops significantly, by more than SCORE"},
		{name: "alpha", arg: "P", value: fraction{&o.alpha}, found: anyValue, help: "significance level (default 0.05)"},
	}
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
