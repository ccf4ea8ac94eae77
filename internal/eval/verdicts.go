package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ragfaith/ragfaith/internal/dataset"
	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// setVerdicts sets the verdicts and scores of e. Verdicts must match the claims.
func (p *Pipeline) setVerdicts(ctx context.Context, e *evaluation, verdicts []verdict.Verdict) error {
	verdicts, err := reconcile(e.claims, verdicts)
	if err != nil {
		return err
	}
	for i := range verdicts {
		cleanReferences(&verdicts[i], e.row.Contexts)
	}
	if err := p.addNearest(ctx, e, verdicts); err != nil {
		return err
	}
	limitEvidence(&e.row, verdicts)
	e.status, e.verdicts = result.Scored, verdicts
	e.score()
	return nil
}

// reconcile returns the verdicts in the order of the claims, which are numbered from
// 0. It is an error if a claim does not have exactly one verdict, or if a verdict has an
// unknown claim, an invalid label, or a score or confidence outside of 0 to 1.
func reconcile(claims []extract.Claim, vs []verdict.Verdict) ([]verdict.Verdict, error) {
	ordered := len(vs) == len(claims)
	for i := range vs {
		v := &vs[i]
		switch {
		case v.ClaimID < 0 || v.ClaimID >= len(claims):
			return nil, fmt.Errorf("a verdict for claim %d, and there are %d claims", v.ClaimID, len(claims))
		case v.Label == verdict.Unjudged && !math.IsNaN(v.Score):
			return nil, fmt.Errorf("claim %d: a score of %v, although it is unjudged", v.ClaimID, v.Score)
		case v.Label != verdict.Unjudged && !(v.Score >= 0 && v.Score <= 1): // true for NaN
			return nil, fmt.Errorf("claim %d: a score of %v, which is not from 0 to 1", v.ClaimID, v.Score)
		case !(v.Confidence >= 0 && v.Confidence <= 1):
			return nil, fmt.Errorf("claim %d: a confidence of %v, which is not from 0 to 1", v.ClaimID, v.Confidence)
		case v.Label > verdict.Unjudged:
			return nil, fmt.Errorf("claim %d: no such verdict as %d", v.ClaimID, v.Label)
		}
		ordered = ordered && v.ClaimID == i
	}
	if ordered {
		return vs, nil
	}
	sorted := make([]verdict.Verdict, len(claims))
	seen := make([]bool, len(claims))
	for i := range vs {
		id := vs[i].ClaimID
		if seen[id] {
			return nil, fmt.Errorf("claim %d has more than one verdict", id)
		}
		seen[id], sorted[id] = true, vs[i]
	}
	for id := range seen {
		if !seen[id] {
			return nil, fmt.Errorf("claim %d has no verdict", id)
		}
	}
	return sorted, nil
}

// cleanReferences removes chunks of v that do not exist and quotes that differ from the chunk.
// It does not modify slices, because a judge may return the same ones again.
func cleanReferences(v *verdict.Verdict, contexts []string) {
	invalid := func(e verdict.Evidence) bool {
		if e.Chunk < 0 || e.Chunk >= len(contexts) || e.Start < 0 || e.Quote == "" {
			return true
		}
		text := contexts[e.Chunk]
		rest, ok := strings.CutPrefix(text[verdict.ByteOffset(text, e.Start):], e.Quote)
		return !ok || rest != "" && !utf8.RuneStart(rest[0]) || utf8.RuneCountInString(e.Quote) != e.End-e.Start
	}
	if slices.ContainsFunc(v.Evidence, invalid) {
		v.Evidence = slices.DeleteFunc(slices.Clone(v.Evidence), invalid)
	}
	for i, id := range v.ChunkIDs {
		if id >= 0 && id < len(contexts) && (i == 0 || id > v.ChunkIDs[i-1]) {
			continue
		}
		ids := slices.DeleteFunc(slices.Clone(v.ChunkIDs), func(id int) bool {
			return id < 0 || id >= len(contexts)
		})
		slices.Sort(ids)
		v.ChunkIDs = slices.Compact(ids)
		break
	}
}

// addNearest sets the role of evidence. Claims that are not supported and have none get the
// most similar passage, which p.Nearest finds.
func (p *Pipeline) addNearest(ctx context.Context, e *evaluation, verdicts []verdict.Verdict) error {
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
		cleanReferences(&n, e.row.Contexts)
		if n.ClaimID >= 0 && n.ClaimID < len(verdicts) && len(verdicts[n.ClaimID].Evidence) == 0 {
			verdicts[n.ClaimID].Evidence = n.Evidence
		}
	}
	return nil
}

// withRole returns a copy with a role, since a judge may return the same slice again.
func withRole(evidence []verdict.Evidence, role verdict.Role) []verdict.Evidence {
	evidence = slices.Clone(evidence)
	for i := range evidence {
		evidence[i].Role = role
	}
	return evidence
}

// Limits on the evidence of a row in bytes. Without them, thousands of short claims that
// quote the same long sentence fill the memory with the results of a small row.
const (
	minEvidence     = 1 << 20
	evidencePerByte = 4 // of the texts of the row
)

// limitEvidence removes the evidence of the last claims if that of the row exceeds its limit.
func limitEvidence(row *dataset.Row, verdicts []verdict.Verdict) {
	left := minEvidence + evidencePerByte*int(textBytes(row))
	for i := range verdicts {
		v := &verdicts[i]
		for _, e := range v.Evidence {
			left -= len(e.Quote)
		}
		if left < 0 {
			v.Evidence = nil
		}
	}
}
