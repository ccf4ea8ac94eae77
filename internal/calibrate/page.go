package calibrate

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"

	"github.com/ragfaith/ragfaith/internal/stats"
)

//go:embed page
var files embed.FS

// The reliability diagram, in units of its own.
const (
	plotLeft   = 56
	plotBottom = 300
	plotSide   = 280
	dotLeast   = 4.0 // radius of a dot of one row,
	dotMost    = 18.0
)

// A dot is a bin in the diagram and in the table beside it.
type dot struct {
	X, Y, R              string
	Between, Mean, Share string
	N                    int
}

type tick struct{ X, Y, Text string }

// WriteHTML writes the report as one page that needs no network. It has no
// script, and a Content-Security-Policy lets none run.
func (r *Report) WriteHTML(w io.Writer) error {
	style, err := files.ReadFile("page/style.css")
	if err != nil {
		return err
	}
	page, err := template.ParseFS(files, "page/page.tmpl")
	if err != nil {
		return err
	}
	f := r.Figures
	css := "\n" + string(style)
	sum := sha256.Sum256([]byte(css))
	return page.Execute(w, struct {
		Policy                string
		Style                 template.CSS
		Source, Judge, Counts string
		Notes                 []string
		Sections              []section
		Title, Missing        string
		Dots                  []dot
		Ticks                 []tick
	}{
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Style:  template.CSS(css), //nolint:gosec // it is a file of this package
		Source: r.source(), Judge: r.judge(), Counts: f.counts(), Notes: f.Notes, Sections: r.sections(),
		Title: capital(f.reliabilityTitle()), Missing: f.Reliability.Note, Dots: dots(f.Reliability.Bins), Ticks: ticks(),
	})
}

// dots places the bins; the area of a dot grows with its rows.
func dots(bins []stats.Bin) []dot {
	most := 0
	for i := range bins {
		most = max(most, bins[i].N)
	}
	var all []dot
	for i := range bins {
		b := &bins[i]
		all = append(all, dot{
			X: unit(plotLeft + b.Mean*plotSide), Y: unit(plotBottom - b.Share*plotSide),
			R:       unit(max(dotLeast, dotMost*math.Sqrt(float64(b.N)/float64(most)))),
			Between: between(b), Mean: decimals(b.Mean), Share: decimals(b.Share), N: b.N,
		})
	}
	return all
}

func ticks() []tick {
	var all []tick
	for _, at := range []float64{0, 0.2, 0.4, 0.6, 0.8, 1} {
		const middle = 4 // of the height of a digit
		all = append(all, tick{unit(plotLeft + at*plotSide), unit(plotBottom - at*plotSide + middle), fmt.Sprintf("%.1f", at)})
	}
	return all
}

// unit writes a place in the diagram.
func unit(x float64) string { return fmt.Sprintf("%.1f", x) }
