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
	f := r.Statistics
	d := report.Document{
		report.Heading("Judge calibration"),
		report.Paragraph(r.Advice()),
		report.Facts{{Name: "results", Value: r.source(), Text: true}, {Name: "judge", Value: r.judge(), Text: true}, {Name: "rows", Value: f.counts()}},
	}
	if f.Positive.N > 0 {
		d = append(d, r.verdicts())
	}
	return append(d, r.sections(), report.Notes(f.Notes))
}

// A Page is the text of an HTML page.
type Page struct {
	Advice                string
	Source, Judge, Counts string
	Notes                 []string
	Verdicts              []report.Table // at most one
	Sections              report.Tables
}

// Page returns what the HTML page shows.
func (r *Report) Page() *Page {
	f := r.Statistics
	p := &Page{Advice: r.Advice(), Source: r.source(), Judge: r.judge(), Counts: f.counts(), Notes: f.Notes, Sections: r.sections()}
	if f.Positive.N > 0 {
		p.Verdicts = append(p.Verdicts, r.verdicts())
	}
	return p
}
