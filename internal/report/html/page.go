package html

import (
	"cmp"
	"fmt"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// overview is the data of the template after the rows.
type overview struct {
	Datasets      []string
	Settings      result.Settings
	Tally         *report.Tally
	Cited         string // see report.Tally.Cited
	Marked        string // see report.Tally.Marked
	Prescreened   string // see report.Tally.Prescreened
	Confidence    string // see report.Tally.Confidence
	NoClaimsShare string // in percent
	UnjudgedShare string // in percent
	Embedded      int    // rows in the table
	Omitted       int    // rows only counted
	RowsWithScore int
	Mean          string
	Statistics    []Statistic // given by the run
	Distribution  []Statistic
	Gates         []report.Gate
	Passed        bool // all gates
	Histogram     *chart
	Claims        []claimShare
	Tables        []report.Table
}

// A claimShare is the share of the claims with a verdict.
type claimShare struct {
	Verdict    result.Verdict
	Name, Sign string
	Filter     string // of the table
	Count      int
	Percent    string
}

// claimShares returns the shares of the verdicts that claims have.
func claimShares(t *report.Tally) []claimShare {
	var shares []claimShare
	for _, s := range []claimShare{
		{Verdict: result.Supported, Count: t.Supported},
		{Verdict: result.Contradicted, Filter: "contradicted", Count: t.Contradicted},
		{Verdict: result.NotMentioned, Filter: "not_mentioned", Count: t.Claims - t.Supported - t.Contradicted},
	} {
		if s.Count == 0 {
			continue
		}
		s.Name, s.Sign = s.Verdict.Words(), report.Symbol(s.Verdict)
		s.Percent = fmt.Sprintf("%.1f%%", 100*float64(s.Count)/float64(t.Claims))
		shares = append(shares, s)
	}
	return shares
}

// writeTail writes the part of the page after the rows.
func (w *Writer) writeTail() error {
	var end Conclusion
	if w.run.Conclude != nil {
		end = w.run.Conclude(&w.tally)
	}
	f := &w.tally.Faithfulness
	o := overview{
		Datasets:      datasetNames(w.run.Datasets),
		Settings:      w.run.Settings,
		Tally:         &w.tally,
		Cited:         w.tally.Cited(),
		Marked:        w.tally.Marked(),
		Prescreened:   w.tally.Prescreened(),
		Confidence:    w.tally.Confidence(),
		NoClaimsShare: w.tally.NoClaimsPercent(),
		UnjudgedShare: w.tally.UnjudgedPercent(),
		Embedded:      w.embedded,
		Omitted:       w.tally.Rows - w.embedded,
		RowsWithScore: f.Count(),
		Mean:          formatScore(f.Mean()),
		Statistics:    end.Statistics,
		Gates:         end.Gates,
		Passed:        true,
		Distribution: []Statistic{
			{Name: "std", Value: formatScore(f.Std())},
			{Name: "lowest", Value: formatScore(f.Min())},
			{Name: "25%", Value: formatScore(f.Quantile(0.25))},
			{Name: "median", Value: formatScore(f.Quantile(0.5))},
			{Name: "75%", Value: formatScore(f.Quantile(0.75))},
			{Name: "highest", Value: formatScore(f.Max())},
		},
		Histogram: w.bins.histogram(f.Mean()),
		Claims:    claimShares(&w.tally),
		Tables:    end.Tables,
	}
	for _, g := range end.Gates {
		o.Passed = o.Passed && g.Passed
	}
	return w.page.ExecuteTemplate(w.w, "tail.tmpl", o)
}

// datasetNames returns the names of datasets as they are shown.
func datasetNames(datasets []string) []string {
	names := make([]string, len(datasets))
	for i, name := range datasets {
		if names[i] = report.Printable(name); name == "-" {
			names[i] = "standard input"
		}
	}
	return names
}

// formatScore formats x with four decimals, and NaN as a dash.
func formatScore(x float64) string { return cmp.Or(report.Score(x), "–") }
