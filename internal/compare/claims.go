package compare

import (
	"hash/maphash"

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
type Match struct {
	Baseline, Candidate int
	Outcome             Outcome
}

// An Outcome is how a claim of one run compares with that of the other.
type Outcome int

// The outcomes. Claims that are unjudged in one run are unchanged.
const (
	Unchanged     Outcome = iota
	Lost                  // supported in the baseline only
	Gained                // supported in the candidate only
	OnlyBaseline          // without a match in the candidate
	OnlyCandidate         // without a match in the baseline
)

// Flipped reports whether the verdict changed between supported and not supported.
func (m Match) Flipped() bool { return m.Outcome == Lost || m.Outcome == Gained }

// Count returns the number of claims with an outcome.
func (c *Change) Count(o Outcome) int {
	n := 0
	for _, m := range c.Claims {
		if m.Outcome == o {
			n++
		}
	}
	return n
}

// A claimDigest is what is kept of a claim to match it with those of the other run.
type claimDigest struct {
	text      uint64 // hash of the judged text
	supported bool
	unjudged  bool
}

func (c claimDigest) count() int {
	if c.supported {
		return 1
	}
	return 0
}

func (c claimDigest) outcome(is claimDigest) Outcome {
	switch {
	case c.unjudged || is.unjudged || c.supported == is.supported:
		return Unchanged
	case c.supported:
		return Lost
	}
	return Gained
}

func claimDigests(seed maphash.Seed, r *result.Row) []claimDigest {
	if len(r.Claims) == 0 {
		return nil
	}
	digests := make([]claimDigest, len(r.Claims))
	for i := range r.Claims {
		c := &r.Claims[i]
		digests[i] = claimDigest{maphash.String(seed, c.Judged()), c.Verdict == result.Supported, c.Verdict == result.Unjudged}
	}
	return digests
}

// matchClaims matches claims by text, claims with equal texts in order. The result has the
// claims of the candidate in order, then the unmatched ones of the baseline.
func matchClaims(was, is []claimDigest) []Match {
	unmatched := make(map[uint64][]int, len(was)) // claims of the baseline by text
	for i, c := range was {
		unmatched[c.text] = append(unmatched[c.text], i)
	}
	matches := make([]Match, 0, max(len(was), len(is)))
	matched := make([]bool, len(was))
	for i, c := range is {
		m := Match{-1, i, OnlyCandidate}
		if found := unmatched[c.text]; len(found) > 0 {
			m.Baseline, m.Outcome, matched[found[0]] = found[0], was[found[0]].outcome(c), true
			unmatched[c.text] = found[1:]
		}
		matches = append(matches, m)
	}
	for i := range was {
		if !matched[i] {
			matches = append(matches, Match{i, -1, OnlyBaseline})
		}
	}
	return matches
}
