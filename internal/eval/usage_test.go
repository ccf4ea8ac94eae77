package eval

import (
	"context"
	"errors"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// priced is every stage at once, at a price.
type priced struct {
	found    extract.Extraction
	said     verdict.Judgement
	err      error
	askedFor []string
}

func (p *priced) Extract(context.Context, string, string) (extract.Extraction, error) {
	return p.found, nil
}

func (p *priced) Judge(context.Context, verdict.Task) (verdict.Judgement, error) {
	return p.said, p.err
}

func (p *priced) Evaluate(_ context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error) {
	p.askedFor = append([]string{question, answer}, contexts...)
	return p.found, p.said, p.err
}

func newPriced() *priced {
	p := &priced{
		found: extract.Extraction{Claims: []extract.Claim{{Text: "sun"}}},
		said:  verdict.Judgement{Verdicts: []verdict.Verdict{{Label: verdict.Supported, Score: 1}}},
	}
	p.found.Usage.Requests, p.found.Usage.PromptTokens, p.found.Usage.CompletionTokens = 1, 10, 2
	u := &p.said.Usage
	u.Requests, u.PromptTokens, u.CompletionTokens, u.CachedRequests = 2, 30, 4, 1
	return p
}

var sum = usage.Usage{Requests: 3, PromptTokens: 40, CompletionTokens: 6, CachedRequests: 1}

func TestUsageIsSumOfStages(t *testing.T) {
	stages := newPriced()
	for name, p := range map[string]*Pipeline{
		"apart":    {Extractor: stages, Judge: stages},
		"combined": {Combined: stages},
	} {
		r := collect(t, p, one(sunAndMoon, nil))[0]
		if r.Status != result.Scored || r.Faithfulness != 1 || r.Usage != result.Usage(sum) {
			t.Errorf("%s: %v %v %+v", name, r.Status, r.Faithfulness, r.Usage)
		}
	}
	if len(stages.askedFor) != 4 || stages.askedFor[1] != sunAndMoon.Answer {
		t.Errorf("the combined stage was given %q", stages.askedFor)
	}
}

func TestFailedRowHasUsage(t *testing.T) {
	stages := newPriced()
	stages.err = errors.New("no")
	for name, p := range map[string]*Pipeline{
		"apart":    {Extractor: stages, Judge: stages},
		"combined": {Combined: stages},
	} {
		r := collect(t, p, one(sunAndMoon, nil))[0]
		if r.Status != result.Failed || r.Reason != result.StageVerdict || r.Usage != result.Usage(sum) {
			t.Errorf("%s: %v %v %+v", name, r.Status, r.Reason, r.Usage)
		}
	}
}

func TestCombinedVerdictsAreReconciled(t *testing.T) {
	none := 0.0
	for name, tt := range map[string]struct {
		change func(*priced)
		row    dataset.Row
		want   result.Status
	}{
		"a verdict too few":  {func(p *priced) { p.said.Verdicts = nil }, sunAndMoon, result.Failed},
		"a misnumbered one":  {func(p *priced) { p.found.Claims[0].ID = 3 }, sunAndMoon, result.Failed},
		"no contexts":        {func(*priced) {}, dataset.Row{Answer: "sun"}, result.Failed},
		"nothing is claimed": {func(p *priced) { p.found.Claims, p.said.Verdicts = nil, nil }, sunAndMoon, result.NoClaims},
	} {
		stages := newPriced()
		tt.change(stages)
		r := collect(t, &Pipeline{Combined: stages, NoClaims: &none}, one(tt.row, nil))[0]
		if r.Status != tt.want {
			t.Errorf("%s: %v", name, r.Status)
		}
		if r.Status == result.NoClaims && r.Faithfulness != 0 {
			t.Errorf("%s: %v", name, r.Faithfulness)
		}
	}
}
