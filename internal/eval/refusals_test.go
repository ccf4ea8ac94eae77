package eval

import (
	"context"
	"strings"
	"testing"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// feeChecker finds that the first context answers questions whose refusal mentions "fee".
type feeChecker struct{}

func (feeChecker) Answered(_ context.Context, _, refusal string, contexts []string) (verdict.Evidence, bool, error) {
	return verdict.Evidence{Chunk: 0, Start: 0, End: len(contexts[0]), Quote: contexts[0]}, strings.Contains(refusal, "fee"), nil
}

const (
	falseRefusal = "The documents do not mention the fee."
	trueRefusal  = "The documents do not mention the venue."
)

// labelAll returns a judge that gives all claims the same label and appends them to judged.
func labelAll(l verdict.Label, score float64, judged *[]string) verdict.Judge {
	return judgeFunc(func(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		var vs []verdict.Verdict
		for _, c := range task.Claims {
			*judged = append(*judged, c.Text)
			vs = append(vs, verdict.Verdict{ClaimID: c.ID, Label: l, Score: score})
		}
		return vs, nil
	})
}

func TestFalseRefusalIsContradicted(t *testing.T) {
	for name, tt := range map[string]struct {
		answer       string
		judgeDecides bool
		label        verdict.Label
		status       result.Status
		faithfulness float64
		claims       []string
		judged       int // number of judged claims
	}{
		"false refusal alone":       {falseRefusal, false, verdict.Supported, result.Scored, 0, []string{falseRefusal}, 1},
		"with a claim":              {"The hall is red. " + falseRefusal + " It is old.", false, verdict.Supported, result.Scored, 2.0 / 3, []string{"The hall is red.", falseRefusal, "It is old."}, 3},
		"with a true refusal":       {trueRefusal + " " + falseRefusal, false, verdict.Supported, result.Scored, 0, []string{falseRefusal}, 1},
		"true refusal":              {trueRefusal, false, verdict.Supported, result.NoClaims, 0, nil, 0},
		"judge agrees":              {falseRefusal, true, verdict.Contradicted, result.Scored, 0, []string{falseRefusal}, 1},
		"judge disagrees":           {falseRefusal, true, verdict.NotMentioned, result.NoClaims, 0, nil, 1},
		"judge supports all claims": {"The hall is red. " + falseRefusal, true, verdict.Supported, result.Scored, 1, []string{"The hall is red."}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			score := 0.0
			if tt.label == verdict.Supported {
				score = 1
			}
			var judged []string
			p := &Pipeline{
				Extractor: extract.Sentences{}, Judge: labelAll(tt.label, score, &judged), Refusals: feeChecker{}, JudgeRefusals: tt.judgeDecides,
			}
			r := collect(t, p, one(dataset.Row{Answer: tt.answer, Contexts: []string{"The fee is $5."}}, nil))[0]
			if r.Status != tt.status || tt.status == result.Scored && r.Faithfulness != tt.faithfulness {
				t.Errorf("got %v with %v, want %v with %v", r.Status, r.Faithfulness, tt.status, tt.faithfulness)
			}
			if len(judged) != tt.judged {
				t.Errorf("got judged claims %q, want %d", judged, tt.judged)
			}
			var got []string
			for i, c := range r.Claims {
				got = append(got, c.Text)
				if c.Text == falseRefusal && (c.Verdict != result.Contradicted || c.ID != i) {
					t.Errorf("got %+v, want id %d and verdict contradicted", c, i)
				}
			}
			if strings.Join(got, "|") != strings.Join(tt.claims, "|") {
				t.Errorf("got claims %q, want %q", got, tt.claims)
			}
			checkRow(t, &r)
		})
	}
}

// A countingChecker counts refusals and finds no answer.
type countingChecker struct{ calls int }

func (c *countingChecker) Answered(context.Context, string, string, []string) (verdict.Evidence, bool, error) {
	c.calls++
	return verdict.Evidence{}, false, nil
}

func TestRefusalChecksAreLimited(t *testing.T) {
	t.Parallel()
	checker := &countingChecker{}
	p := &Pipeline{
		Extractor: extract.Sentences{}, Judge: labelAll(verdict.Supported, 1, new([]string)), Refusals: checker,
	}
	e := &evaluation{row: dataset.Row{Answer: strings.Repeat("The documents do not say when it opens. ", 5000), Contexts: []string{strings.Repeat("It is red. ", 20000)}}}
	p.score(t.Context(), e)
	if limit := refusalChecks + refusalBytes/len(e.row.Contexts[0]) + 1; checker.calls < refusalChecks || checker.calls > limit {
		t.Errorf("got %d checks, want %d to %d", checker.calls, refusalChecks, limit)
	}
}
