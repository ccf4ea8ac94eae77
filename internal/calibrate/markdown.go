package calibrate

import (
	"fmt"
	"io"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
)

// WriteMarkdown writes the report for a pull request or a page. Names of files
// and columns are in code spans, in which nothing is markup.
func (r *Report) WriteMarkdown(w io.Writer) error {
	f := r.Figures
	var b strings.Builder
	fmt.Fprintf(&b, "## Judge and people\n\n%s\n\n%s\n\n%s.\n", report.CodeSpan(r.source()), report.CodeSpan(r.judge()), f.counts())
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n| %s | estimate | 95%% interval | |\n|---|---:|---|---|\n", s.Title)
		for _, l := range s.Lines {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.Name, l.Estimate, l.Interval, l.Note)
		}
	}
	fmt.Fprintf(&b, "\n### %s\n\n", capital(f.reliabilityTitle()))
	if f.Reliability.Bins == nil {
		b.WriteString(f.Reliability.Note + "\n")
	} else {
		b.WriteString("| score | rows | mean score | faithful | bar: faithful, line: mean score |\n|---|---:|---:|---:|---|\n")
		for i := range f.Reliability.Bins {
			at := &f.Reliability.Bins[i]
			// A bar character of its own would end the cell.
			drawn := strings.ReplaceAll(bar(at), "|", "│")
			fmt.Fprintf(&b, "| %s | %d | %s | %s | `%s` |\n", between(at), at.N, decimals(at.Mean), decimals(at.Share), drawn)
		}
	}
	for _, note := range f.Notes {
		b.WriteString("\n**Note:** " + note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// capital begins a text with a capital letter.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
