// Package html writes results as one page that opens from a disk, without a
// network: the figures of a run, its gates, a histogram, and a table whose rows
// open to claims and evidence side by side.
//
// The page is made for texts that nobody vouches for. Rows are embedded
// compressed and in base64, where no text can end its element, and become text
// nodes and nothing else. The figures go through html/template. A
// Content-Security-Policy lets only the script and the style run that are named
// by their hash, and lets nothing be fetched.
package html

import (
	"fmt"
	"io"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	// maxRows and maxBytes are how much a page holds unless Run says otherwise:
	// what a browser opens within two seconds.
	maxRows  = 20_000
	maxBytes = 56_000_000
)

// A Run is what a page says of the run besides its rows.
type Run struct {
	Datasets []string  // names as they were given
	Settings []Setting // what decided the results, in the order in which it is shown
	// Conclude is asked by Close for what is only known after the last row. It
	// may be nil.
	Conclude func(*report.Tally) Conclusion
	// MaxRows and MaxBytes limit the rows in the table and the bytes that they
	// take in the file; 20,000 and 56 MB for 0. Rows beyond are counted, and the
	// page says so.
	MaxRows  int
	MaxBytes int64
}

// A Setting is a named fact of a run.
type Setting struct{ Name, Value string }

// A Conclusion is what came of a run.
type Conclusion struct {
	Figures []Figure // further figures of the scores, such as an interval of the mean
	Gates   []Gate   // none where none was asked for
}

// A Figure is a number with its name, as it is shown.
type Figure struct {
	Name, Value string
	Note        string // what it rests on; may be empty
}

// A Gate is a condition of the run and its outcome.
type Gate struct {
	Text   string
	Passed bool
}

// A Writer writes results as a page. It is a report.Writer. Its memory does not
// grow with the number of rows: they are written as they come, and the figures
// after them.
type Writer struct {
	w        io.Writer
	run      Run
	page     *page
	tally    report.Tally
	bins     bins
	packer   packer
	embedded int  // rows in the file
	full     bool // no further row is embedded
	begun    bool
}

// New returns a Writer of a page about run to w. Nothing is written before the
// first row.
func New(w io.Writer, run Run) (*Writer, error) {
	if run.MaxRows <= 0 {
		run.MaxRows = maxRows
	}
	if run.MaxBytes <= 0 {
		run.MaxBytes = maxBytes
	}
	p, err := newPage()
	if err != nil {
		return nil, fmt.Errorf("report page: %w", err)
	}
	return &Writer{w: w, run: run, page: p, packer: packer{w: w}}, nil
}

// Write counts r and embeds it, unless the page is full.
func (w *Writer) Write(r *result.Row) error {
	if err := w.begin(); err != nil {
		return err
	}
	_ = w.tally.Write(r) // has no error
	w.bins.add(r.Faithfulness)
	if w.full {
		return nil
	}
	if w.embedded == w.run.MaxRows || w.packer.written >= w.run.MaxBytes {
		w.full = true
		return nil
	}
	w.embedded++
	return w.packer.add(r)
}

// begin writes what stands before the rows.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	w.begun = true
	return w.page.head(w.w, w.run.Datasets)
}

// Close writes the rest of the rows and the page around them.
func (w *Writer) Close() error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.packer.flush(); err != nil {
		return err
	}
	var end Conclusion
	if w.run.Conclude != nil {
		end = w.run.Conclude(&w.tally)
	}
	return w.page.tail(w.w, w.view(end))
}

// view is what the page shows of a run that has ended.
func (w *Writer) view(end Conclusion) view {
	f := &w.tally.Faithfulness
	v := view{
		Datasets: w.run.Datasets, Settings: w.run.Settings,
		Tally: &w.tally, Embedded: w.embedded, Beyond: w.tally.Rows - w.embedded,
		Valued:  f.Count(),
		Mean:    number(f.Mean()),
		Figures: end.Figures,
		Gates:   end.Gates,
		Passed:  true,
		Rest: []Figure{
			{Name: "standard deviation", Value: number(f.Std())},
			{Name: "lowest", Value: number(f.Min())},
			{Name: "25%", Value: number(f.Quantile(0.25))},
			{Name: "median", Value: number(f.Quantile(0.5))},
			{Name: "75%", Value: number(f.Quantile(0.75))},
			{Name: "highest", Value: number(f.Max())},
		},
	}
	for _, g := range end.Gates {
		v.Passed = v.Passed && g.Passed
	}
	v.Histogram = w.bins.draw(f.Mean())
	return v
}

// number shows a figure with four decimals, and one that there is not as a dash.
func number(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.4f", x)
}
