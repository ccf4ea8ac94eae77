package entail

import "strings"

// A Kind is a kind of difference between a claim and a statement.
type Kind uint8

// The kinds of findings.
const (
	Polarity  Kind = iota // one of them is negated
	Antonym               // one of them has the opposite word
	Quantity              // all instead of some, at most instead of at least
	Assertion             // denied, asked or supposed
	Role                  // who does what to whom
	Label                 // Plan A instead of Plan B
)

// A Finding is a reason why a statement does not entail a claim.
type Finding struct {
	Kind            Kind
	Stated, Claimed Phrase // words of the statement and of the claim
	Denies          bool   // one of them denies what the other states
}

// minCoverage is the share of a claim that a statement must cover for a difference to count. Otherwise
// they may be about different things.
const minCoverage = 0.5

// minDenied is the share of a claim that a statement must cover to deny it.
const minDenied = 0.95

// Check appends the findings of all checks to dst, at most one of each kind.
func (a *Alignment) Check(dst []Finding) []Finding {
	for _, check := range [...]func(*Alignment) (Finding, bool){(*Alignment).unasserted, (*Alignment).polarity, (*Alignment).quantifier, (*Alignment).label, (*Alignment).swapped} {
		f, ok := check(a)
		if !ok || a.Coverage() < minCoverage || strings.EqualFold(f.Stated.Text(), f.Claimed.Text()) {
			continue
		}
		f.Denies = f.Denies && a.Coverage() >= minDenied
		dst = append(dst, f)
	}
	return dst
}
