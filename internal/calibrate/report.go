package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// The settings of a run that are used here, by their name in its summary.
const (
	settingJudge     = "--judge"
	settingThreshold = "--threshold"
	judgeLLM         = "llm"
)

// A Report consists of the statistics and their source.
type Report struct {
	Statistics *Statistics
	Ragfaith   string   // version of the program
	Results    string   // file of the results, as named by the user
	Labels     string   // file of the labels; empty if they are in Results
	Label      string   // column of the labels
	PositiveAt *float64 // as in Options
	// Settings are the options of the run, or nil if unknown.
	Settings result.Settings
}

// A Choice is the threshold for the claims of later runs.
type Choice struct {
	Threshold float64 // NaN if no threshold is known
	Own       bool    // the threshold of the run itself
	Why       string

	unknown bool // the threshold of the run is best, but unknown
}

// Choice returns the best threshold if it is clearly better on other rows than that of the
// run, and otherwise that of the run. Since only the best threshold was fitted to the
// labels, its cross-validated accuracy is compared with the accuracy of the run on these
// rows. The margin is one standard error, the rule of Breiman, Friedman, Olshen and Stone,
// "Classification and Regression Trees" (1984): with 30 labels the best threshold varies by
// 0.1 and more between samples.
func (r *Report) Choice() Choice {
	f := r.Statistics
	none := func(why string) Choice { return Choice{Threshold: math.NaN(), Why: why} }
	switch {
	case r.Settings.Get(settingJudge) == judgeLLM && f.Counts.Graded == 0:
		return none("a language model returns verdicts, which have no threshold")
	case r.Settings.Get(settingJudge) == judgeLLM && f.Counts.Graded < f.Counts.Claims:
		return none(fmt.Sprintf("%d of %d scores are verdicts, which have no threshold", f.Counts.Claims-f.Counts.Graded, f.Counts.Claims))
	case !f.Best.OutOfFold.Reliable():
		return none(f.Best.OutOfFold.Note)
	case !f.separates():
		return none("the minimum claim score does not separate the labels better than chance")
	}
	const z95 = 1.959963984540054 // half the width of a 95% interval in standard errors
	best := f.Best.OutOfFold
	standardError := (best.Upper - best.Lower) / (2 * z95)
	if best.Estimate-standardError > f.Judged.BalancedAccuracy.Estimate {
		return Choice{Threshold: f.Best.Threshold, Why: "clearly better in cross-validation than the threshold of the run"}
	}
	why := formatShortest(f.Best.Threshold) + " is not clearly better in cross-validation"
	own, err := strconv.ParseFloat(r.Settings.Get(settingThreshold), 64)
	if err != nil || !(own >= 0 && own <= 1) {
		return Choice{Threshold: math.NaN(), Why: why, unknown: true}
	}
	return Choice{Threshold: own, Own: true, Why: why}
}

// separates reports whether the score is higher for faithful rows, as far as the labels
// show. If not, a threshold that fits them fits by chance.
func (f *Statistics) separates() bool {
	auroc := f.Scores[0].AUROC
	return !auroc.Reliable() || auroc.Lower > 0.5
}

// format formats a statistic with the decimals that the sample carries: one more than the first
// decimal of the largest standard error of a share, but two to four.
func (f *Statistics) format(x float64) string {
	const minDecimals, maxDecimals = 2, 4
	standardError := 0.5 / math.Sqrt(float64(f.Counts.Labelled))
	decimals := min(max(int(math.Ceil(-math.Log10(standardError))), minDecimals), maxDecimals)
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// formatShortest formats x with as many digits as it needs.
func formatShortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// percent formats a share in percent.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + "%" }

// Advice returns a recommendation in plain words.
func (r *Report) Advice() string {
	f, choice := r.Statistics, r.Choice()
	auroc := f.Scores[0].AUROC
	quality := fmt.Sprintf("(AUROC %s, 95%% interval %s to %s)", f.format(auroc.Estimate), f.format(auroc.Lower), f.format(auroc.Upper))
	own := percent(f.Judged.BalancedAccuracy.Estimate)
	best, crossValidated := formatShortest(f.Best.Threshold), percent(f.Best.OutOfFold.Estimate)
	const weights = " (both labels weighted equally)"
	switch {
	case auroc.Reliable() && auroc.Upper < 0.5:
		return "Check the labels: rows labelled faithful have a lower minimum claim score " + quality + "; 1 must mean faithful."
	case !f.separates():
		return "Try another judge: the minimum claim score does not separate the labels better than chance " + quality + ", so no threshold helps."
	case !f.Judged.BalancedAccuracy.Reliable():
		return "Label more rows: " + f.Judged.BalancedAccuracy.Note + "."
	case choice.Own:
		return "Keep --threshold " + formatShortest(choice.Threshold) + ": it agrees with the labels in " + own + " of rows; the best, " + best + ", in " + crossValidated + " in cross-validation" + weights + "."
	case !math.IsNaN(choice.Threshold):
		run := cmp.Or(r.Settings.Get(settingThreshold), "the threshold of the run")
		return "Use --threshold " + best + ": it agrees with the labels in " + crossValidated + " of rows in cross-validation, " + run + " in " + own + weights + "."
	}
	first := "Choose no threshold: " + choice.Why + "."
	if choice.unknown {
		first = "Keep the threshold of the run: no other is clearly better in cross-validation."
	}
	return first + " The verdicts agree with the labels in " + own + " of rows, with both labels weighted equally."
}

// source describes the results and the labels.
func (r *Report) source() string {
	text := r.Results + ", labels in column " + r.Label
	if r.Labels != "" {
		text += " of " + r.Labels
	}
	if r.PositiveAt != nil {
		text += ", faithful from " + formatShortest(*r.PositiveAt)
	}
	return report.Printable(text)
}

// counts describes the rows.
func (f *Statistics) counts() string {
	c := f.Counts
	return fmt.Sprintf("%d: %d with a label and a score (%d faithful, %d not), %d without a label",
		c.Rows, c.Labelled, c.Faithful, c.Labelled-c.Faithful, c.Unlabelled)
}

// judge describes the judge.
func (r *Report) judge() string {
	if r.Settings == nil {
		return "unknown (no summary of the run)"
	}
	var parts []string
	for _, name := range []string{settingJudge, "--model", "--claims", "--evidence", settingThreshold} {
		if value := r.Settings.Get(name); value != "" {
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
func (f *Statistics) addInterval(t *report.Table, name string, i stats.Interval, note string) {
	estimate, interval := missing, ""
	if i.Reliable() && !math.IsNaN(i.Estimate) {
		estimate, interval = f.format(i.Estimate), f.format(i.Lower)+" to "+f.format(i.Upper)
	}
	if i.Note != "" && note != "" {
		note = "; " + note
	}
	t.AddRow(name, estimate, interval, i.Note+note)
}

// sections returns all statistics except the numbers of rows by verdict and label.
func (r *Report) sections() report.Tables {
	f := r.Statistics
	scores, verdicts := newSection("agreement of scores with labels"), newSection("agreement of verdicts with labels")
	for _, a := range f.Scores {
		f.addInterval(&scores, "AUROC, "+a.Score.String(), a.AUROC, "")
	}
	for _, a := range f.Scores {
		f.addInterval(&scores, "Spearman, "+a.Score.String(), a.Spearman, "")
	}
	f.addInterval(&verdicts, "balanced accuracy", f.Judged.BalancedAccuracy, "")
	f.addInterval(&verdicts, "kappa", f.Judged.Kappa, "")
	sections := report.Tables{scores, verdicts, r.threshold()}
	if c := f.Confidence; c != nil {
		t := newSection("confidence of verdicts")
		t.AddRow("calibration error, of the judge", f.format(c.Before), "", "")
		t.AddRow("calibration error, refitted", f.format(c.After), "", "in cross-validation; score --calibration uses it")
		sections = append(sections, t)
	}
	if r.hasPrescreen() {
		sections = append(sections, r.bounds())
	}
	return append(sections, f.mean())
}

// verdicts returns the numbers of rows by verdict and label.
func (r *Report) verdicts() report.Table {
	j := &r.Statistics.Judged
	judge := "judge"
	if t := r.Settings.Get(settingThreshold); t != "" && (r.Settings.Get(settingJudge) != judgeLLM || r.Statistics.Counts.Graded > 0) {
		judge += ", threshold " + report.Printable(t)
	}
	t := report.Table{Columns: []report.Column{{Name: judge}, {Name: "labelled faithful", Right: true}, {Name: "labelled unfaithful", Right: true}}}
	t.AddRow("all claims supported", strconv.Itoa(j.TruePositive), strconv.Itoa(j.FalsePositive))
	t.AddRow("some claim unsupported", strconv.Itoa(j.FalseNegative), strconv.Itoa(j.TrueNegative))
	return t
}

func (r *Report) threshold() report.Table {
	f, choice := r.Statistics, r.Choice()
	b := &f.Best
	t := newSection("threshold for the minimum claim score")
	if b.OutOfFold.Reliable() {
		t.AddRow("best threshold", formatShortest(b.Threshold), "", f.format(b.Low)+" to "+f.format(b.High)+" in cross-validation")
		f.addInterval(&t, "balanced accuracy, cross-validated", b.OutOfFold, "")
		t.AddRow("balanced accuracy, on these rows", f.format(b.Apparent), "", "too high, since these rows determined the threshold")
	}
	why := choice.Why
	if choice.Own {
		why = "the threshold of the run; " + why
	}
	t.AddRow("for score --calibration", orMissing(choice.Threshold, formatShortest), "", why)
	return t
}

func (f *Statistics) mean() report.Table {
	m := &f.Mean
	t := newSection("mean")
	t.AddRow("faithfulness, by the judge", orMissing(m.Judged, f.format), "", fmt.Sprintf("%d rows", m.Rows))
	note := ""
	switch {
	case f.Counts.Unlabelled == 0:
		note = "the same, since all rows have a label"
	case m.Mean.Reliable():
		note = fmt.Sprintf("from %d rows with a label and %d without; valid if the labelled rows are a random sample", m.Mean.N, f.Counts.Unlabelled)
	}
	f.addInterval(&t, "label, labelled rows", m.Labelled, "")
	f.addInterval(&t, "label, all rows", m.Mean, note)
	return t
}
