package eval

import (
	"context"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// Checking a refusal costs the text of its row in bytes. The budget of a row is
// refusalChecks times its text plus refusalBytes.
const (
	refusalChecks = 8
	refusalBytes  = 4 << 20
)

// falseRefusals are the passages that answer refusals, by the start of the refusal in the
// answer.
type falseRefusals map[int]verdict.Evidence

// claimRefusals turns refusals into claims if the contexts answer the question.
func (p *Pipeline) claimRefusals(ctx context.Context, e *evaluation, extraction *extract.Extraction) (falseRefusals, error) {
	if p.Refusals == nil || e.empty {
		return nil, nil //nolint:nilnil // an empty map
	}
	all := make(falseRefusals)
	var claims []extract.Claim
	var skipped []extract.Skipped // without those that became claims
	budget := refusalChecks*int(textBytes(&e.row)) + refusalBytes
	for _, s := range extraction.Skipped {
		if s.Kind == extract.Refusal && budget > 0 {
			budget -= int(textBytes(&e.row))
			evidence, answered, err := p.Refusals.Answered(ctx, e.row.Question, s.Text, e.row.Contexts)
			if err != nil {
				return nil, err
			}
			if answered {
				all[s.Start] = evidence
				claims = append(claims, extract.Claim{Text: s.Text, Start: s.Start, End: s.End})
				continue
			}
		}
		skipped = append(skipped, s)
	}
	if len(claims) > 0 {
		extraction.Skipped = skipped
		extraction.Add(claims)
	}
	return all, nil
}

// contradict returns verdicts by which the passages that answer the question contradict
// the false refusals, unless the judge decides on refusals.
func (p *Pipeline) contradict(e *evaluation, verdicts []verdict.Verdict, refusals falseRefusals) []verdict.Verdict {
	if p.JudgeRefusals || len(refusals) == 0 {
		return verdicts
	}
	verdicts = slices.Clone(verdicts)
	for i, v := range verdicts {
		if v.ClaimID < 0 || v.ClaimID >= len(e.claims) {
			continue // an error of the judge, which setVerdicts reports
		}
		if evidence, ok := refusals[e.claims[v.ClaimID].Start]; ok {
			verdicts[i] = verdict.Verdict{
				ClaimID: v.ClaimID, Label: verdict.Contradicted, Reason: "the contexts answer it: " + verdict.Excerpt(evidence.Quote, 0), Evidence: []verdict.Evidence{evidence},
			}
		}
	}
	return verdicts
}

// skipTrueRefusals turns refusals that the judge does not find contradicted back into
// skipped sentences.
func (p *Pipeline) skipTrueRefusals(e *evaluation, refusals falseRefusals) {
	if !p.JudgeRefusals || len(refusals) == 0 || e.verdicts == nil {
		return
	}
	rest := extract.Extraction{Skipped: e.skipped}
	var verdicts []verdict.Verdict
	for i, c := range e.claims {
		v := e.verdicts[i]
		if _, ok := refusals[c.Start]; ok && v.Label != verdict.Contradicted {
			rest.Skip(extract.Skipped{Kind: extract.Refusal, Text: c.Text, Start: c.Start, End: c.End})
			continue
		}
		c.ID, v.ClaimID = len(verdicts), len(verdicts)
		rest.Claims, verdicts = append(rest.Claims, c), append(verdicts, v)
	}
	e.claims, e.skipped, e.verdicts = rest.Claims, rest.Skipped, verdicts
	if len(e.claims) == 0 {
		e.support = math.NaN()
		p.setNoClaims(e, rest.Reason())
		return
	}
	e.score()
}
