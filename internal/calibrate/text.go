package calibrate

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	f := r.Figures
	fmt.Fprintf(&b, "%s\n%s\n%s\n", r.source(), r.judge(), f.counts())
	sections := r.sections()
	name, estimate := len("estimate"), len("estimate") // column widths
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
	b.WriteString(f.reliabilityTitle() + "\n")
	if f.Reliability.Bins == nil {
		b.WriteString("  " + f.Reliability.Note + "\n")
	} else {
		fmt.Fprintf(&b, "  %-10s  %6s  %10s  %8s  0%*s\n", "score", "rows", "mean score", "faithful", barWidth-1, "1")
		for i := range f.Reliability.Bins {
			bin := &f.Reliability.Bins[i]
			fmt.Fprintf(&b, "  %-10s  %6d  %10s  %8s  %s\n", binRange(bin), bin.N, format(bin.Mean), format(bin.Share), bar(bin))
		}
		b.WriteString("  bar: share of faithful rows, |: mean score\n")
	}
	if len(f.Notes) > 0 {
		b.WriteString("\nnote: " + strings.Join(f.Notes, "\nnote: ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the report for a pull request. Names of files and columns are in
// code spans.
func (r *Report) WriteMarkdown(w io.Writer) error {
	f := r.Figures
	var b strings.Builder
	fmt.Fprintf(&b, "## Judge calibration\n\n%s\n\n%s\n\n%s.\n", report.CodeSpan(r.source()), report.CodeSpan(r.judge()), f.counts())
	for _, s := range r.sections() {
		fmt.Fprintf(&b, "\n| %s | estimate | 95%% interval | |\n|---|---:|---|---|\n", s.Title)
		for _, l := range s.Lines {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.Name, l.Estimate, l.Interval, l.Note)
		}
	}
	fmt.Fprintf(&b, "\n### %s\n\n", capitalize(f.reliabilityTitle()))
	if f.Reliability.Bins == nil {
		b.WriteString(f.Reliability.Note + "\n")
	} else {
		b.WriteString("| score | rows | mean score | faithful | bar: faithful, line: mean score |\n|---|---:|---:|---:|---|\n")
		for i := range f.Reliability.Bins {
			bin := &f.Reliability.Bins[i]
			drawn := strings.ReplaceAll(bar(bin), "|", "│") // an ASCII bar would end the cell
			fmt.Fprintf(&b, "| %s | %d | %s | %s | `%s` |\n", binRange(bin), bin.N, format(bin.Mean), format(bin.Share), drawn)
		}
	}
	for _, note := range f.Notes {
		b.WriteString("\n**Note:** " + note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// barWidth is the width of a bar in cells.
const barWidth = 20

// bar draws the share of faithful rows of a bin, with a mark at their mean score. If the
// score is calibrated, the bar ends at the mark.
func bar(b *stats.Bin) string {
	full := int(math.Round(b.Share * barWidth))
	cells := []rune(strings.Repeat("█", full) + strings.Repeat("·", barWidth-full))
	cells[min(barWidth-1, int(b.Mean*barWidth))] = '|'
	return string(cells)
}

// capitalize returns s, which starts with an ASCII letter, with an upper-case first letter.
func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
