package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
)

// Table writes c for a terminal that is width cells wide: the warnings, the figures, and
// the changed rows, worst first. Texts from datasets are escaped.
func Table(w io.Writer, c *compare.Comparison, width int) error {
	var b strings.Builder
	for _, warning := range c.Warnings {
		b.WriteString("warning: " + warning.Text + "\n")
	}
	if len(c.Warnings) > 0 {
		b.WriteByte('\n')
	}
	difference := ""
	if c.Compared > 0 {
		difference = Signed(c.Figures.Difference.Estimate)
	}
	b.WriteString(report.Tabulate([]report.Column{
		{Cells: []string{"baseline", "candidate", "difference"}},
		{Name: "mean", Right: true, Cells: []string{Score(c.Baseline.Mean), Score(c.Candidate.Mean), difference}},
		{Name: "claims", Right: true, Cells: []string{supportedClaims(&c.Baseline), supportedClaims(&c.Candidate), ""}},
		{Name: "file", Text: true, Cells: []string{c.Baseline.Name, c.Candidate.Name, ""}},
		{Name: "rows", Cells: []string{Rows(&c.Baseline), Rows(&c.Candidate), ""}},
	}, width) + "\n\n")
	for _, f := range Facts(c) {
		fmt.Fprintf(&b, "%-11s %s\n", f.Name, report.Printable(f.Value))
	}
	if c.Changed > 0 {
		writeChanges(&b, c, width)
	}
	var trimmed strings.Builder
	for line := range strings.Lines(b.String()) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, trimmed.String())
	return err
}

// supportedClaims returns the fraction of supported claims.
func supportedClaims(s *compare.Side) string { return fmt.Sprintf("%d/%d", s.Supported, s.Claims) }

// writeChanges writes the changed rows, worst first.
func writeChanges(b *strings.Builder, c *compare.Comparison, width int) {
	const maxRows = 10
	rows := c.Changes[:min(len(c.Changes), maxRows)]
	columns := []report.Column{
		{Name: "id", Text: true},
		{Name: "baseline", Right: true},
		{Name: "candidate", Right: true},
		{Name: "difference", Right: true},
		{Name: "claims", Text: true},
	}
	for i := range rows {
		change := &rows[i]
		for k, cell := range []string{
			change.Candidate.ID, Score(change.Baseline.Faithfulness), Score(change.Candidate.Faithfulness), Signed(change.Difference), Change(change),
		} {
			columns[k].Cells = append(columns[k].Cells, cell)
		}
	}
	b.WriteString("\n" + Count(c.Changed, "row") + " changed, worst first\n\n" + report.Tabulate(columns, width) + "\n")
	if more := c.Changed - len(rows); more > 0 {
		fmt.Fprintf(b, "and %d more; -o FILE.html shows them\n", more)
	}
}
