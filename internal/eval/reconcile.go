package eval

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/extract"
	"github.com/ragfaith/ragfaith/internal/verdict"
)

// reconcile returns the verdicts in the order of the claims, which are numbered from
// 0. It is an error if a claim does not have exactly one verdict, or if a verdict has an
// unknown claim, an invalid label, or a score or confidence outside of 0 to 1.
func reconcile(claims []extract.Claim, vs []verdict.Verdict) ([]verdict.Verdict, error) {
	ordered := len(vs) == len(claims)
	for i := range vs {
		v := &vs[i]
		if v.ClaimID < 0 || v.ClaimID >= len(claims) {
			return nil, fmt.Errorf("a verdict for claim %d, and there are %d claims", v.ClaimID, len(claims))
		}
		if v.Label == verdict.Unjudged {
			if !math.IsNaN(v.Score) {
				return nil, fmt.Errorf("claim %d: a score of %v, although it is unjudged", v.ClaimID, v.Score)
			}
		} else if !(v.Score >= 0 && v.Score <= 1) { // true for NaN
			return nil, fmt.Errorf("claim %d: a score of %v, which is not from 0 to 1", v.ClaimID, v.Score)
		}
		if !(v.Confidence >= 0 && v.Confidence <= 1) {
			return nil, fmt.Errorf("claim %d: a confidence of %v, which is not from 0 to 1", v.ClaimID, v.Confidence)
		}
		if v.Label > verdict.Unjudged {
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
