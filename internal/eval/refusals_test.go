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

// answeredBy finds each refusal with the word "fee" answered by the first context.
type answeredBy struct{}

func (answeredBy) Answered(_ context.Context, _, refusal string, contexts []string) (verdict.Evidence, bool, error) {
	return verdict.Evidence{Chunk: 0, Start: 0, End: len(contexts[0]), Quote: contexts[0]}, strings.Contains(refusal, "fee"), nil
}

const (
	falseRefusal = "The documents do not mention the fee."
	trueRefusal  = "The documents do not mention the venue."
)

// labelAll is a judge that gives all claims the same label, and records them.
func labelAll(l verdict.Label, score float64, asked *[]string) Judge {
	return judgeFunc(func(_ context.Context, task verdict.Task) ([]verdict.Verdict, error) {
		var vs []verdict.Verdict
		for _, c := range task.Claims {
			*asked = append(*asked, c.Text)
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
		asked        int
	}{
		"alone":                            {falseRefusal, false, verdict.Supported, result.Scored, 0, []string{falseRefusal}, 0},
		"with a claim":                     {"The hall is red. " + falseRefusal + " It is old.", false, verdict.Supported, result.Scored, 2.0 / 3, []string{"The hall is red.", falseRefusal, "It is old."}, 2},
		"with a true one":                  {trueRefusal + " " + falseRefusal, false, verdict.Supported, result.Scored, 0, []string{falseRefusal}, 0},
		"a true one":                       {trueRefusal, false, verdict.Supported, result.NoClaims, 0, nil, 0},
		"a judge that agrees":              {falseRefusal, true, verdict.Contradicted, result.Scored, 0, []string{falseRefusal}, 1},
		"a judge that does not agree":      {falseRefusal, true, verdict.NotMentioned, result.NoClaims, 0, nil, 1},
		"a judge that supports the others": {"The hall is red. " + falseRefusal, true, verdict.Supported, result.Scored, 1, []string{"The hall is red."}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			score := 0.0
			if tt.label == verdict.Supported {
				score = 1
			}
			var asked []string
			p := &Pipeline{
				Extractor: extract.Sentences{}, Judge: labelAll(tt.label, score, &asked), Refusals: answeredBy{}, JudgeRefusals: tt.judgeDecides,
			}
			r := collect(t, p, one(dataset.Row{Answer: tt.answer, Contexts: []string{"The fee is $5."}}, nil))[0]
			if r.Status != tt.status || tt.status == result.Scored && r.Faithfulness != tt.faithfulness {
				t.Errorf("got %v with %v, want %v with %v", r.Status, r.Faithfulness, tt.status, tt.faithfulness)
			}
			if len(asked) != tt.asked {
				t.Errorf("the judge got %q, want %d claims", asked, tt.asked)
			}
			var got []string
			for i, c := range r.Claims {
				got = append(got, c.Text)
				if c.Text == falseRefusal && (c.Verdict != result.Contradicted || c.ID != i) {
					t.Errorf("got %+v, want it contradicted", c)
				}
			}
			if strings.Join(got, "|") != strings.Join(tt.claims, "|") {
				t.Errorf("got claims %q, want %q", got, tt.claims)
			}
			if err := (&Checker{}).check(&r, absent{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// counting finds no answer, and counts the refusals that it is asked about.
type counting struct{ asked *int }

func (c counting) Answered(context.Context, string, string, []string) (verdict.Evidence, bool, error) {
	*c.asked++
	return verdict.Evidence{}, false, nil
}

func TestRefusalChecksAreLimited(t *testing.T) {
	t.Parallel()
	asked := 0
	p := &Pipeline{
		Extractor: extract.Sentences{}, Judge: labelAll(verdict.Supported, 1, new([]string)), Refusals: counting{&asked},
	}
	e := &evaluation{row: dataset.Row{Answer: strings.Repeat("The documents do not say when it opens. ", 5000), Contexts: []string{strings.Repeat("It is red. ", 20000)}}}
	p.score(t.Context(), e, new(quoteChecker))
	if most := refusalChecks + refusalBytes/len(e.row.Contexts[0]) + 1; asked < refusalChecks || asked > most {
		t.Errorf("got %d refusals checked, want %d to %d", asked, refusalChecks, most)
	}
}
