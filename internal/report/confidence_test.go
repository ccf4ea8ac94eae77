package report

import (
	"math"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestTallyCountsUncertainVerdicts(t *testing.T) {
	var got Tally
	if share := got.UncertainShare(); !math.IsNaN(share) {
		t.Errorf("without rows: got %v, want NaN", share)
	}
	r := resulttest.Scored()
	r.Claims = nil
	for _, x := range []float64{0, 0.5, 0.6999994, 0.6999996, 0.7, 1} { // the fourth is stored as 0.7
		r.Claims = append(r.Claims, result.Claim{Verdict: result.Supported, Confidence: x})
	}
	if _ = got.Write(r); got.Confident != 5 || got.Uncertain != 2 || got.UncertainShare() != 0.4 {
		t.Errorf("got %d of %d, share %v, want 2 of 5, share 0.4", got.Uncertain, got.Confident, got.UncertainShare())
	}
}

func TestConfidenceIsWordedByShare(t *testing.T) {
	for _, tt := range []struct {
		tally Tally
		want  string
	}{
		{Tally{Claims: 9}, ""},
		{Tally{Claims: 1, Confident: 1, Uncertain: 1}, "100% of 1 verdict is uncertain (confidence below 0.7): use the mean to compare systems, and check single rows with a better judge (--judge)"},
		{Tally{Claims: 233, Confident: 233, Uncertain: 96}, "41.2% of 233 verdicts are uncertain (confidence below 0.7): use the mean to compare systems, and check single rows with a better judge (--judge)"},
		{Tally{Claims: 10, Confident: 10, Uncertain: 3}, "30% of 10 verdicts are uncertain (confidence below 0.7): check the rows with the lowest confidence first"},
		{Tally{Claims: 10, Confident: 10, Uncertain: 1}, "10% of 10 verdicts are uncertain (confidence below 0.7): check the rows with the lowest confidence first"},
		{Tally{Claims: 20, Confident: 11, Uncertain: 1}, "9.1% of 11 verdicts with a confidence are uncertain (confidence below 0.7)"},
		{Tally{Claims: 5, Confident: 5}, "0% of 5 verdicts are uncertain (confidence below 0.7)"},
	} {
		if got := tt.tally.Confidence(); got != tt.want {
			t.Errorf("%d of %d: got %q, want %q", tt.tally.Uncertain, tt.tally.Confident, got, tt.want)
		}
	}
}
