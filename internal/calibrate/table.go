package calibrate

import (
	"fmt"
	"io"
	"strings"
)

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s\n", r.source(), r.judge(), r.Figures.counts())
	sections := r.sections()
	name, estimate := len("estimate"), len("estimate")
	for _, s := range sections {
		for _, l := range s.Lines {
			name, estimate = max(name, len(l.Name)+2), max(estimate, len([]rune(l.Estimate)))
		}
	}
	fmt.Fprintf(&b, "\n%*s  %*s  95%% interval\n", -name, "", estimate, "estimate")
	for _, s := range sections {
		b.WriteString(s.Title + "\n")
		for _, l := range s.Lines {
			text := l.Interval
			if l.Note != "" && text != "" {
				text += ": "
			}
			fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%*s  %*s  %s", -name, "  "+l.Name, estimate, l.Estimate, text+l.Note), " "))
		}
	}
	r.tableReliability(&b)
	for _, note := range r.Figures.Notes {
		b.WriteString("\nnote: " + note)
	}
	if len(r.Figures.Notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tableReliability draws the diagram.
func (r *Report) tableReliability(b *strings.Builder) {
	f := r.Figures
	b.WriteString(f.reliabilityTitle() + "\n")
	if f.Reliability.Bins == nil {
		b.WriteString("  " + f.Reliability.Note + "\n")
		return
	}
	fmt.Fprintf(b, "  %-10s  %6s  %10s  %8s  0%*s\n", "score", "rows", "mean score", "faithful", barCells-1, "1")
	for i := range f.Reliability.Bins {
		at := &f.Reliability.Bins[i]
		fmt.Fprintf(b, "  %-10s  %6d  %10s  %8s  %s\n", between(at), at.N, decimals(at.Mean), decimals(at.Share), bar(at))
	}
	b.WriteString("  the bar is the share of faithful rows, | the mean score\n")
}
