// Package page writes a comparison of two runs as one HTML page that works offline: the
// statistics, the gate, a histogram of the differences, and the changed rows, which open to
// both answers and the claims whose verdict changed.
//
// The script only searches, filters and sorts, so the page works without it. Texts are
// escaped by html/template or by page.Visible, and the Content-Security-Policy allows
// nothing but the script and the style of the page.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"math"
	"strconv"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/compare/view"
	htmlpage "github.com/ragfaith/ragfaith/internal/page"
	"github.com/ragfaith/ragfaith/internal/report"
)

//go:embed page
var files embed.FS

// maxBytes limits the size of the rows in the page, so that a browser opens the page within two seconds.
const maxBytes = 20_000_000

// Write writes c as a page.
func Write(w io.Writer, c *compare.Comparison) error { return write(w, c, maxBytes) }

func write(w io.Writer, c *compare.Comparison, limit int) error {
	t, err := htmlpage.Parse(files, "page", "main.js")
	if err != nil {
		return err
	}
	var rows bytes.Buffer
	shown := 0
	for ; shown < len(c.Changes) && rows.Len() < limit; shown++ {
		if err := t.ExecuteTemplate(&rows, "row.tmpl", newRow(shown, &c.Changes[shown])); err != nil {
			return err
		}
	}
	mean := "–"
	if d := c.Stats.Difference.Estimate; !math.IsNaN(d) {
		mean = view.Signed(d)
	}
	var sides report.Facts
	for _, s := range []*compare.Side{&c.Baseline, &c.Candidate} {
		sides = append(sides, report.Fact{Name: s.Name, Value: fmt.Sprintf("%s; %d of %s supported", view.Rows(s), s.Supported, report.Count(s.Claims, "claim", "claims"))})
	}
	return t.ExecuteTemplate(w, "page.tmpl", struct {
		*compare.Comparison
		Gates          []report.Gate
		Passed         bool
		Mean, Was, Is  string
		Facts, Sides   report.Facts
		Groups         report.Tables
		Histogram      *htmlpage.Histogram
		RowsHTML       template.HTML
		Shown, Omitted int
	}{
		Comparison: c, Gates: c.Gates(), Passed: c.Passed(),
		Mean: mean, Was: view.Score(c.Baseline.Mean), Is: view.Score(c.Candidate.Mean),
		Facts: view.Facts(c), Sides: sides, Groups: view.Groups(c),
		Histogram: histogram(&c.Histogram),
		RowsHTML:  template.HTML(rows.String()), //nolint:gosec // output of the template
		Shown:     shown, Omitted: c.Changed - shown,
	})
}

// histogram draws the differences of the compared rows.
func histogram(counts *[compare.Bins]int) *htmlpage.Histogram {
	const left, binWidth, barWidth, middle = 4, 22, 19, compare.Bins / 2
	h := &htmlpage.Histogram{Width: compare.Bins*binWidth + 2*left, Top: 24, Label: "No row is compared."}
	for i, n := range counts {
		bar := htmlpage.Bar{X: left + i*binWidth + (binWidth-barWidth)/2, Width: barWidth, Count: n, From: strconv.Itoa(i), To: strconv.Itoa(i + 1)}
		switch {
		case i < middle:
			bar.Class, bar.Range = "worse", fmt.Sprintf("down by %s to %s", htmlpage.Tenths(middle-1-i), htmlpage.Tenths(middle-i))
		case i > middle:
			bar.Class, bar.Range = "better", fmt.Sprintf("up by %s to %s", htmlpage.Tenths(i-middle-1), htmlpage.Tenths(i-middle))
		default:
			bar.Class, bar.Range = "same", "no difference"
		}
		h.Bars = append(h.Bars, bar)
	}
	found := h.Layout()
	for i, text := range []string{"-1", "-0.5", "0", "+0.5", "+1"} {
		h.Ticks = append(h.Ticks, htmlpage.Tick{X: left + i*middle/2*binWidth + binWidth/2, Text: text})
	}
	if found != "" {
		h.Label = "Rows by difference: " + found + "."
	}
	return h
}
