package page

// The geometry of a histogram, in units of its view box.
const (
	histogramHeight = 162
	histogramAxis   = 138 // y of the axis
	labelGap        = 5   // between a bar and its count
)

// A Histogram is an SVG drawing of counts.
type Histogram struct {
	Width int
	Top   int // y of the tallest bar, leaving space for its count
	Bars  []Bar
	Ticks []Tick
	Mean  *Mean  // nil if there is none
	Label string // description for screen readers
}

// A Bar is a count at a position of the axis.
type Bar struct {
	X, Width int
	Count    int
	Range    string // values counted
	Class    string // CSS class; optional
	Y        int    // set by Layout
}

// A Tick is a label of the axis.
type Tick struct {
	X    int
	Text string
}

// A Mean is a vertical line with a label to its left or right.
type Mean struct {
	Tick
	Left bool
}

// Layout sets the height of each bar. A bar with a count is never invisible.
func (h *Histogram) Layout() {
	tallest := 1
	for i := range h.Bars {
		tallest = max(tallest, h.Bars[i].Count)
	}
	for i := range h.Bars {
		b := &h.Bars[i]
		b.Y = histogramAxis - (b.Count*(histogramAxis-h.Top)+tallest-1)/tallest
	}
}

// Height returns the height of the drawing.
func (h *Histogram) Height() int { return histogramHeight }

// Axis returns the y coordinate of the axis.
func (h *Histogram) Axis() int { return histogramAxis }

// Height returns the height of the bar.
func (b Bar) Height() int { return histogramAxis - b.Y }

// Middle returns the x coordinate of the count.
func (b Bar) Middle() int { return b.X + b.Width/2 }

// LabelY returns the y coordinate of the count.
func (b Bar) LabelY() int { return b.Y - labelGap }
