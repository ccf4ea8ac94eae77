package resultfile

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
)

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

// CheckSummary compares the rows of the file with the summary of its run. It must be called
// after the last row.
func (f *File) CheckSummary(s *report.Summary) error {
	t := &f.tally
	for _, x := range []struct {
		name      string
		got, want int
	}{
		{"rows", t.Rows, s.Rows.Total},
		{"scored rows", t.Scored, s.Rows.Scored},
		{"rows without claims", t.NoClaims, s.Rows.NoClaims},
		{"refusals", t.Refusal, s.Rows.Refusal},
		{"empty answers", t.Empty, s.Rows.Empty},
		{"unjudged rows", t.Unjudged, s.Rows.Unjudged},
		{"failed rows", t.Failed, s.Rows.Failed},
		{"skipped rows", t.Skipped, s.Rows.Skipped},
		{"rows with empty contexts", t.NoContexts, s.Rows.NoContexts},
		{"claims", t.Claims, s.Claims.Total},
		{"unjudged claims", t.UnjudgedClaims, s.Claims.Unjudged},
		{"supported claims", t.Supported, s.Claims.Supported},
		{"contradicted claims", t.Contradicted, s.Claims.Contradicted},
		{"verdicts with a confidence", t.Confident, s.Claims.Confident},
		{"scores", t.Faithfulness.Count(), s.Faithfulness.Count},
	} {
		if x.got != x.want {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	// A summary adds up the same numbers in a different order.
	const meanError = 1e-6
	for _, x := range []struct {
		name      string
		got, want float64 // got is NaN without rows
	}{
		{"mean faithfulness", t.Faithfulness.Mean(), float64(s.Faithfulness.Mean)},
		{"mean support", f.support.sum / float64(f.support.n), float64(s.Support.Mean)},
		{"share of uncertain verdicts", t.UncertainShare(), float64(s.Claims.UncertainShare)},
	} {
		if !math.IsNaN(x.got) && !(math.Abs(x.got-x.want) <= meanError) {
			return f.summaryError(x.name, x.got, x.want)
		}
	}
	return nil
}

func (f *File) summaryError(name string, got, want any) error {
	return fmt.Errorf("%s: %s: got %v, want %v as in its summary: one of them was edited, or the summary belongs to another run",
		f.name(), name, got, want)
}
