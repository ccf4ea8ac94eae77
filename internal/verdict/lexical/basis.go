package lexical

import "github.com/ragfaith/ragfaith/internal/verdict"

// A basis is the kind of evidence that a verdict rests on.
type basis uint8

const (
	basisNone     basis = iota // no passage shares a word with the claim
	basisMissing               // part of the claim is missing from the contexts
	basisWords                 // the nearest passage differs in other words than the following
	basisValue                 // the contexts have another number, amount, date or sign
	basisNegation              // the contexts deny the claim, or the claim denies them
	basisClose                 // a passage is similar to the claim
	basisStated                // a passage has nearly all words of the claim
	basisVerbatim              // a passage contains the claim
)

// label returns the label of a claim with a verdict on this basis. Only a difference in a
// value or in polarity contradicts a claim: other words often mean the same.
func (b basis) label() verdict.Label {
	switch {
	case b >= basisClose:
		return verdict.Supported
	case b == basisValue || b == basisNegation:
		return verdict.Contradicted
	}
	return verdict.NotMentioned
}
