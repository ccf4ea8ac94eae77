package report

import (
	"math"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/result/resulttest"
	"github.com/ragfaith/ragfaith/internal/setting"
)

// The estimated flag is written to results and summaries and read back.
func TestEstimatedUsageRoundTrip(t *testing.T) {
	r := resulttest.Scored()
	r.Usage.Estimated = true
	text := write(t, FormatJSONL, Options{}, r, resulttest.NoClaims())
	if strings.Count(text, `,"estimated":true}`) != 1 || strings.Count(text, "estimated") != 1 {
		t.Errorf("got %s, want estimated once", text)
	}
	got := read(t, text)
	if len(got) != 2 || !got[0].Usage.Estimated || got[1].Usage.Estimated {
		t.Fatalf("got %+v, want two rows of which the first is estimated", got)
	}
	var f SummaryBuilder
	for _, r := range []*result.Row{got[1], got[0], got[1]} {
		_ = f.Write(r)
	}
	s := f.Summary(nil, someMeans(nil))
	s.Ragfaith, s.Datasets, s.Settings = "ragfaith 1", []string{"-"}, setting.List{}
	s.Spent = &SummarySpent{Usage: s.Usage, USD: math.NaN(), PromptLimit: 2048}
	summary, err := s.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(summary)))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema(t, "summary.schema.json", SummarySchema).Validate(doc); err != nil {
		t.Error(err)
	}
	if strings.Count(string(summary), `"estimated": true`) != 2 || !strings.Contains(string(summary), `"prompt_limit": 2048`) {
		t.Errorf("got %s, want estimated twice and the prompt limit", summary)
	}
}
