package output

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// FirstPaths returns the first paths, and the number of the others as a text.
func FirstPaths(paths []string) []string {
	const limit = 5
	first := slices.Clone(paths[:min(len(paths), limit)])
	if more := len(paths) - limit; more > 0 {
		first = append(first, "and "+strconv.Itoa(more)+" more")
	}
	return first
}

// Notes returns the lines of a report that name the datasets and the main settings of a run.
func Notes(datasets []string, settings result.Settings) []string {
	notes := FirstPaths(datasets)
	for _, name := range []string{"--claims", "--judge", "--evidence", "--threshold"} {
		notes = append(notes, name+" "+settings.Get(name))
	}
	return notes
}

// PageSettings returns the settings of a run that an HTML report shows. Those in own follow
// the main ones.
func PageSettings(settings result.Settings, own ...result.Setting) []result.Setting {
	threshold := settings.Get("--threshold")
	if x, err := strconv.ParseFloat(threshold, 64); err == nil {
		threshold = report.Decimals(x, 1)
	}
	shown := append([]result.Setting{
		{Name: "judge", Value: settings.Get("--judge")},
		{Name: "threshold", Value: threshold},
		{Name: "claims", Value: settings.Get("--claims")},
		{Name: "evidence", Value: settings.Get("--evidence")},
	}, own...)
	for _, optional := range [][2]string{{"language model", "--model"}, {"server", "--base-url"}, {"profile", "--profile"}} {
		if value := settings.Get(optional[1]); value != "" {
			shown = append(shown, result.Setting{Name: optional[0], Value: value})
		}
	}
	return shown
}

// Lines returns the counts and the means on one line, the share of uncertain verdicts on
// another if the judge gives confidences, and a line with the lowest groups of each column
// of --by. It returns none if the table on standard output has them.
func (w *Writer) Lines() []string {
	if report.Format(w.options.To) == report.FormatTable {
		return nil
	}
	t, means := w.Tally, w.Tally.Means()
	parts := []string{t.String()}
	for _, m := range means.Format() {
		part := "of claims " + m.Estimate
		if m.Of == "rows" {
			part = "mean faithfulness " + m.Estimate
		}
		switch {
		case m.Interval != "":
			part += " (95% interval " + m.Interval + ")"
		case m.Of == "rows":
			part += " (no 95% interval, " + m.Basis + ")"
		}
		parts = append(parts, part)
	}
	for _, p := range [][2]string{{"citations ", t.Cited()}, {"rows with marks: ", t.Marked()}, {"prescreen ", t.Prescreened()}} {
		if p[1] != "" {
			parts = append(parts, p[0]+p[1])
		}
	}
	lines := []string{strings.Join(parts, ", ")}
	if confidence := t.Confidence(); confidence != "" {
		lines = append(lines, confidence)
	}
	for i := range means.By {
		lines = append(lines, report.DescribeGroups(&means.By[i]))
	}
	return lines
}
