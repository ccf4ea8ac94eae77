package compare

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Change is a compared row whose score changed, or the verdict on one of its claims.
type Change struct {
	Baseline, Candidate *result.Row // without contexts
	Difference          float64     // faithfulness of the candidate minus that of the baseline
	// Claims has the claims of the candidate in order, then those only in the baseline.
	Claims []Match
}

// A Match is a claim by its index in each run; -1 if the run does not have it.
type Match struct{ Baseline, Candidate int }

// Lost reports whether a claim is supported in the baseline but not in the candidate.
func (c *Change) Lost(m Match) bool {
	return m.Baseline >= 0 && m.Candidate >= 0 && supported(c.Baseline, m.Baseline) && !supported(c.Candidate, m.Candidate) && !unjudged(c.Candidate, m.Candidate)
}

// Gained reports whether a claim is supported in the candidate but not in the baseline.
func (c *Change) Gained(m Match) bool {
	return m.Baseline >= 0 && m.Candidate >= 0 && !supported(c.Baseline, m.Baseline) && !unjudged(c.Baseline, m.Baseline) && supported(c.Candidate, m.Candidate)
}

func supported(r *result.Row, claim int) bool { return r.Claims[claim].Verdict == result.Supported }

func unjudged(r *result.Row, claim int) bool { return r.Claims[claim].Verdict == result.Unjudged }

// Count returns the number of claims that are lost, gained, and only in one of the runs.
func (c *Change) Count() (lost, gained, onlyBaseline, onlyCandidate int) {
	for _, m := range c.Claims {
		switch {
		case m.Candidate < 0:
			onlyBaseline++
		case m.Baseline < 0:
			onlyCandidate++
		case c.Lost(m):
			lost++
		case c.Gained(m):
			gained++
		}
	}
	return lost, gained, onlyBaseline, onlyCandidate
}

// readChanges reads both runs again and stores the given rows in c.Changes.
func readChanges(ctx context.Context, c *Comparison, rows []changedRow, baseline, candidate Source) error {
	if len(rows) == 0 {
		return nil
	}
	c.Changes = make([]Change, len(rows))
	inBaseline, inCandidate := make(map[int]*Change, len(rows)), make(map[int]*Change, len(rows))
	for i, row := range rows {
		change := &c.Changes[i]
		change.Difference = row.difference
		inBaseline[row.baseline], inCandidate[row.candidate] = change, change
	}
	read := func(s Source, changes map[int]*Change, set func(*Change, *result.Row)) error {
		n := 0
		return each(ctx, s, func(r *result.Row) {
			if change := changes[n]; change != nil {
				r.Contexts = nil
				set(change, r)
			}
			n++
		})
	}
	if err := read(baseline, inBaseline, func(c *Change, r *result.Row) { c.Baseline = r }); err != nil {
		return err
	}
	if err := read(candidate, inCandidate, func(c *Change, r *result.Row) { c.Candidate = r }); err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	for i := range c.Changes {
		change := &c.Changes[i]
		was, is := change.Baseline, change.Candidate
		if was == nil || is == nil || was.ID != is.ID || is.Faithfulness-was.Faithfulness != change.Difference {
			return fmt.Errorf("%s or %s changed while being read", baseline.Name, candidate.Name)
		}
		change.Claims = slices.Clip(matchClaims(claimDigests(seed, was), claimDigests(seed, is), was.Answer == is.Answer))
	}
	return nil
}

// A claimDigest is what is kept of a claim to match it with those of the other run.
type claimDigest struct {
	text       uint64 // hash of the judged text
	start, end int32  // position in the answer; -1 if unknown
	supported  bool
	unjudged   bool
}

// count returns 1 for a supported claim and 0 otherwise.
func (c claimDigest) count() int {
	if c.supported {
		return 1
	}
	return 0
}

func claimDigests(seed maphash.Seed, r *result.Row) []claimDigest {
	if len(r.Claims) == 0 {
		return nil
	}
	digests := make([]claimDigest, len(r.Claims))
	for i := range r.Claims {
		c := &r.Claims[i]
		span := result.Span{Start: c.Start, End: c.End}
		if c.From != nil {
			span = *c.From
		}
		digests[i] = claimDigest{
			text: maphash.String(seed, c.Judged()), start: int32(span.Start), end: int32(span.End),
			supported: supported(r, i), unjudged: unjudged(r, i),
		}
	}
	return digests
}

// matchClaims matches claims by text, claims with equal texts in order. If both answers
// are the same, the remaining claims, which a language model may have rephrased, are
// matched by position if each run has exactly one claim there. The result has the claims
// of the candidate in order, then the unmatched ones of the baseline.
func matchClaims(was, is []claimDigest, sameAnswer bool) []Match {
	matches := make([]Match, len(is), max(len(was), len(is)))
	if slices.EqualFunc(was, is, func(a, b claimDigest) bool { return a.text == b.text }) { // common case
		for i := range matches {
			matches[i] = Match{i, i}
		}
		return matches
	}
	for i := range matches {
		matches[i] = Match{-1, i}
	}
	matched := make([]bool, len(was))
	matchBy(was, is, matched, matches, false, func(c claimDigest) ([2]uint64, bool) { return [2]uint64{c.text}, true })
	if sameAnswer {
		matchBy(was, is, matched, matches, true, func(c claimDigest) ([2]uint64, bool) {
			return [2]uint64{uint64(c.start), uint64(c.end)}, c.start >= 0
		})
	}
	for i := range was {
		if !matched[i] {
			matches = append(matches, Match{i, -1})
		}
	}
	return matches
}

// matchBy matches unmatched claims that have the same key, in order. If unique is set, it
// skips keys that several unmatched claims of a run have.
func matchBy(was, is []claimDigest, matched []bool, matches []Match, unique bool, key func(claimDigest) ([2]uint64, bool)) {
	byKey := make(map[[2]uint64][]int) // unmatched claims of the baseline
	for i, c := range was {
		if k, ok := key(c); ok && !matched[i] {
			byKey[k] = append(byKey[k], i)
		}
	}
	if len(byKey) == 0 {
		return
	}
	candidates := make(map[[2]uint64]int) // number of unmatched claims of the candidate
	for i, c := range is {
		if k, ok := key(c); ok && matches[i].Baseline < 0 {
			candidates[k]++
		}
	}
	for i, c := range is {
		k, ok := key(c)
		found := byKey[k]
		if !ok || matches[i].Baseline >= 0 || len(found) == 0 || unique && (len(found) > 1 || candidates[k] > 1) {
			continue
		}
		matched[found[0]] = true
		matches[i].Baseline = found[0]
		byKey[k] = found[1:]
	}
}
