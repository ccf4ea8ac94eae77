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
	Label                 // Plan A instead of Plan B
	Role                  // who does what to whom
)

// A Finding is a reason why a statement does not entail a claim.
type Finding struct {
	Kind            Kind
	Stated, Claimed Phrase // words of the statement and of the claim
	Denies          bool   // one of them denies what the other states
}

// minCoverage returns the share of a claim that a statement must cover for a difference to
// count. Otherwise they may be about different things.
func (k Kind) minCoverage() float64 {
	switch k {
	case Polarity:
		return 0.92
	case Assertion:
		return 0.8
	case Antonym:
		return 0.7
	case Role:
		return 0.95
	case Quantity, Label:
	}
	return 0.6
}

// minDenied is the share of a claim, without its heaviest missing word, that a statement
// must cover to deny it.
const minDenied = 0.95

// Check appends the findings of all checks to dst, at most one of each kind.
func (a *Alignment) Check(dst []Finding) []Finding {
	for _, check := range [...]func(*Alignment) (Finding, bool){(*Alignment).unasserted, (*Alignment).polarity, (*Alignment).quantifier, (*Alignment).label, (*Alignment).swapped} {
		f, ok := check(a)
		if !ok || strings.EqualFold(f.Stated.Text(), f.Claimed.Text()) {
			continue
		}
		coverage := a.Coverage()
		if f.Kind == Assertion && a.Stated.foreign {
			coverage += 0.1 // of verbs in another mood: "es falso que el museo cobre"
		}
		if coverage < f.Kind.minCoverage() && (f.Kind > Antonym || a.withoutMissing() < f.Kind.minCoverage()) {
			continue
		}
		f.Denies = f.Denies && a.withoutMissing() >= minDenied
		dst = append(dst, f)
	}
	return dst
}
