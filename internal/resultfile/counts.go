package resultfile

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// counts accumulates statistics of rows that a summary also contains.
type counts struct {
	rows                  report.SummaryRows
	claims                report.SummaryClaims
	faithfulness, support mean
}

// A mean is a sum and a count of numbers.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) {
	if !math.IsNaN(x) {
		m.sum += x
		m.n++
	}
}

// add counts a row.
func (c *counts) add(r *result.Row) {
	c.rows.Total++
	if r.Reason == result.NoContexts {
		c.rows.NoContexts++
	}
	c.faithfulness.add(r.Faithfulness)
	c.support.add(r.Support)
	switch r.Status {
	case result.Scored:
		c.rows.Scored++
		c.claims.Total += len(r.Claims)
		for i := range r.Claims {
			switch r.Claims[i].Verdict {
			case result.Supported:
				c.claims.Supported++
			case result.Contradicted:
				c.claims.Contradicted++
			case result.NotMentioned:
				c.claims.NotMentioned++
			}
		}
	case result.Failed:
		c.rows.Failed++
	case result.SkippedRow:
		c.rows.Skipped++
	case result.NoClaims:
		c.rows.NoClaims++
		switch r.Reason {
		case "refusal":
			c.rows.Refusal++
		case "empty":
			c.rows.Empty++
		default:
			c.rows.NothingClaimed++
		}
	}
}

// CheckSummary compares the rows of the file with the summary of its run. It must be called
// after the last row.
func (f *File) CheckSummary(s *report.Summary) error {
	c := &f.counts
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"rows", c.rows.Total, s.Rows.Total},
		{"scored rows", c.rows.Scored, s.Rows.Scored},
		{"rows without claims", c.rows.NoClaims, s.Rows.NoClaims},
		{"refusals", c.rows.Refusal, s.Rows.Refusal},
		{"empty answers", c.rows.Empty, s.Rows.Empty},
		{"failed rows", c.rows.Failed, s.Rows.Failed},
		{"skipped rows", c.rows.Skipped, s.Rows.Skipped},
		{"rows with empty contexts", c.rows.NoContexts, s.Rows.NoContexts},
		{"claims", c.claims.Total, s.Claims.Total},
		{"supported claims", c.claims.Supported, s.Claims.Supported},
		{"contradicted claims", c.claims.Contradicted, s.Claims.Contradicted},
		{"scores", c.faithfulness.n, s.Faithfulness.Count},
	} {
		if x.got != x.want {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	// A summary adds up the same numbers in a different order.
	const meanError = 1e-6
	for _, x := range []struct {
		name string
		got  mean
		want report.SummaryStats
	}{{"mean faithfulness", c.faithfulness, s.Faithfulness}, {"mean support", c.support, s.Support}} {
		got := x.got.sum / float64(x.got.n)
		if x.got.n > 0 && !(math.Abs(got-float64(x.want.Mean)) <= meanError) {
			return f.summaryError(x.name, got, float64(x.want.Mean))
		}
	}
	return nil
}

func (f *File) summaryError(name string, got, want any) error {
	return fmt.Errorf("%s: %s: got %v, want %v as in its summary: one of them was edited, or the summary belongs to another run",
		f.name(), name, got, want)
}
