package html

import (
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

// A chartBar is a count at a position of the axis. Selecting it sets the fields min and max of
// the search form.
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
