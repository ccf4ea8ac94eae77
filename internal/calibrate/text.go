package calibrate

import (
	"io"

	"github.com/ragfaith/ragfaith/internal/report"
)

// WriteTable writes the report for a terminal that is width cells wide; 0 means 120.
func (c *Calibration) WriteTable(w io.Writer, width int) error {
	_, err := io.WriteString(w, c.document().Terminal(width))
	return err
}

// WriteMarkdown writes the report for a pull request. Names of files and columns are in
// code spans.
func (c *Calibration) WriteMarkdown(w io.Writer) error {
	_, err := io.WriteString(w, c.document().Markdown())
	return err
}

func (c *Calibration) document() report.Document {
	p := c.Page()
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
func (c *Calibration) Page() *Page {
	return &Page{
		Advice: c.Advice, Source: c.source(), Judge: c.judge(), Counts: c.counts(), Notes: c.Notes,
		Verdicts: c.verdicts(), Sections: c.sections(),
	}
}
