package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/result"
)

// New returns the calibration of the judge of a run. settings are the options of the run, or
// nil if they are unknown.
func New(statistics *Statistics, source Source, settings result.Settings) *Calibration {
	c := &Calibration{Schema: Schema, Version: Version, Source: source, Kind: Verdicts, Statistics: *statistics}
	if source.PositiveAt != nil {
		c.Kind = Ratings
	}
	if settings != nil {
		c.Settings = &settings
	}
	if c.setting(settingJudge) == judgeLLM { // its confidences are about verdicts that it has made already
		c.Prescreen = nil
	}
	c.Choice = c.choose()
	c.Advice = c.advise()
	return c
}

// choose returns the best threshold if it is clearly better on other rows than that of the
// run, and otherwise that of the run. Since only the best threshold was fitted to the
// labels, its cross-validated accuracy is compared with the accuracy of the run on these
// rows. The margin is one standard error, the rule of Breiman, Friedman, Olshen and Stone,
// "Classification and Regression Trees" (1984): with 30 labels the best threshold varies by
// 0.1 and more between samples.
func (c *Calibration) choose() Choice {
	none := func(why string) Choice { return Choice{Threshold: math.NaN(), Why: why} }
	switch {
	case c.setting(settingJudge) == judgeLLM && c.Counts.Graded == 0:
		return none("a language model returns verdicts, which have no threshold")
	case c.setting(settingJudge) == judgeLLM && c.Counts.Graded < c.Counts.Claims:
		return none(fmt.Sprintf("%d of %d scores are verdicts, which have no threshold", c.Counts.Claims-c.Counts.Graded, c.Counts.Claims))
	case !c.Best.OutOfFold.Reliable():
		return none(c.Best.OutOfFold.Note)
	case !c.separates():
		return none("the minimum claim score does not separate the labels better than chance")
	}
	const z95 = 1.959963984540054 // half the width of a 95% interval in standard errors
	best := c.Best.OutOfFold
	standardError := (best.Upper - best.Lower) / (2 * z95)
	if best.Estimate-standardError > c.Judged.BalancedAccuracy.Estimate {
		return Choice{Threshold: c.Best.Threshold, Why: "clearly better in cross-validation than the threshold of the run"}
	}
	why := formatShortest(c.Best.Threshold) + " is not clearly better in cross-validation"
	own, err := strconv.ParseFloat(c.setting(settingThreshold), 64)
	if err != nil || !(own >= 0 && own <= 1) {
		return Choice{Threshold: math.NaN(), Why: why, unknown: true}
	}
	return Choice{Threshold: own, Own: true, Why: why}
}

// separates reports whether the score is higher for faithful rows, as far as the labels
// show. If not, a threshold that fits them fits by chance.
func (c *Calibration) separates() bool {
	auroc := c.Agreement[MinScore].AUROC
	return !auroc.Reliable() || auroc.Lower > 0.5
}

// advise returns a recommendation in plain words.
func (c *Calibration) advise() string {
	auroc := c.Agreement[MinScore].AUROC
	quality := fmt.Sprintf("(AUROC %s, 95%% interval %s to %s)", c.format(auroc.Estimate), c.format(auroc.Lower), c.format(auroc.Upper))
	own := percent(c.Judged.BalancedAccuracy.Estimate)
	best, crossValidated := formatShortest(c.Best.Threshold), percent(c.Best.OutOfFold.Estimate)
	const weights = " (both labels weighted equally)"
	switch {
	case auroc.Reliable() && auroc.Upper < 0.5:
		return "Check the labels: rows labelled faithful have a lower minimum claim score " + quality + "; 1 must mean faithful."
	case !c.separates():
		return "Try another judge: the minimum claim score does not separate the labels better than chance " + quality + ", so no threshold helps."
	case !c.Judged.BalancedAccuracy.Reliable():
		return "Label more rows: " + c.Judged.BalancedAccuracy.Note + "."
	case c.Own:
		return "Keep --threshold " + formatShortest(c.Threshold) + ": it agrees with the labels in " + own + " of rows; the best, " + best + ", in " + crossValidated + " in cross-validation" + weights + "."
	case !math.IsNaN(c.Threshold):
		run := cmp.Or(c.setting(settingThreshold), "the threshold of the run")
		return "Use --threshold " + best + ": it agrees with the labels in " + crossValidated + " of rows in cross-validation, " + run + " in " + own + weights + "."
	}
	first := "Choose no threshold: " + c.Why + "."
	if c.unknown {
		first = "Keep the threshold of the run: no other is clearly better in cross-validation."
	}
	return first + " The verdicts agree with the labels in " + own + " of rows, with both labels weighted equally."
}

// format formats a statistic with the decimals that the sample carries: one more than the first
// decimal of the largest standard error of a share, but two to four.
func (c *Calibration) format(x float64) string {
	const minDecimals, maxDecimals = 2, 4
	standardError := 0.5 / math.Sqrt(float64(c.Counts.Labelled))
	decimals := min(max(int(math.Ceil(-math.Log10(standardError))), minDecimals), maxDecimals)
	return strconv.FormatFloat(x, 'f', decimals, 64)
}
