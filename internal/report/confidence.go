package report

import (
	"fmt"
	"math"
	"strconv"
)

const (
	// UncertainBelow is the confidence below which a verdict is uncertain. A verdict at this
	// confidence is wrong in three of ten cases.
	UncertainBelow = 0.7
	// someUncertain is the share of uncertain verdicts from which the rows with such verdicts
	// need a check.
	someUncertain = 0.1
	// ManyUncertain is the share above which single verdicts are too often wrong to act on.
	ManyUncertain = 0.3
)

// UncertainShare returns the share of the verdicts with a confidence that are uncertain, or
// NaN if none has one.
func (t *Tally) UncertainShare() float64 { return float64(t.Uncertain) / float64(t.Confident) }

// Confidence describes the share of uncertain verdicts in a sentence without its period. It
// returns "" if no verdict has a confidence.
func (t *Tally) Confidence() string {
	if t.Confident == 0 {
		return ""
	}
	verdicts, are, advice := "verdicts", "are", ""
	if t.Confident == 1 {
		verdicts, are = "verdict", "is"
	}
	if t.Confident < t.Claims {
		verdicts += " with a confidence"
	}
	share := t.UncertainShare()
	switch {
	case share > ManyUncertain:
		advice = ": use the mean to compare systems, and check single rows with a better judge (--judge)"
	case share >= someUncertain:
		advice = ": check the rows with the lowest confidence first"
	}
	return fmt.Sprintf("%s%% of %d %s %s uncertain (confidence below %v)%s", strconv.FormatFloat(math.Round(1000*share)/10, 'f', -1, 64), t.Confident, verdicts, are, UncertainBelow, advice)
}
