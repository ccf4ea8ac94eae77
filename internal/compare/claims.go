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

// A claimDigest is what is kept of a claim to match it with those of the other run.
type claimDigest struct {
	text      uint64 // hash of the judged text
	supported bool
	unjudged  bool
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
		digests[i] = claimDigest{text: maphash.String(seed, r.Claims[i].Judged()), supported: supported(r, i), unjudged: unjudged(r, i)}
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
		m := Match{-1, i}
		if found := unmatched[c.text]; len(found) > 0 {
			m.Baseline, matched[found[0]] = found[0], true
			unmatched[c.text] = found[1:]
		}
		matches = append(matches, m)
	}
	for i := range was {
		if !matched[i] {
			matches = append(matches, Match{i, -1})
		}
	}
	return matches
}
