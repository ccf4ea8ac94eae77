package calibrate

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
)

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

// A Dot is a bin in the diagram and in the table next to it.
type Dot struct {
	X, Y, R            string
	Range, Mean, Share string
	N                  int
}

// A Tick labels both axes.
type Tick struct{ X, Y, Text string }

// A Page is the text of an HTML page.
type Page struct {
	Advice                string
	Source, Judge, Counts string
	Notes                 []string
	Verdicts              []report.Table // at most one
	Sections              report.Tables
	Title, Note           string // title and note of the reliability diagram
	Dots                  []Dot
	Ticks                 []Tick
}

// Page returns what the HTML page shows.
func (r *Report) Page() *Page {
	f := r.Statistics
	p := &Page{
		Advice: r.Advice(), Source: r.source(), Judge: r.judge(), Counts: f.counts(), Notes: f.Notes,
		Sections: r.sections(),
		Title:    report.Capitalize(f.reliabilityTitle()), Note: string(f.Reliability.Note), Dots: f.dots(),
	}
	for _, x := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		p.Ticks = append(p.Ticks, Tick{coordinate(plotLeft + x*plotSize), coordinate(plotBottom - x*plotSize + digitBaseline), fmt.Sprintf("%.1f", x)})
	}
	if f.Positive.N > 0 {
		p.Verdicts = append(p.Verdicts, r.verdicts())
	}
	return p
}

// dots returns the dots of the bins, whose areas are proportional to the number of rows.
func (f *Statistics) dots() []Dot {
	bins := f.Reliability.Bins
	largest := 0
	for i := range bins {
		largest = max(largest, bins[i].N)
	}
	dots := make([]Dot, len(bins))
	for i := range bins {
		b := &bins[i]
		dots[i] = Dot{
			X: coordinate(plotLeft + b.Mean*plotSize), Y: coordinate(plotBottom - b.Share*plotSize),
			R:     coordinate(max(minDotRadius, maxDotRadius*math.Sqrt(float64(b.N)/float64(largest)))),
			Range: binRange(b), Mean: f.format(b.Mean), Share: f.format(b.Share), N: b.N,
		}
	}
	return dots
}

// coordinate formats a coordinate of the diagram.
func coordinate(x float64) string { return fmt.Sprintf("%.1f", x) }
