package eval

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/usage"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// stages implements Extractor, Judge and Combined with fixed results.
type stages struct {
	extraction extract.Extraction
	judgement  verdict.Judgement
	err        error
	args       []string // of Evaluate
}

func (s *stages) Extract(context.Context, string, string) (extract.Extraction, error) {
	return s.extraction, nil
}

func (s *stages) Judge(context.Context, verdict.Task) (verdict.Judgement, error) {
	return s.judgement, s.err
}

func (s *stages) Evaluate(_ context.Context, question, answer string, contexts []string) (extract.Extraction, verdict.Judgement, error) {
	s.args = append([]string{question, answer}, contexts...)
	return s.extraction, s.judgement, s.err
}

// newStages returns stages with one supported claim.
func newStages() *stages {
	s := &stages{
		extraction: extract.Extraction{Claims: []extract.Claim{{Text: "sun"}}},
		judgement:  verdict.Judgement{Verdicts: []verdict.Verdict{{Label: verdict.Supported, Score: 1}}},
	}
	s.extraction.Usage = usage.Usage{Requests: 1, PromptTokens: 10, CompletionTokens: 2}
	s.judgement.Usage = usage.Usage{Requests: 2, PromptTokens: 30, CompletionTokens: 4, CachedRequests: 1}
	return s
}

// totalUsage is the sum of the usages of newStages.
var totalUsage = usage.Usage{Requests: 3, PromptTokens: 40, CompletionTokens: 6, CachedRequests: 1}

func TestUsageIsSumOfStages(t *testing.T) {
	s := newStages()
	for name, p := range map[string]*Pipeline{
		"separate": {Extractor: s, Judge: s},
		"combined": {Combined: s},
	} {
		s.err = nil
		r := collect(t, p, one(sunAndMoon, nil))[0]
		if r.Status != result.Scored || r.Faithfulness != 1 || r.Usage != totalUsage {
			t.Errorf("%s: got status %v, faithfulness %v, usage %+v, want scored, 1, %+v", name, r.Status, r.Faithfulness, r.Usage, totalUsage)
		}
		s.err = errors.New("no")
		r = collect(t, p, one(sunAndMoon, nil))[0]
		if r.Status != result.Failed || r.Reason != result.StageVerdict || r.Usage != totalUsage {
			t.Errorf("%s: got status %v, reason %v, usage %+v, want failed, verdict, %+v", name, r.Status, r.Reason, r.Usage, totalUsage)
		}
	}
	if len(s.args) != 4 || s.args[1] != sunAndMoon.Answer {
		t.Errorf("got arguments %q, want question, answer and contexts", s.args)
	}
}

func TestCombinedVerdictsAreReconciled(t *testing.T) {
	zero := 0.0
	for name, tt := range map[string]struct {
		edit func(*stages)
		row  dataset.Row
		want result.Status
	}{
		"missing verdict": {func(s *stages) { s.judgement.Verdicts = nil }, sunAndMoon, result.Failed},
		"wrong claim id":  {func(s *stages) { s.extraction.Claims[0].ID = 3 }, sunAndMoon, result.Failed},
		"no contexts":     {func(s *stages) { s.judgement.Verdicts = nil }, dataset.Row{Answer: "sun"}, result.Scored},
		"no claims":       {func(s *stages) { s.extraction.Claims, s.judgement.Verdicts = nil, nil }, sunAndMoon, result.NoClaims},
	} {
		s := newStages()
		tt.edit(s)
		r := collect(t, &Pipeline{Combined: s, NoClaims: &zero}, one(tt.row, nil))[0]
		if r.Status != tt.want {
			t.Errorf("%s: got status %v, want %v", name, r.Status, tt.want)
		}
		if r.Status == result.NoClaims && r.Faithfulness != 0 {
			t.Errorf("%s: got faithfulness %v, want 0", name, r.Faithfulness)
		}
	}
}

// The marks of a row are those of its stages, sorted, and results can be read back. A
// failed row has none.
func TestMarksOfStages(t *testing.T) {
	for name, tt := range map[string]struct {
		judge []string
		err   error
		want  []result.Mark
	}{
		"both stages":    {judge: []string{verdict.MarkGrouped, verdict.MarkOneWord}, want: []result.Mark{result.Downgraded, result.Grouped, result.OneWord}},
		"extractor only": {want: []result.Mark{result.Downgraded}},
		"failed":         {judge: []string{verdict.MarkGrouped}, err: errors.New("no")},
	} {
		s := newStages()
		s.extraction.Downgraded, s.judgement.Marks, s.err = true, tt.judge, tt.err
		r := collect(t, &Pipeline{Extractor: s, Judge: s}, one(dataset.Row{Answer: "sun", Contexts: []string{"sun"}}, nil))[0]
		stored, err := result.NewDecoder(nil).Decode(r.AppendJSON(nil))
		if err != nil || !slices.Equal(stored.Marks, tt.want) || !slices.Equal(r.Marks, tt.want) {
			t.Errorf("%s: got %v, stored %v, error %v, want %v", name, r.Marks, stored, err, tt.want)
		}
	}
}
