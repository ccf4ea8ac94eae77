package eval

import (
	"context"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A RefusalChecker finds the statement of the contexts that answers what a sentence
// says they do not. It reports false if it is not sure of one. It is called from many
// goroutines.
type RefusalChecker interface {
	Answered(ctx context.Context, question, refusal string, contexts []string) (verdict.Evidence, bool, error)
}

// The refusals of a row are compared with its contexts up to refusalChecks times,
// and further as long as that is less than refusalWork bytes.
const (
	refusalChecks = 8
	refusalWork   = 1 << 22
)

// refused are the claims of a row that are refusals, by their index among the
// claims, with the statement that answers each.
type refused map[int]verdict.Evidence

// claimRefusals makes claims of the refusals in an answer that the contexts answer.
// Claims stay in the order of the answer, and are numbered again.
func (p *Pipeline) claimRefusals(ctx context.Context, r *Result, found *extract.Extraction) (refused, error) {
	if p.Refusals == nil || len(r.Row.Contexts) == 0 {
		return nil, nil //nolint:nilnil // an empty map
	}
	var all refused
	var kept []extract.Skipped
	left := refusalChecks*int(textBytes(&r.Row)) + refusalWork
	for i, s := range found.Skipped {
		answered := false
		if s.Kind == extract.Refusal && left > 0 {
			left -= int(textBytes(&r.Row))
			e, ok, err := p.Refusals.Answered(ctx, r.Row.Question, s.Text, r.Row.Contexts)
			if err != nil {
				return nil, err
			}
			if answered = ok; ok {
				if all == nil {
					all = make(refused)
					kept = append(kept, found.Skipped[:i]...)
				}
				all.insert(found, s, e)
			}
		}
		if all != nil && !answered {
			kept = append(kept, s)
		}
	}
	if all != nil {
		found.Skipped = kept
	}
	return all, nil
}

// insert makes s a claim in its place among those of found.
func (all refused) insert(found *extract.Extraction, s extract.Skipped, e verdict.Evidence) {
	at := len(found.Claims)
	for at > 0 && startOf(&found.Claims[at-1]) > s.Start {
		at--
	}
	claims := make([]extract.Claim, 0, len(found.Claims)+1)
	claims = append(append(append(claims, found.Claims[:at]...), extract.Claim{Text: s.Text, Start: s.Start, End: s.End}), found.Claims[at:]...)
	for i := range claims {
		claims[i].ID = i
	}
	found.Claims = claims
	for i := len(claims) - 1; i > at; i-- { // those behind it move
		if moved, ok := all[i-1]; ok {
			all[i] = moved
			delete(all, i-1)
		}
	}
	all[at] = e
}

// startOf is where a claim stands in the answer, or the sentence that it came from.
func startOf(c *extract.Claim) int {
	if c.From != nil {
		return c.From.Start
	}
	return c.Start
}

// judgeClaims returns the verdicts on the claims of r. A refusal is contradicted by the
// statement that answers it, unless the judge decides on refusals itself.
func (p *Pipeline) judgeClaims(ctx context.Context, r *Result, refusals refused) (verdict.Judgement, error) {
	task := verdict.Task{Question: r.Row.Question, Contexts: r.Row.Contexts, Claims: r.Claims}
	if len(refusals) == 0 || p.JudgeRefusals {
		return p.Judge.Judge(ctx, task)
	}
	task.Claims = nil
	var ids []int // in r of the task's claims, which are numbered from 0 as well
	for i, c := range r.Claims {
		if _, ok := refusals[i]; !ok {
			c.ID = len(ids)
			task.Claims, ids = append(task.Claims, c), append(ids, i)
		}
	}
	var said verdict.Judgement
	if len(ids) > 0 {
		var err error
		if said, err = p.Judge.Judge(ctx, task); err != nil {
			return said, err
		}
		if said.Verdicts, err = reconcile(task.Claims, said.Verdicts); err != nil {
			return said, err
		}
		said.Verdicts = slices.Clone(said.Verdicts)
		for k, id := range ids {
			said.Verdicts[k].ClaimID = id
		}
	}
	for i, e := range refusals {
		said.Verdicts = append(said.Verdicts, verdict.Verdict{
			ClaimID: i, Label: verdict.Contradicted, Reason: "the contexts answer it: " + verdict.Excerpt(e.Quote, 0), Evidence: []verdict.Evidence{e},
		})
	}
	return said, nil
}

// skipTrueRefusals takes back the refusals that the judge does not find contradicted.
func (p *Pipeline) skipTrueRefusals(r *Result, refusals refused) {
	if !p.JudgeRefusals || len(refusals) == 0 || r.Status != Scored {
		return
	}
	var claims []extract.Claim
	var verdicts []verdict.Verdict
	for i, c := range r.Claims {
		if _, ok := refusals[i]; ok && r.Verdicts[i].Label != verdict.Contradicted {
			e := extract.Extraction{Skipped: r.Skipped}
			e.Skip(extract.Skipped{Kind: extract.Refusal, Text: c.Text, Start: c.Start, End: c.End})
			r.Skipped = e.Skipped
			continue
		}
		v := r.Verdicts[i]
		c.ID, v.ClaimID = len(claims), len(claims)
		claims, verdicts = append(claims, c), append(verdicts, v)
	}
	r.Claims, r.Verdicts = claims, verdicts
	if len(claims) == 0 {
		r.Support = math.NaN()
		p.noClaims(r, extract.Extraction{Skipped: r.Skipped}.Reason())
		return
	}
	r.score()
}
