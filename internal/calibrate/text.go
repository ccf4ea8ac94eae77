package calibrate

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// WriteTable writes the report for a terminal that is width cells wide; 0 means 120.
func (r *Report) WriteTable(w io.Writer, width int) error {
	_, err := io.WriteString(w, r.document().Terminal(width))
	return err
}

// WriteMarkdown writes the report for a pull request. Names of files and columns are in
// code spans.
func (r *Report) WriteMarkdown(w io.Writer) error {
	_, err := io.WriteString(w, r.document().Markdown())
	return err
}

func (r *Report) document() report.Document {
	f := r.Statistics
	d := report.Document{
		report.Heading("Judge calibration"),
		report.Paragraph(r.Advice()),
		report.Facts{{Name: "results", Value: r.source(), Text: true}, {Name: "judge", Value: r.judge(), Text: true}, {Name: "rows", Value: f.counts()}},
	}
	if f.Positive.N > 0 {
		d = append(d, r.verdicts())
	}
	d = append(d, r.sections(), f.reliability())
	return append(d, report.Notes(f.Notes))
}

// reliability returns the reliability diagram as a table.
func (f *Statistics) reliability() report.Block {
	t := report.Table{Title: f.reliabilityTitle(), Columns: []report.Column{
		{Name: "score"}, {Name: "rows", Right: true}, {Name: "mean score", Right: true}, {Name: "faithful", Right: true}, {Name: "0" + strings.Repeat(" ", barWidth-2) + "1", Text: true},
	}, Foot: "bar: share of faithful rows; line: mean score"}
	if f.Reliability.Bins == nil {
		return report.Paragraph(report.Capitalize(f.reliabilityTitle()) + ": " + string(f.Reliability.Note) + ".")
	}
	for i := range f.Reliability.Bins {
		b := &f.Reliability.Bins[i]
		t.AddRow(binRange(b), strconv.Itoa(b.N), f.format(b.Mean), f.format(b.Share), bar(b))
	}
	return t
}

// barWidth is the width of a bar in cells.
const barWidth = 20

// bar draws the share of faithful rows of a bin, with a mark at their mean score. If the
// score is calibrated, the bar ends at the mark.
func bar(b *stats.Bin) string {
	full := int(math.Round(b.Share * barWidth))
	cells := []rune(strings.Repeat("█", full) + strings.Repeat("·", barWidth-full))
	cells[min(barWidth-1, int(b.Mean*barWidth))] = '│'
	return string(cells)
}
