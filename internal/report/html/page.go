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
	Statistics    []statistic // means and intervals
	Distribution  []statistic
	Gates         []report.Gate
	Passed        bool // all gates
	Histogram     *chart
	Claims        []claimShare
	Tables        []report.Table
}

// addGates adds gates with their outcome. It omits --max-failed if it passed.
func (o *overview) addGates(gates []report.Gate) {
	for _, g := range gates {
		if g.Name == report.GateMaxFailed && g.Passed {
			continue
		}
		g.Text += ": " + g.Outcome()
		o.Gates = append(o.Gates, g)
		o.Passed = o.Passed && g.Passed
	}
}

// A statistic is a named number, formatted.
type statistic struct {
	Name, Value string
	Note        string // sample size or method; optional
}

// statistics returns the intervals of the means, and the mean of claims. The page shows the
// mean of rows by itself.
func statistics(means *report.Means) []statistic {
	var all []statistic
	for _, m := range means.Format() {
		if m.Of == "claims" {
			all = append(all, statistic{Name: "mean of claims", Value: m.Estimate})
		}
		all = append(all, statistic{Name: "95% interval", Value: cmp.Or(m.Interval, "none"), Note: m.Basis})
	}
	return all
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
