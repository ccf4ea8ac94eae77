package html

import (
	"fmt"
	"math"
)

// binCount is the number of bins: ten of width 0.1, and one for rows with a score of 1,
// which would otherwise disappear among those from 0.9.
const binCount = 11

// bins counts scores.
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

// binRange describes the scores of a bin.
func binRange(i int) string {
	switch i {
	case binCount - 1:
		return "exactly 1"
	case binCount - 2:
		return "0.9 to below 1"
	}
	return fmt.Sprintf("0.%d to below 0.%d", i, i+1)
}
