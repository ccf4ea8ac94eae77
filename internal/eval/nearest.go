package eval

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// addNearest sets the role of the evidence of each verdict. Claims that are not
// supported and have no evidence get the most similar passage, which p.Nearest
// finds.
func (p *Pipeline) addNearest(ctx context.Context, e *evaluation, verdicts []verdict.Verdict, check *quoteChecker) error {
	var claims []extract.Claim // without evidence
	for i := range verdicts {
		v := &verdicts[i]
		if role := verdict.RoleOf(v.Label); len(v.Evidence) > 0 && v.Evidence[0].Role != role {
			v.Evidence = withRole(v.Evidence, role)
		}
		if v.Label != verdict.Supported && v.Label != verdict.Unjudged && len(v.Evidence) == 0 {
			claims = append(claims, e.claims[i])
		}
	}
	if len(claims) == 0 || p.Nearest == nil {
		return nil
	}
	nearest, err := p.Nearest.Judge(ctx, verdict.Task{Question: e.row.Question, Contexts: e.row.Contexts, Claims: claims})
	if err != nil {
		return err
	}
	for _, n := range nearest.Verdicts {
		// The judge did not name this passage, so it does not contradict the claim.
		n.Evidence = withRole(n.Evidence[:min(1, len(n.Evidence))], verdict.RoleNearest)
		check.clean(&n)
		if n.ClaimID >= 0 && n.ClaimID < len(verdicts) && len(verdicts[n.ClaimID].Evidence) == 0 {
			verdicts[n.ClaimID].Evidence = n.Evidence
		}
	}
	return nil
}

// withRole returns a copy of the evidence with a role. A judge may return the same
// slice more than once, so it must not change.
func withRole(evidence []verdict.Evidence, role verdict.Role) []verdict.Evidence {
	evidence = slices.Clone(evidence)
	for i := range evidence {
		evidence[i].Role = role
	}
	return evidence
}
