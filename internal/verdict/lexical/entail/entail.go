// Package entail decides whether a statement of a context contradicts a claim, or does not assert
// it. It aligns the words of the claim with those of the statement and looks for negations,
// opposites, questions, conditions and beliefs that only one of them has. The approach is that of
// natural logic (MacCartney and Manning 2008), without a proof search.
package entail

import "strings"

// minCoverage is the share of a claim that a statement must cover for a difference to count.
// Otherwise they may be about different things.
const minCoverage = 0.5

// minDenied is the share of a claim that a statement must cover to deny it.
const minDenied = 0.95

// Check appends the findings of all checks to dst, at most one of each kind.
func (a *Alignment) Check(dst []Finding) []Finding {
	for _, check := range [...]func(*Alignment) (Finding, bool){(*Alignment).unasserted, (*Alignment).polarity} {
		f, ok := check(a)
		if !ok || a.Coverage() < minCoverage || strings.EqualFold(f.Stated.Text(), f.Claimed.Text()) {
			continue
		}
		f.Denies = f.Denies && a.Coverage() >= minDenied
		dst = append(dst, f)
	}
	return dst
}
