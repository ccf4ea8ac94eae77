package eval

import (
	"context"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A RefusalChecker finds the passage of the contexts that answers a question after
// the answer claimed that they do not. It returns false if there is no such passage.
// It is called from many goroutines.
type RefusalChecker interface {
	Answered(ctx context.Context, question, refusal string, contexts []string) (verdict.Evidence, bool, error)
}

// Checking a refusal costs the text of its row in bytes. The budget of a row is
// refusalChecks times its text plus refusalBytes.
const (
	refusalChecks = 8
	refusalBytes  = 4 << 20
)

// falseRefusals are the claims that are refusals, by index, and the passages that
// answer them.
type falseRefusals map[int]verdict.Evidence

// claimRefusals turns refusals into claims if the contexts answer the question. Claims
// stay in the order of the answer and are renumbered.
func (p *Pipeline) claimRefusals(ctx context.Context, e *evaluation, extraction *extract.Extraction) (falseRefusals, error) {
	if p.Refusals == nil || e.empty {
		return nil, nil //nolint:nilnil // an empty map
	}
	var all falseRefusals
	var skipped []extract.Skipped // without those that became claims
	budget := refusalChecks*int(textBytes(&e.row)) + refusalBytes
	for i, s := range extraction.Skipped {
		answered := false
		if s.Kind == extract.Refusal && budget > 0 {
			budget -= int(textBytes(&e.row))
			evidence, ok, err := p.Refusals.Answered(ctx, e.row.Question, s.Text, e.row.Contexts)
			if err != nil {
				return nil, err
			}
			if answered = ok; ok {
				if all == nil {
					all = make(falseRefusals)
					skipped = append(skipped, extraction.Skipped[:i]...)
				}
				all.insert(extraction, s, evidence)
			}
		}
		if all != nil && !answered {
			skipped = append(skipped, s)
		}
	}
	if all != nil {
		extraction.Skipped = skipped
	}
	return all, nil
}

// insert inserts s as a claim at its position in the answer.
func (all falseRefusals) insert(extraction *extract.Extraction, s extract.Skipped, evidence verdict.Evidence) {
	at := len(extraction.Claims)
	for at > 0 && extraction.Claims[at-1].Position() > s.Start {
		at--
	}
	claims := slices.Insert(slices.Clone(extraction.Claims), at, extract.Claim{Text: s.Text, Start: s.Start, End: s.End})
	for i := range claims {
		claims[i].ID = i
	}
	extraction.Claims = claims
	for i := len(claims) - 1; i > at; i-- { // later claims move by one
		if moved, ok := all[i-1]; ok {
			all[i] = moved
			delete(all, i-1)
		}
	}
	all[at] = evidence
}

// judgeClaims returns the verdicts on the claims of e. A refusal is contradicted by the
// passage that answers the question, unless the judge decides on refusals.
func (p *Pipeline) judgeClaims(ctx context.Context, e *evaluation, refusals falseRefusals) (verdict.Judgement, error) {
	task := verdict.Task{Question: e.row.Question, Contexts: e.row.Contexts, Claims: e.claims}
	if len(refusals) == 0 || p.JudgeRefusals {
		return p.Judge.Judge(ctx, task)
	}
	task.Claims = nil
	var ids []int // ids of the claims in the task, which are renumbered
	for i, c := range e.claims {
		if _, ok := refusals[i]; !ok {
			c.ID = len(ids)
			task.Claims, ids = append(task.Claims, c), append(ids, i)
		}
	}
	var judgement verdict.Judgement
	if len(ids) > 0 {
		var err error
		if judgement, err = p.Judge.Judge(ctx, task); err != nil {
			return judgement, err
		}
		if judgement.Verdicts, err = reconcile(task.Claims, judgement.Verdicts); err != nil {
			return judgement, err
		}
		judgement.Verdicts = slices.Clone(judgement.Verdicts)
		for k, id := range ids {
			judgement.Verdicts[k].ClaimID = id
		}
	}
	for i, evidence := range refusals {
		judgement.Verdicts = append(judgement.Verdicts, verdict.Verdict{
			ClaimID: i, Label: verdict.Contradicted, Reason: "the contexts answer it: " + verdict.Excerpt(evidence.Quote, 0), Evidence: []verdict.Evidence{evidence},
		})
	}
	return judgement, nil
}

// skipTrueRefusals turns refusals that the judge does not find contradicted back into
// skipped sentences.
func (p *Pipeline) skipTrueRefusals(e *evaluation, refusals falseRefusals) {
	if !p.JudgeRefusals || len(refusals) == 0 || e.verdicts == nil {
		return
	}
	var claims []extract.Claim
	var verdicts []verdict.Verdict
	for i, c := range e.claims {
		if _, ok := refusals[i]; ok && e.verdicts[i].Label != verdict.Contradicted {
			extraction := extract.Extraction{Skipped: e.skipped}
			extraction.Skip(extract.Skipped{Kind: extract.Refusal, Text: c.Text, Start: c.Start, End: c.End})
			e.skipped = extraction.Skipped
			continue
		}
		v := e.verdicts[i]
		c.ID, v.ClaimID = len(claims), len(claims)
		claims, verdicts = append(claims, c), append(verdicts, v)
	}
	e.claims, e.verdicts = claims, verdicts
	if len(claims) == 0 {
		e.support = math.NaN()
		p.setNoClaims(e, extract.Extraction{Skipped: e.skipped}.Reason())
		return
	}
	e.score()
}
