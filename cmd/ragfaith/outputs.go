package main

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/exit"
	"github.com/ragfaith/ragfaith/internal/flagvalue"
	"github.com/ragfaith/ragfaith/internal/output"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// outputFlags returns the flags that score and report share, without --quiet.
func outputFlags(o *output.Options) []flagSpec {
	return []flagSpec{
		formatFlag(&o.To, namesOf(report.StreamFormats(), func(f report.Format) string { return string(f) })...),
		{"sort", "ORDER", flagvalue.OneOf(&o.Sort, output.SortScore, output.SortScore, output.SortNone), "order of the table: score (lowest first) or none"},
		{"show", "N", flagvalue.Int(&o.Show, 0, 0), "show the N worst and the first N failed rows in full"},
		{"output", "FILE", &o.Files, "write results to FILE (atomically), by extension; repeatable"},
		{"summary", "FILE", &o.Summary, "write figures, options and gates to FILE as JSON"},
		{"github", "MODE", flagvalue.OneOf(&o.GitHub, "auto", "auto", "off"), "GitHub Actions summary and annotations: auto or off"},
	}
}

// checkShow returns an error for --show with data on stdout. set reports whether the flag
// was given on the command line.
func checkShow(o *output.Options, set bool) error {
	if o.Show > 0 && set && o.To != string(report.FormatTable) && o.To != string(report.FormatNone) {
		return exit.Usagef("--show needs --to table or none, got --to %s", o.To)
	}
	return nil
}

// checkOutputs returns an error if an output file has an unknown format or would
// overwrite another output or an input. kind describes the inputs in the message.
func checkOutputs(o *output.Options, kind string, inputs []string) error {
	for _, out := range o.Files {
		if _, err := report.FormatOf(out); err != nil {
			return &exit.UsageError{Err: err}
		}
	}
	var files []target
	if o.Summary == "-" {
		return exit.Usagef("--summary -: want the name of a file")
	}
	if o.Summary != "" {
		files = append(files, target{"--summary", o.Summary})
	}
	return checkOverwrites(append(files, targets(o.Files)...), kind+" ", inputs)
}

// gateFlags returns the flags of the gates.
func gateFlags(o *output.Options) []flagSpec {
	return []flagSpec{
		{"min-mean", "SCORE", flagvalue.Fraction(&o.Gates.MinMean), "exit 4 if the mean faithfulness is below SCORE"},
		{"min-lower", "SCORE", flagvalue.Fraction(&o.Gates.MinLower), "exit 4 if its 95% interval starts below SCORE, or is missing"},
		{"min-mean-by", "SCORE", flagvalue.Fraction(&o.Gates.MinMeanBy), "exit 4 if the mean of any group of --by is below SCORE"},
		{"max-no-claims", "SHARE", flagvalue.Proportion(&o.Gates.MaxNoClaims), "exit 4 if more than SHARE (such as 20%) of rows have no claims"},
		{"max-unjudged", "SHARE", flagvalue.Proportion(&o.Gates.MaxUnjudged), "exit 4 if over SHARE of the words are in no judged claim (mean)"},
		{"max-uncertain", "SHARE", flagvalue.Proportion(&o.Gates.MaxUncertain), "exit 4 if over SHARE of verdicts have a confidence below 0.7"},
		{"min-citation-recall", "SCORE", flagvalue.Fraction(&o.Gates.CitationRecall), "exit 4 if the mean citation recall is below SCORE"},
		{"min-citation-precision", "SCORE", flagvalue.Fraction(&o.Gates.CitationPrecision), "exit 4 if the mean citation precision is below SCORE"},
		{"max-failed", "N", flagvalue.CountOrShare(&o.Gates.MaxFailed), "exit 3 if more than N rows (or N%) fail"},
		{"cluster", "COLUMN", &o.Cluster, "treat rows with the same COLUMN as one unit in intervals"},
		{"by", "COLUMN", &o.By, "show the mean of each group of rows by COLUMN; repeatable"},
	}
}

// checkGroups returns an error for columns that can't group rows.
func checkGroups(o *output.Options) error {
	if o.Gates.MinMeanBy != nil && len(o.By) == 0 {
		return exit.Usagef("--min-mean-by needs groups: name a column with --by")
	}
	for _, c := range o.Columns() {
		if slices.Contains(result.Names(), c.Name) && !slices.Contains(report.GroupFields(), c.Name) {
			return exit.Usagef("%s %s is a field of the results: name a column of the dataset, or %s", c.Flag, c.Name, strings.Join(report.GroupFields(), ", "))
		}
	}
	return nil
}
