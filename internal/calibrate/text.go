package calibrate

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/report"
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
	p := r.Page()
	return report.Document{
		report.Heading("Judge calibration"),
		report.Paragraph(p.Advice),
		report.Facts{{Name: "results", Value: p.Source, Text: true}, {Name: "judge", Value: p.Judge, Text: true}, {Name: "rows", Value: p.Counts}},
		p.Verdicts, p.Sections, report.Notes(p.Notes),
	}
}

// A Page is the content of the report.
type Page struct {
	Advice                string
	Source, Judge, Counts string
	Notes                 []string
	Verdicts              report.Table
	Sections              report.Tables
}

// Page returns the content of the report.
func (r *Report) Page() *Page {
	return &Page{
		Advice: r.Advice(), Source: r.source(), Judge: r.judge(), Counts: r.Statistics.counts(), Notes: r.Statistics.Notes,
		Verdicts: r.verdicts(), Sections: r.sections(),
	}
}
