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
	edited := strings.Replace(string(text), `"unresolved": 1`, `"unresolved": -1`, 1)
	if _, err := ReadSummary(strings.NewReader(edited)); err == nil || edited == string(text) {
		t.Errorf("edited summary: got error %v, want one about unresolved", err)
	}
	if s := all.Citations.summary(); s.check(5) != nil || s.check(1) == nil {
		t.Errorf("%+v: got %v for 5 rows and %v for 1 row, want an error for 1 row only", s, s.check(5), s.check(1))
	}
	for _, s := range []SummaryCitations{{Rows: 0}, {Rows: 1, Recall: 1.5}, {Rows: 1, Precision: -1}, {Rows: 1, Unresolved: -1}} {
		if s.check(5) == nil {
			t.Errorf("%+v: got no error", s)
		}
	}
}
