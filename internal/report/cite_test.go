package report

import (
	"math"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
)

func TestTallyCountsCitations(t *testing.T) {
	var none, all Tally
	_ = none.Write(resulttest.Scored())
	if none.Cited() != "" || !math.IsNaN(none.Citations.Recall()) || none.Citations.summary() != nil {
		t.Errorf("no citations: got %q, recall %v", none.Cited(), none.Citations.Recall())
	}
	for _, r := range []*result.Row{resulttest.WithCitations(), resulttest.Scored(), resulttest.NoClaims(), resulttest.JudgeFailed(), resulttest.WithCitations()} {
		_ = all.Write(r)
	}
	want := "recall 0.4444, precision 0.7500 (2 of 5 rows cite, 2 citations resolve to nothing)"
	if got := all.Cited(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	var f SummaryBuilder
	_ = f.Write(resulttest.WithCitations())
	text, err := f.Summary(nil, nil).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSummary(strings.NewReader(string(text))); err != nil {
		t.Error(err)
	}
}
