package entail

import "strings"

// A Kind is a kind of difference between a claim and a statement.
type Kind uint8

// The kinds of findings.
const (
	Polarity    Kind = iota // one of them is negated
	Antonym                 // one of them has the opposite word
	Predicate               // a predicate that denies stands for one that does not
	Quantifier              // all instead of some, only instead of also
	Modality                // required instead of recommended, certain instead of possible
	Restriction             // a condition or exception is denied, reversed or ignored
	Dropped                 // a condition or exception is left out
	Roles                   // who did what to whom
	Pairing                 // a value or property that belongs to something else
	Name                    // another name in the same place
	Order                   // before instead of after, more instead of less
	Assertion               // denied, asked or supposed
)

// A Finding is a reason why a statement does not entail a claim.
type Finding struct {
	Kind            Kind
	Stated, Claimed Phrase // words of the statement and of the claim
	Denies          bool   // one of them denies what the other states, or has its value for something else
}

// minCoverage returns the share of a claim that a statement must cover for a difference to
// count. Otherwise they may be about different things.
func (k Kind) minCoverage() float64 {
	switch k {
	case Polarity, Predicate, Name, Pairing:
		return 0.92
	case Roles, Assertion:
		return 0.8
	case Antonym:
		return 0.7
	case Dropped:
		return 0.9
	case Quantifier, Modality, Restriction, Order:
	}
	return 0.6
}

// minParsed is the coverage of statements that are parsed, and minParsedNames that of
// statements with other names than the claim.
const minParsed, minParsedNames = 0.75, 0.4

// minDenied is the share of a claim, without its heaviest missing word, that a statement
// must cover to deny it.
const minDenied = 0.95

// Check appends the findings of all checks to dst, at most one of each kind.
func (a *Alignment) Check(dst []Finding) []Finding {
	coverage := a.Coverage()
	for _, check := range [...]func(*Alignment) (Finding, bool){(*Alignment).unasserted, (*Alignment).polarity, (*Alignment).predicate, (*Alignment).pairing} {
		dst = appendFinding(dst, a, check, coverage)
	}
	if !a.Stated.foreign {
		if coverage >= minParsed {
			dst = appendFinding(dst, a, (*Alignment).arguments, coverage)
		}
		if coverage >= minParsed || coverage >= minParsedNames && a.renames() {
			if f, ok := a.subjects(); ok {
				dst = append(dst, f)
			}
		}
	}
	return a.checkOperators(dst, coverage)
}

func appendFinding(dst []Finding, a *Alignment, check func(*Alignment) (Finding, bool), coverage float64) []Finding {
	f, ok := check(a)
	if !ok || strings.EqualFold(f.Stated.Text(), f.Claimed.Text()) || f.Kind <= Predicate && (a.Stated.foreign || a.cancels()) {
		return dst
	}
	if f.Kind == Assertion && a.Stated.foreign {
		coverage += 0.1 // of verbs in another mood: "es falso que el museo cobre"
	}
	if coverage < f.Kind.minCoverage() && (f.Kind > Predicate || a.withoutMissing() < f.Kind.minCoverage()) {
		return dst
	}
	f.Denies = f.Denies && a.withoutMissing() >= minDenied
	for _, x := range dst {
		if x.Kind == f.Kind {
			return dst
		}
	}
	return append(dst, f)
}
