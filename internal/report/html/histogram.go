package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The geometry of a histogram, in units of its view box. The template has its height.
const (
	histogramAxis = 166 // y of the axis, as in the template
	histogramTop  = 24  // y of the tallest bar, leaving space for its count
	labelGap      = 5   // between a bar and its count
)

// A chart is an SVG drawing of a histogram.
type chart struct {
	Width int
	Bars  []chartBar
	Ticks []chartTick
	Label string // description for screen readers
}

// A chartBar is a count on the axis. Selecting it sets min and max of the search form.
type chartBar struct {
	X, Width int
	Count    int
	Range    string // values counted
	From, To string // the same as numbers, without To; an empty To is no limit
	Class    string // CSS class; optional

	// Set by layout: the y of the top, the height, and the position of the count.
	Y, Height, Middle, LabelY int
}

// A chartTick is a label of the axis.
type chartTick struct {
	X    int
	Text string
}

// layout sets the height of each bar. A bar with a count is never
// invisible. It returns the ranges with a count and their counts as text.
func (h *chart) layout() string {
	var counts []string
	tallest := 1
	for i := range h.Bars {
		tallest = max(tallest, h.Bars[i].Count)
	}
	for i := range h.Bars {
		b := &h.Bars[i]
		b.Height = (b.Count*(histogramAxis-histogramTop) + tallest - 1) / tallest
		b.Y, b.Middle = histogramAxis-b.Height, b.X+b.Width/2
		b.LabelY = b.Y - labelGap
		if b.Count > 0 {
			counts = append(counts, b.Range+": "+strconv.Itoa(b.Count))
		}
	}
	return strings.Join(counts, ", ")
}

// tenths formats n/10.
func tenths(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }

// binCount is the number of bins: ten of width 0.1, and one for rows with a score of 1,
// which would otherwise disappear among those from 0.9.
const binCount = 11

type bins [binCount]int

// add counts x, unless it is NaN.
func (b *bins) add(x float64) {
	if !math.IsNaN(x) {
		b[bin(x)]++
	}
}

// bin returns the bin of a score. A fraction that is a multiple of 0.1 in exact arithmetic
// belongs to the bin that it begins, even if its float64 is slightly lower.
func bin(x float64) int {
	const slack = 1e-9
	if x >= 1 {
		return binCount - 1
	}
	return max(0, min(binCount-2, int(math.Floor(x*10+slack))))
}

// The geometry of the histogram.
const (
	histogramWidth = 470
	axisLeft       = 12
	binWidth       = 40
	barWidth       = 36
	lastBarLeft    = axisLeft + 10*binWidth + 12 // bar of 1, separated from the others
	lastBarMiddle  = lastBarLeft + barWidth/2
)

// histogram draws the bins. The label contains the mean.
func (b *bins) histogram(mean float64) *chart {
	h := &chart{Width: histogramWidth, Label: "No row has a score."}
	total := 0
	for i, n := range b {
		total += n
		bar := chartBar{
			X: axisLeft + i*binWidth + (binWidth-barWidth)/2, Width: barWidth, Count: n,
			Range: binRange(i), From: tenths(i), To: tenths(i + 1),
		}
		if i == binCount-1 {
			bar.X, bar.Class, bar.To = lastBarLeft, "whole", ""
		}
		h.Bars = append(h.Bars, bar)
	}
	counts := h.layout()
	for i := 0; i < 10; i += 2 {
		h.Ticks = append(h.Ticks, chartTick{X: axisLeft + i*binWidth, Text: fmt.Sprintf("0.%d", i)})
	}
	h.Ticks = append(h.Ticks, chartTick{X: lastBarMiddle, Text: "1"})
	if total > 0 {
		h.Label = fmt.Sprintf("Scores of %d rows, mean %.4f. Rows by score: %s.", total, mean, counts)
	}
	return h
}

func binRange(i int) string {
	switch i {
	case binCount - 1:
		return "exactly 1"
	case binCount - 2:
		return "0.9 to below 1"
	}
	return fmt.Sprintf("0.%d to below 0.%d", i, i+1)
}
