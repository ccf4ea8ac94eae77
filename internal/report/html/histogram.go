package html

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// binCount is ten bins of a tenth, and one of rows that are wholly supported,
// which would otherwise vanish among those from 0.9.
const binCount = 11

// bins counts scores.
type bins [binCount]int

// add counts x, unless it is NaN.
func (b *bins) add(x float64) {
	if !math.IsNaN(x) {
		b[bin(x)]++
	}
}

// bin returns the bin of a score. A k/n that is a tenth in exact arithmetic
// belongs to the bin that it begins, though its float may lie below.
func bin(x float64) int {
	const slack = 1e-9
	if x >= 1 {
		return binCount - 1
	}
	return max(0, min(binCount-2, int(math.Floor(x*10+slack))))
}

// The drawing of a histogram, in units of its own.
const (
	drawWidth  = 470
	drawHeight = 162
	drawBase   = 138 // y of the axis
	drawTop    = 36  // y of the highest bar: its count and the mean stand above it
	drawLeft   = 12
	drawStep   = 40
	drawOne    = drawLeft + 10*drawStep + 12 // x of the bar of 1, which stands apart
	drawBar    = 36
)

// A drawing is a histogram ready to be drawn.
type drawing struct {
	Width, Height, Base int
	Bars                []bar
	Ticks               []tick
	Mean                *tick  // nil without scores
	Text                string // says what is seen
}

// A bar has its place in the drawing, and what it counts.
type bar struct {
	X, Y, W, H, Middle int
	Label              int // y of Count
	Count              int
	Range              string
	Whole              bool // is the bar of 1
}

// A tick is a text at a place of the axis.
type tick struct {
	X      int
	Text   string
	Before bool // of the mean: its text ends there
}

// draw lays out the histogram, with a mark at the mean.
func (b *bins) draw(mean float64) drawing {
	d := drawing{Width: drawWidth, Height: drawHeight, Base: drawBase}
	most, total := 1, 0
	for _, n := range b {
		most, total = max(most, n), total+n
	}
	var told []string
	for i, n := range b {
		x := drawLeft + i*drawStep + (drawStep-drawBar)/2
		if i == binCount-1 {
			x = drawOne
		}
		h := (n*(drawBase-drawTop) + most - 1) / most // a row is seen, however many there are
		d.Bars = append(d.Bars, bar{
			X: x, Y: drawBase - h, W: drawBar, H: h, Middle: x + drawBar/2, Label: drawBase - h - 5,
			Count: n, Range: binRange(i), Whole: i == binCount-1,
		})
		if n > 0 {
			told = append(told, binRange(i)+": "+strconv.Itoa(n))
		}
	}
	for i := 0; i < 10; i += 2 {
		d.Ticks = append(d.Ticks, tick{X: drawLeft + i*drawStep, Text: fmt.Sprintf("0.%d", i)})
	}
	d.Ticks = append(d.Ticks, tick{X: drawOne + drawBar/2, Text: "1"})
	if total == 0 {
		d.Text = "No row has a score."
		return d
	}
	d.Mean = &tick{X: meanX(mean), Text: fmt.Sprintf("%.2f", mean), Before: mean > 0.5}
	d.Text = fmt.Sprintf("Scores of %d rows, mean %.4f. Rows by score: %s.", total, mean, strings.Join(told, ", "))
	return d
}

// meanX places the mean on the axis.
func meanX(mean float64) int {
	if mean >= 1 {
		return drawOne + drawBar/2
	}
	return drawLeft + int(math.Round(mean*10*drawStep))
}

// binRange names the scores of a bin.
func binRange(i int) string {
	switch i {
	case binCount - 1:
		return "exactly 1"
	case binCount - 2:
		return "0.9 to below 1"
	}
	return fmt.Sprintf("0.%d to below 0.%d", i, i+1)
}
