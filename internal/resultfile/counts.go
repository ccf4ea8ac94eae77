package resultfile

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// counts are the figures of results that a summary has as well.
type counts struct {
	rows                  report.SummaryRows
	claims                report.SummaryClaims
	faithfulness, support mean
}

// A mean is a sum of numbers and how many they are.
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

// add counts a result.
func (c *counts) add(r *result.Row) {
	c.rows.Total++
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

// CheckSummary compares the rows that were read of the file with the summary of
// its run. It is for after the last row.
func (f *File) CheckSummary(s *report.Summary) error {
	c := &f.counts
	for _, x := range []struct {
		what      string
		got, want int
	}{
		{"rows", c.rows.Total, s.Rows.Total},
		{"scored rows", c.rows.Scored, s.Rows.Scored},
		{"rows without claims", c.rows.NoClaims, s.Rows.NoClaims},
		{"refusals", c.rows.Refusal, s.Rows.Refusal},
		{"empty answers", c.rows.Empty, s.Rows.Empty},
		{"failed rows", c.rows.Failed, s.Rows.Failed},
		{"claims", c.claims.Total, s.Claims.Total},
		{"supported claims", c.claims.Supported, s.Claims.Supported},
		{"contradicted claims", c.claims.Contradicted, s.Claims.Contradicted},
		{"scores", c.faithfulness.n, s.Faithfulness.Count},
	} {
		if x.got != x.want {
			return f.differs(x.what, x.got, x.want)
		}
	}
	// The mean of a summary is of the same numbers, added up in another order.
	const meanError = 1e-6
	for _, x := range []struct {
		what string
		got  mean
		want report.SummaryFigures
	}{{"mean faithfulness", c.faithfulness, s.Faithfulness}, {"mean support", c.support, s.Support}} {
		got := x.got.sum / float64(x.got.n)
		if x.got.n > 0 && !(math.Abs(got-float64(x.want.Mean)) <= meanError) {
			return f.differs(x.what, got, float64(x.want.Mean))
		}
	}
	return nil
}

func (f *File) differs(what string, got, want any) error {
	return fmt.Errorf("%s: %s: got %v, want %v as in its summary: one of the two is not as it was written, or that is the summary of another run",
		f.name(), what, got, want)
}
