package calibrate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
)

// The settings of a run that are spoken of here, by their name in its summary.
const (
	settingJudge     = "--judge"
	settingThreshold = "--threshold"
	judgeLLM         = "llm"
)

// A Report is what calibrate says: the figures, and where they are from.
type Report struct {
	Figures *Figures
	// Ragfaith is the version of the program.
	Ragfaith string
	// Results is the file of the judged rows, and Labels that of the labels,
	// "" where they are in Results; both as they were named.
	Results, Labels string
	// Label is the column of the labels, and PositiveAt how ratings were cut,
	// nil for not.
	Label      string
	PositiveAt *float64
	// Settings are those of the run that judged the rows, nil where they are
	// not known.
	Settings report.SummaryNames
}

// normal95 is how many standard errors a 95% interval reaches to either side.
const normal95 = 1.959963984540054

// A Choice is the threshold for the claims of later runs.
type Choice struct {
	Threshold float64 // NaN for none
	Own       bool    // it is the one that the rows were judged by
	Why       string
}

// Choice returns the threshold that these labels speak for: the best one, where
// it is expected to do clearly better on other rows than the judge's own. That
// one was not fitted to the labels, so its accuracy is compared with the honest
// estimate of the best one's and not with its accuracy on the labels themselves.
// Clearly is by more than the standard error of that estimate, the rule of
// Breiman, Friedman, Olshen and Stone, "Classification and Regression Trees"
// (1984), for not taking luck for a better choice: with 30 labels the best
// threshold wanders by 0.1 and more from one sample to the next.
func (r *Report) Choice() Choice {
	f := r.Figures
	none := func(why string) Choice { return Choice{Threshold: math.NaN(), Why: why} }
	switch {
	case r.Settings.Get(settingJudge) == judgeLLM:
		return none("a language model's verdict decides, or the majority of --votes, and no threshold")
	case f.Score != Least:
		return none("no threshold of claims follows from one of " + f.Score.String() + "; one follows from the " + Least.String())
	case !f.Best.OutOfFold.Reliable():
		return none(f.Best.OutOfFold.Note)
	}
	best := f.Best.OutOfFold
	standardError := (best.Upper - best.Lower) / (2 * normal95)
	if best.Estimate-standardError > f.Judged.BalancedAccuracy.Estimate {
		return Choice{Threshold: f.Best.Threshold, Why: "clearly better on other rows than the judge's own"}
	}
	why := short(f.Best.Threshold) + " is not clearly better on other rows"
	own, err := strconv.ParseFloat(r.Settings.Get(settingThreshold), 64)
	if err != nil || !(own >= 0 && own <= 1) {
		return none(why)
	}
	return Choice{Threshold: own, Own: true, Why: why}
}

// decimals writes a figure with four of them.
func decimals(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// short writes a number in full.
func short(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// source says in a line what was compared.
func (r *Report) source() string {
	from := r.Label
	if r.Labels != "" {
		from += " of " + r.Labels
	}
	if r.PositiveAt != nil {
		from += ", faithful from " + short(*r.PositiveAt) + " on"
	}
	return report.Printable(r.Results + " against the labels " + from)
}

// counts says in a line how many rows there are of what.
func (f *Figures) counts() string {
	c := f.Counts
	line := fmt.Sprintf("%d rows: %d with a label and a score", c.Rows, c.Labelled)
	if !math.IsNaN(f.Positive.Estimate) {
		line += fmt.Sprintf(" (%d faithful, %d not)", f.Faithful, c.Labelled-f.Faithful)
	}
	return line + fmt.Sprintf(", %d without a label", c.Unlabelled)
}

// judge says in a line which judge it was.
func (r *Report) judge() string {
	if r.Settings == nil {
		return "the settings of the run are not known"
	}
	var parts []string
	for _, name := range []string{settingJudge, "--model", "--claims", "--evidence", settingThreshold} {
		if value := r.Settings.Get(name); value != "" {
			parts = append(parts, strings.TrimPrefix(name, "--")+" "+value)
		}
	}
	return report.Printable(strings.Join(parts, ", "))
}
