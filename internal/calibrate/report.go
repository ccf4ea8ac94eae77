package calibrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/setting"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// The settings of a run that are used here, by their name in its summary.
const (
	settingJudge     = "--judge"
	settingThreshold = "--threshold"
	judgeLLM         = "llm"
)

// A Report consists of the figures and their source.
type Report struct {
	Figures    *Figures
	Ragfaith   string   // version of the program
	Results    string   // file of the results, as named by the user
	Labels     string   // file of the labels; empty if they are in Results
	Label      string   // column of the labels
	PositiveAt *float64 // as in Options
	// Settings are the settings of the run; nil if unknown.
	Settings setting.List
}

// A Choice is the threshold for the claims of later runs.
type Choice struct {
	Threshold float64 // NaN if there is none
	Own       bool    // the threshold of the run itself
	Why       string
}

// Choice returns the best threshold if it is clearly better on other rows than that of the
// run, and otherwise that of the run. Since only the best threshold was fitted to the
// labels, its cross-validated accuracy is compared with the accuracy of the run on these
// rows. The margin is one standard error, the rule of Breiman, Friedman, Olshen and Stone,
// "Classification and Regression Trees" (1984): with 30 labels the best threshold varies by
// 0.1 and more between samples.
func (r *Report) Choice() Choice {
	f := r.Figures
	none := func(why string) Choice { return Choice{Threshold: math.NaN(), Why: why} }
	switch {
	case r.Settings.Get(settingJudge) == judgeLLM:
		return none("a language model returns verdicts, which have no threshold")
	case f.Score != MinScore:
		return none("a threshold for " + f.Score.String() + " is not one for claims; calibrate the " + MinScore.String())
	case !f.Best.OutOfFold.Reliable():
		return none(f.Best.OutOfFold.Note)
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
		return none(why)
	}
	return Choice{Threshold: own, Own: true, Why: why}
}

// format formats a figure with four decimals.
func format(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// formatShortest formats x with as many digits as it needs.
func formatShortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

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
func (f *Figures) counts() string {
	c := f.Counts
	text := fmt.Sprintf("%d rows: %d with a label and a score", c.Rows, c.Labelled)
	if !math.IsNaN(f.Positive.Estimate) {
		text += fmt.Sprintf(" (%d faithful, %d not)", f.Faithful, c.Labelled-f.Faithful)
	}
	return text + fmt.Sprintf(", %d without a label", c.Unlabelled)
}

// judge describes the judge.
func (r *Report) judge() string {
	if r.Settings == nil {
		return "unknown judge (no summary of the run)"
	}
	var parts []string
	for _, name := range []string{settingJudge, "--model", "--claims", "--evidence", settingThreshold} {
		if value := r.Settings.Get(name); value != "" {
			parts = append(parts, strings.TrimPrefix(name, "--")+" "+value)
		}
	}
	return report.Printable(strings.Join(parts, ", "))
}

// A section is a titled list of figures.
type section struct {
	Title string
	Lines []line
}

// A line is a figure with its interval. Note explains missing numbers.
type line struct {
	Name, Estimate, Interval, Note string
}

// missing stands for a number that cannot be computed.
const missing = "–"

// newLine formats an interval.
func newLine(name string, i stats.Interval) line {
	if !i.Reliable() || math.IsNaN(i.Estimate) {
		return line{Name: name, Estimate: missing, Note: i.Note}
	}
	return line{name, format(i.Estimate), format(i.Lower) + " to " + format(i.Upper), i.Note}
}

// sections returns all figures except those of the reliability diagram.
func (r *Report) sections() []section {
	f := r.Figures
	var auroc, spearman []line
	for _, a := range f.Scores {
		auroc = append(auroc, newLine("AUROC, "+a.Score.String(), a.AUROC))
		spearman = append(spearman, newLine("Spearman, "+a.Score.String(), a.Spearman))
	}
	verdicts := []line{newLine("balanced accuracy", f.Judged.BalancedAccuracy), newLine("kappa", f.Judged.Kappa)}
	if f.Positive.N > 0 {
		verdicts = append(verdicts, line{Name: "faithful according to", Note: fmt.Sprintf("both %d, only the judge %d, only the labels %d, neither %d",
			f.Judged.TruePositive, f.Judged.FalsePositive, f.Judged.FalseNegative, f.Judged.TrueNegative)})
	}
	return []section{
		{"agreement of scores with labels", append(auroc, spearman...)},
		{"agreement of verdicts with labels", verdicts},
		{"threshold for the " + f.Score.String(), r.thresholdLines()},
		{"mean", f.meanLines()},
	}
}

func (r *Report) thresholdLines() []line {
	b, choice := r.Figures.Best, r.Choice()
	var lines []line
	if b.OutOfFold.Reliable() {
		lines = []line{
			{"best threshold", formatShortest(b.Threshold), "", formatShortest(b.Low) + " to " + formatShortest(b.High) + " in cross-validation"},
			newLine("balanced accuracy, cross-validated", b.OutOfFold),
			{"balanced accuracy, on these rows", format(b.Apparent), "", "too high, since these rows determined the threshold"},
		}
	}
	use := line{"for score --calibration", missing, "", choice.Why}
	if !math.IsNaN(choice.Threshold) {
		use.Estimate = formatShortest(choice.Threshold)
		if choice.Own {
			use.Note = "the threshold of the run; " + use.Note
		}
	}
	return append(lines, use)
}

func (f *Figures) meanLines() []line {
	m := &f.Mean
	judged := line{Name: "faithfulness, by the judge", Estimate: missing, Note: fmt.Sprintf("%d rows", m.Rows)}
	if !math.IsNaN(m.Judged) {
		judged.Estimate = format(m.Judged)
	}
	labelled := newLine("label, labelled rows", m.Corrected.Labelled)
	corrected := newLine("label, all rows", m.Corrected.Mean)
	addNote := func(note string) {
		if corrected.Note != "" {
			note = corrected.Note + "; " + note
		}
		corrected.Note = note
	}
	switch {
	case m.Note != "":
		labelled.Note, corrected.Note = m.Note, m.Note
	case f.Counts.Unlabelled == 0:
		addNote("the same, since all rows have a label")
	case m.Corrected.Mean.Reliable():
		addNote(fmt.Sprintf("from %d rows with a label and %d without; valid if the labelled rows are a random sample", m.Corrected.Mean.N, f.Counts.Unlabelled))
	}
	return []line{judged, labelled, corrected}
}

// reliabilityTitle returns the heading of the reliability diagram.
func (f *Figures) reliabilityTitle() string {
	title := "share of faithful rows by " + f.Score.String()
	if f.Reliability.Bins != nil {
		title += fmt.Sprintf(": ECE %s (by chance %s)", format(f.Reliability.ECE), format(f.Reliability.Chance))
	}
	return title
}

// binRange describes the scores of a bin.
func binRange(b *stats.Bin) string { return fmt.Sprintf("%.1f to %.1f", b.Low, b.High) }
