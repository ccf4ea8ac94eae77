package html

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
)

// maxComparisonBytes limits the size of the rows in the page, so that a browser opens the page within two seconds.
const maxComparisonBytes = 20_000_000

// WriteComparison writes a comparison of two runs as one HTML page that works offline: the
// statistics, the gate, a histogram of the differences, and the changed rows, which open to
// both answers and the claims whose verdict changed. The script only searches, filters and
// sorts, so the page works without it.
func WriteComparison(w io.Writer, c *compare.Comparison) error {
	return writeComparison(w, c, maxComparisonBytes)
}

func writeComparison(w io.Writer, c *compare.Comparison, limit int) error {
	t, err := parse("comparison", "main.js")
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
	if d := c.Difference.Estimate; !math.IsNaN(d) {
		mean = compare.Signed(d)
	}
	var sides report.Facts
	for _, s := range []*compare.Side{&c.Baseline, &c.Candidate} {
		sides = append(sides, report.Fact{Name: s.Name, Value: fmt.Sprintf("%s; %d of %s supported", s.Describe(), s.Supported, report.Count(s.Claims, "claim", "claims"))})
	}
	return t.ExecuteTemplate(w, "page.tmpl", struct {
		*compare.Comparison
		Gates          []report.Gate
		Mean, Was, Is  string
		Facts, Sides   report.Facts
		Histogram      *chart
		RowsHTML       template.HTML
		Shown, Omitted int
	}{
		Comparison: c, Gates: c.Gates(),
		Mean: mean, Was: compare.Score(c.Baseline.Mean), Is: compare.Score(c.Candidate.Mean),
		Facts: c.Facts(), Sides: sides,
		Histogram: histogram(&c.Histogram),
		RowsHTML:  template.HTML(rows.String()), //nolint:gosec // output of the template
		Shown:     shown, Omitted: c.Changed - shown,
	})
}

// histogram draws the differences of the compared rows.
func histogram(counts *[compare.Bins]int) *chart {
	const left, binWidth, barWidth, middle = 4, 22, 19, compare.Bins / 2
	h := &chart{Width: compare.Bins*binWidth + 2*left, Label: "No row is compared."}
	for i, n := range counts {
		bar := chartBar{X: left + i*binWidth + (binWidth-barWidth)/2, Width: barWidth, Count: n, From: strconv.Itoa(i), To: strconv.Itoa(i + 1)}
		switch {
		case i < middle:
			bar.Class, bar.Range = "worse", fmt.Sprintf("down by %s to %s", tenths(middle-1-i), tenths(middle-i))
		case i > middle:
			bar.Class, bar.Range = "better", fmt.Sprintf("up by %s to %s", tenths(i-middle-1), tenths(i-middle))
		default:
			bar.Class, bar.Range = "same", "no difference"
		}
		h.Bars = append(h.Bars, bar)
	}
	found := h.layout()
	for i, text := range []string{"-1", "-0.5", "0", "+0.5", "+1"} {
		h.Ticks = append(h.Ticks, chartTick{X: left + i*middle/2*binWidth + binWidth/2, Text: text})
	}
	if found != "" {
		h.Label = "Rows by difference: " + found + "."
	}
	return h
}
