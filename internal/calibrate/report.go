package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// The settings of a run that are used here, by their name in its summary.
const (
	settingJudge     = "--judge"
	settingThreshold = "--threshold"
	judgeLLM         = "llm"
)

// A Choice is the threshold for the claims of later runs.
type Choice struct {
	Threshold float64 `json:"threshold"`               // of score --calibration; NaN if no threshold is known
	Own       bool    `json:"threshold_is_judges_own"` // the threshold of the run itself
	Advice    string  `json:"advice"`                  // what to do, in a sentence
	Why       string  `json:"threshold_note"`

	unknown bool // the threshold of the run is best, but unknown
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

// format formats a statistic with the decimals that the sample carries: one more than the first
// decimal of the largest standard error of a share, but two to four.
func (c *Calibration) format(x float64) string {
	const minDecimals, maxDecimals = 2, 4
	standardError := 0.5 / math.Sqrt(float64(c.Counts.Labelled))
	decimals := min(max(int(math.Ceil(-math.Log10(standardError))), minDecimals), maxDecimals)
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// formatShortest formats x with as many digits as it needs.
func formatShortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// percent formats a share in percent.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + "%" }

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

// source describes the results and the labels.
func (c *Calibration) source() string {
	text := c.Results + ", labels in column " + c.Label
	if c.Labels != "" {
		text += " of " + string(c.Labels)
	}
	if c.PositiveAt != nil {
		text += ", faithful from " + formatShortest(*c.PositiveAt)
	}
	return report.Printable(text)
}

// counts describes the rows.
func (c *Calibration) counts() string {
	n := &c.Counts
	return fmt.Sprintf("%d: %d with a label and a score (%d faithful, %d not), %d without a label",
		n.Rows, n.Labelled, n.Faithful, n.Labelled-n.Faithful, n.Unlabelled)
}

// judge describes the judge.
func (c *Calibration) judge() string {
	if c.Settings == nil {
		return "unknown (no summary of the run)"
	}
	var parts []string
	for _, name := range []string{settingJudge, "--model", "--claims", "--evidence", settingThreshold} {
		if value := c.setting(name); value != "" {
			parts = append(parts, strings.TrimPrefix(strings.TrimPrefix(name, settingJudge), "--")+" "+value)
		}
	}
	return report.Printable(strings.TrimSpace(strings.Join(parts, ", ")))
}

// missing is shown for a number that cannot be computed.
const missing = "–"

// orMissing formats x, unless it is NaN.
func orMissing(x float64, format func(float64) string) string {
	if math.IsNaN(x) {
		return missing
	}
	return format(x)
}

// newSection returns a table of statistics.
func newSection(title string) report.Table {
	return report.Table{Columns: []report.Column{{Name: title}, {Name: "estimate", Right: true}, {Name: "95% interval"}, {Name: "note", Prose: true}}}
}

// addInterval adds a statistic with its interval and a note, which explains missing numbers.
func (c *Calibration) addInterval(t *report.Table, name string, i stats.Interval, note string) {
	estimate, interval := missing, ""
	if i.Reliable() && !math.IsNaN(i.Estimate) {
		estimate, interval = c.format(i.Estimate), c.format(i.Lower)+" to "+c.format(i.Upper)
	}
	if i.Note != "" && note != "" {
		note = "; " + note
	}
	t.AddRow(name, estimate, interval, i.Note+note)
}

// sections returns all statistics except the numbers of rows by verdict and label.
func (c *Calibration) sections() report.Tables {
	scores, verdicts := newSection("agreement of scores with labels"), newSection("agreement of verdicts with labels")
	for _, s := range Scores() {
		c.addInterval(&scores, "AUROC, "+s.String(), c.Agreement[s].AUROC, "")
	}
	for _, s := range Scores() {
		c.addInterval(&scores, "Spearman, "+s.String(), c.Agreement[s].Spearman, "")
	}
	c.addInterval(&verdicts, "balanced accuracy", c.Judged.BalancedAccuracy, "")
	c.addInterval(&verdicts, "kappa", c.Judged.Kappa, "")
	sections := report.Tables{scores, verdicts, c.threshold()}
	if fit := c.Confidence; fit != nil {
		t := newSection("confidence of verdicts")
		t.AddRow("calibration error, of the judge", c.format(fit.Before), "", "")
		t.AddRow("calibration error, refitted", c.format(fit.After), "", "in cross-validation; score --calibration uses it")
		sections = append(sections, t)
	}
	if c.Prescreen != nil {
		sections = append(sections, c.bounds())
	}
	return append(sections, c.mean())
}

// verdicts returns the numbers of rows by verdict and label.
func (c *Calibration) verdicts() report.Table {
	j := &c.Judged
	judge := "judge"
	if t := c.setting(settingThreshold); t != "" && (c.setting(settingJudge) != judgeLLM || c.Counts.Graded > 0) {
		judge += ", threshold " + report.Printable(t)
	}
	t := report.Table{Columns: []report.Column{{Name: judge}, {Name: "labelled faithful", Right: true}, {Name: "labelled unfaithful", Right: true}}}
	t.AddRow("all claims supported", strconv.Itoa(j.TruePositive), strconv.Itoa(j.FalsePositive))
	t.AddRow("some claim unsupported", strconv.Itoa(j.FalseNegative), strconv.Itoa(j.TrueNegative))
	return t
}

func (c *Calibration) threshold() report.Table {
	b := &c.Best
	t := newSection("threshold for the minimum claim score")
	if b.OutOfFold.Reliable() {
		t.AddRow("best threshold", formatShortest(b.Threshold), "", c.format(b.Low)+" to "+c.format(b.High)+" in cross-validation")
		c.addInterval(&t, "balanced accuracy, cross-validated", b.OutOfFold, "")
		t.AddRow("balanced accuracy, on these rows", c.format(b.Apparent), "", "too high, since these rows determined the threshold")
	}
	why := c.Why
	if c.Own {
		why = "the threshold of the run; " + why
	}
	t.AddRow("for score --calibration", orMissing(c.Threshold, formatShortest), "", why)
	return t
}

func (c *Calibration) mean() report.Table {
	m := &c.Mean
	t := newSection("mean")
	t.AddRow("faithfulness, by the judge", orMissing(m.Judged, c.format), "", fmt.Sprintf("%d rows", m.Rows))
	note := ""
	switch {
	case c.Counts.Unlabelled == 0:
		note = "the same, since all rows have a label"
	case m.Mean.Reliable():
		note = fmt.Sprintf("from %d rows with a label and %d without; valid if the labelled rows are a random sample", m.Mean.N, c.Counts.Unlabelled)
	}
	c.addInterval(&t, "label, labelled rows", m.Labelled, "")
	c.addInterval(&t, "label, all rows", m.Mean, note)
	return t
}
