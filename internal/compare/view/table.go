package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
)

// tableRows is how many changed rows the table shows.
const tableRows = 10

// Table writes c for a terminal of so many cells: what to beware of, the figures,
// and the rows that changed the most. Nothing that a dataset says moves the cursor.
func Table(w io.Writer, c *compare.Comparison, width int) error {
	var b strings.Builder
	for _, warning := range c.Warnings {
		b.WriteString("warning: " + warning.Text + "\n")
	}
	if len(c.Warnings) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(report.Tabulate([]report.Column{
		{Cells: []string{"baseline", "candidate", "difference"}},
		{Name: "mean", Right: true, Cells: []string{Score(c.Baseline.Mean), Score(c.Candidate.Mean), sum(c)}},
		{Name: "claims", Right: true, Cells: []string{supported(&c.Baseline), supported(&c.Candidate), ""}},
		{Name: "file", Text: true, Cells: []string{c.Baseline.Name, c.Candidate.Name, ""}},
		{Name: "rows", Cells: []string{Rows(&c.Baseline), Rows(&c.Candidate), ""}},
	}, width))
	b.WriteString("\n\n")
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-11s %s\n", name, text)
		}
	}
	line("compared", fmt.Sprintf("%s: %d better, %d worse, %d the same; %d with the same answer", Units(c), c.Better, c.Worse, c.Same, c.SameAnswers))
	line("difference", Difference(c))
	line("p-value", Tests(c))
	line("detectable", Detectable(c))
	line("claims", Flips(c))
	line("", Alone(c))
	line("no score", report.Printable(Never(c)))
	changes(&b, c, width)
	_, err := io.WriteString(w, trimmed(b.String()))
	return err
}

// trimmed is text without blanks at the ends of its lines.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// sum is the difference of the means.
func sum(c *compare.Comparison) string {
	if c.Compared == 0 {
		return ""
	}
	return Signed(c.Figures.Difference.Estimate)
}

// supported is how many claims are supported.
func supported(s *compare.Side) string { return fmt.Sprintf("%d/%d", s.Supported, s.Claims) }

// changes lists the rows that changed the most.
func changes(b *strings.Builder, c *compare.Comparison, width int) {
	if c.Changed == 0 {
		return
	}
	shown := c.Changes[:min(len(c.Changes), tableRows)]
	id, claims := report.Column{Name: "id", Text: true}, report.Column{Name: "claims", Text: true}
	was, is, difference := report.Column{Name: "baseline", Right: true}, report.Column{Name: "candidate", Right: true}, report.Column{Name: "difference", Right: true}
	for i := range shown {
		change := &shown[i]
		id.Cells = append(id.Cells, change.Candidate.ID)
		was.Cells = append(was.Cells, Score(change.Baseline.Faithfulness))
		is.Cells = append(is.Cells, Score(change.Candidate.Faithfulness))
		difference.Cells = append(difference.Cells, Signed(change.Difference))
		claims.Cells = append(claims.Cells, Change(change))
	}
	b.WriteString("\n" + Count(c.Changed, "row") + " changed, the worst first\n\n")
	b.WriteString(report.Tabulate([]report.Column{id, was, is, difference, claims}, width) + "\n")
	if more := c.Changed - len(shown); more > 0 {
		fmt.Fprintf(b, "and %d more: -o FILE.html shows them\n", more)
	}
}
