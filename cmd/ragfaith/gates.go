package main

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/console"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// gateOptions are the options of the gates and the interval.
type gateOptions struct {
	gates   report.Thresholds
	cluster string
	by      []string
}

// gateFlags returns the flags of the gates.
func (o *gateOptions) gateFlags() []flagSpec {
	return []flagSpec{
		{name: "min-mean", arg: "SCORE", value: flagvalue.Fraction(&o.gates.MinMean), harmless: true, help: "exit 4 if the mean faithfulness is below SCORE"},
		{name: "min-lower", arg: "SCORE", value: flagvalue.Fraction(&o.gates.MinLower), harmless: true, help: "exit 4 if its 95% interval starts below SCORE, or is missing"},
		{name: "min-mean-by", arg: "SCORE", value: flagvalue.Fraction(&o.gates.MinMeanBy), harmless: true, help: "exit 4 if the mean of any group of --by is below SCORE"},
		{
			name: "max-no-claims", arg: "SHARE", value: flagvalue.Proportion(&o.gates.MaxNoClaims), harmless: true,
			help: "exit 4 if more than SHARE (such as 20%) of rows have no claims",
		},
		{
			name: "max-unjudged", arg: "SHARE", value: flagvalue.Proportion(&o.gates.MaxUnjudged), harmless: true,
			help: "exit 4 if over SHARE of the words are in no judged claim (mean)",
		},
		{
			name: "max-uncertain", arg: "SHARE", value: flagvalue.Proportion(&o.gates.MaxUncertain), harmless: true,
			help: "exit 4 if over SHARE of verdicts have a confidence below 0.7",
		},
		{name: "min-citation-recall", arg: "SCORE", value: flagvalue.Fraction(&o.gates.CitationRecall), harmless: true, help: "exit 4 if the mean citation recall is below SCORE"},
		{name: "min-citation-precision", arg: "SCORE", value: flagvalue.Fraction(&o.gates.CitationPrecision), harmless: true, help: "exit 4 if the mean citation precision is below SCORE"},
		{name: "max-failed", arg: "N", value: flagvalue.CountOrShare(&o.gates.MaxFailed), help: "exit 3 if more than N rows (or N%) fail"},
		{name: "cluster", arg: "COLUMN", value: &o.cluster, help: "treat rows with the same COLUMN as one unit in intervals"},
		{name: "by", arg: "COLUMN", value: &o.by, harmless: true, help: "show the mean of each group of rows by COLUMN; repeatable"},
	}
}

// checkGroups returns an error for columns that can't group rows.
func (o *gateOptions) checkGroups() error {
	if o.gates.MinMeanBy != nil && len(o.by) == 0 {
		return usagef("--min-mean-by needs groups: name a column with --by")
	}
	for _, c := range o.groupColumns() {
		if slices.Contains(result.Names(), c.name) && !slices.Contains(report.GroupFields(), c.name) {
			return usagef("%s %s is a field of the results: name a column of the dataset, or %s", c.flag, c.name, strings.Join(report.GroupFields(), ", "))
		}
	}
	return nil
}

// A groupColumn is a column that groups rows, and its flag.
type groupColumn struct{ flag, name string }

// groupColumns returns the columns of --cluster and --by.
func (o *gateOptions) groupColumns() []groupColumn {
	var all []groupColumn
	if o.cluster != "" {
		all = append(all, groupColumn{"--cluster", o.cluster})
	}
	for _, name := range o.by {
		all = append(all, groupColumn{"--by", name})
	}
	return all
}

// keptGroupColumns returns the columns of the dataset that group rows, which results must
// keep. It omits the fields that results contain anyway.
func (o *gateOptions) keptGroupColumns() []groupColumn {
	return slices.DeleteFunc(o.groupColumns(), func(c groupColumn) bool { return slices.Contains(report.GroupFields(), c.name) })
}

// printGates writes the outcome of the gates and returns the exit code as an error.
func printGates(all []report.Gate, c *console.Console) error {
	for i := range all {
		if g := &all[i]; g.Name != report.GateMaxFailed || !g.Passed {
			c.Gate(g)
		}
	}
	if code := gateExitCode(all); code != exitOK {
		return &exitError{code}
	}
	return nil
}

// gateExitCode returns the exit code of a run. Too many failed rows take precedence, since
// they make the statistics of other gates unreliable.
func gateExitCode(gates []report.Gate) int {
	code := exitOK
	for i := range gates {
		switch {
		case gates[i].Passed:
		case gates[i].Name == report.GateMaxFailed:
			return exitFailedRows
		default:
			code = exitGate
		}
	}
	return code
}
