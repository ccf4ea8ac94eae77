package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
)

// The drawing of the histogram, in units of its own.
const (
	drawHeight = 162
	drawBase   = 138 // y of the axis
	drawTop    = 24  // y of the highest bar: its count stands above it
	drawStep   = 22
	drawBar    = 19
	drawWidth  = compare.Bins*drawStep + 8
)

// A drawing is a histogram ready to be drawn.
type drawing struct {
	Width, Height, Base int
	Bars                []bar
	Ticks               []tick
	Text                string // says what is seen
}

type bar struct {
	X, Y, W, H, Middle, Label, Count int
	Range, Way                       string
}

type tick struct {
	X    int
	Text string
}

// draw lays out the histogram of differences.
func draw(counts *[compare.Bins]int) drawing {
	const middle = compare.Bins / 2
	d := drawing{Width: drawWidth, Height: drawHeight, Base: drawBase}
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	var told []string
	for i, n := range counts {
		x := 4 + i*drawStep
		h := (n*(drawBase-drawTop) + most - 1) / most // a row is seen, however many there are
		b := bar{X: x + (drawStep-drawBar)/2, Y: drawBase - h, W: drawBar, H: h, Middle: x + drawStep/2, Label: drawBase - h - 5, Count: n}
		switch {
		case i < middle:
			b.Way, b.Range = "worse", fmt.Sprintf("down by %s to %s", tenth(middle-1-i), tenth(middle-i))
		case i > middle:
			b.Way, b.Range = "better", fmt.Sprintf("up by %s to %s", tenth(i-middle-1), tenth(i-middle))
		default:
			b.Way, b.Range = "same", "no difference"
		}
		d.Bars = append(d.Bars, b)
		if n > 0 {
			told = append(told, b.Range+": "+strconv.Itoa(n))
		}
	}
	for _, t := range []struct {
		at   int
		text string
	}{{0, "-1"}, {5, "-0.5"}, {middle, "0"}, {compare.Bins - 6, "+0.5"}, {compare.Bins - 1, "+1"}} {
		d.Ticks = append(d.Ticks, tick{4 + t.at*drawStep + drawStep/2, t.text})
	}
	d.Text = "No row is compared."
	if told != nil {
		d.Text = "Rows by their difference: " + strings.Join(told, ", ") + "."
	}
	return d
}

func tenth(n int) string { return strconv.FormatFloat(float64(n)/10, 'f', -1, 64) }
