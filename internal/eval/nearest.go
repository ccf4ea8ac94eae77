package eval

import (
	"context"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// addNearest gives the evidence of each verdict its role, and the claims that are
// not supported and have no evidence the nearest passage, which p.Nearest finds.
func (p *Pipeline) addNearest(ctx context.Context, r *Result, vs []verdict.Verdict, check *quoteChecker) error {
	var open []extract.Claim
	for i := range vs {
		v := &vs[i]
		if role := verdict.RoleOf(v.Label); len(v.Evidence) > 0 && v.Evidence[0].Role != role {
			v.Evidence = withRole(v.Evidence, role)
		}
		if v.Label != verdict.Supported && len(v.Evidence) == 0 {
			open = append(open, r.Claims[i])
		}
	}
	if len(open) == 0 || p.Nearest == nil {
		return nil
	}
	found, err := p.Nearest.Judge(ctx, verdict.Task{Question: r.Row.Question, Contexts: r.Row.Contexts, Claims: open})
	if err != nil {
		return err
	}
	for _, n := range found.Verdicts {
		// The judge did not name this passage, so it does not contradict the claim.
		n.Evidence = withRole(n.Evidence[:min(1, len(n.Evidence))], verdict.RoleNearest)
		check.clean(&n)
		if n.ClaimID >= 0 && n.ClaimID < len(vs) && len(vs[n.ClaimID].Evidence) == 0 {
			vs[n.ClaimID].Evidence = n.Evidence
		}
	}
	return nil
}

// withRole returns a copy of the evidence, since a judge may give the same again.
func withRole(evidence []verdict.Evidence, role verdict.Role) []verdict.Evidence {
	evidence = slices.Clone(evidence)
	for i := range evidence {
		evidence[i].Role = role
	}
	return evidence
}
