package calibrate

import (
	"embed"
	"fmt"
	"io"
	"math"

	"github.com/ragfaith/ragfaith/internal/page"
	"github.com/ragfaith/ragfaith/internal/report"
)

//go:embed page
var files embed.FS

// The geometry of the reliability diagram, in units of its view box. The template has the
// axes.
const (
	plotLeft      = 56
	plotBottom    = 300
	plotSize      = 280
	minDotRadius  = 4.0
	maxDotRadius  = 18.0
	digitBaseline = 4 // from the middle of a digit
)

// A dot is a bin in the diagram and in the table next to it.
type dot struct {
	X, Y, R            string
	Range, Mean, Share string
	N                  int
}

// A tick labels both axes.
type tick struct{ X, Y, Text string }

// WriteHTML writes the report as an HTML page that works offline and has no script.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := page.Parse(files, "page")
	if err != nil {
		return err
	}
	f := r.Statistics
	var ticks []tick
	for _, x := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		ticks = append(ticks, tick{coordinate(plotLeft + x*plotSize), coordinate(plotBottom - x*plotSize + digitBaseline), fmt.Sprintf("%.1f", x)})
	}
	var verdicts []report.Table
	if f.Positive.N > 0 {
		verdicts = append(verdicts, r.verdicts())
	}
	return t.ExecuteTemplate(w, "page.tmpl", struct {
		Advice                string
		Source, Judge, Counts string
		Notes                 []string
		Verdicts              []report.Table // at most one
		Sections              report.Tables
		Title, Note           string // title and note of the reliability diagram
		Dots                  []dot
		Ticks                 []tick
	}{
		Advice: r.Advice(), Source: r.source(), Judge: r.judge(), Counts: f.counts(), Notes: f.Notes,
		Verdicts: verdicts, Sections: r.sections(),
		Title: report.Capitalize(f.reliabilityTitle()), Note: f.Reliability.Note, Dots: f.dots(), Ticks: ticks,
	})
}

// dots returns the dots of the bins, whose areas are proportional to the number of rows.
func (f *Statistics) dots() []dot {
	bins := f.Reliability.Bins
	largest := 0
	for i := range bins {
		largest = max(largest, bins[i].N)
	}
	dots := make([]dot, len(bins))
	for i := range bins {
		b := &bins[i]
		dots[i] = dot{
			X: coordinate(plotLeft + b.Mean*plotSize), Y: coordinate(plotBottom - b.Share*plotSize),
			R:     coordinate(max(minDotRadius, maxDotRadius*math.Sqrt(float64(b.N)/float64(largest)))),
			Range: binRange(b), Mean: f.format(b.Mean), Share: f.format(b.Share), N: b.N,
		}
	}
	return dots
}

// coordinate formats a coordinate of the diagram.
func coordinate(x float64) string { return fmt.Sprintf("%.1f", x) }
