package lexical

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/verdict"
)

// A basis is the kind of evidence that a verdict rests on.
type basis uint8

const (
	basisNone     basis = iota // no passage shares a word with the claim
	basisMissing               // part of the claim is missing from the contexts
	basisWords                 // the nearest passage differs, but not in a value or by a negation
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

// A claim that no passage contradicts or supports in similar words may still be supported in
// other words, so its confidence stays below 0.7: above softLimit it rises at a tenth of the
// rate, which keeps the order.
const softLimit, rateAboveLimit = 0.68, 0.1

// confidence returns the probability that a verdict on basis b with the given score is right
// about whether the claim is supported. It is a logistic regression on labelled rows that
// training/confidence.py fits; docs/accuracy.md shows how well it holds on others.
func (b basis) confidence(score float64) float64 {
	x := score - DefaultThreshold
	switch b {
	case basisVerbatim:
		return logistic(3.51)
	case basisStated:
		return logistic(0.49 + 2.32*x)
	case basisClose:
		return logistic(-0.01 + 2.08*x)
	case basisValue, basisNegation:
		return logistic(1.11)
	case basisWords:
		return logistic(0.08 + 0.14*x)
	case basisMissing, basisNone:
	}
	p := logistic(-0.08 - 2.86*x)
	return min(p, softLimit) + rateAboveLimit*max(p-softLimit, 0)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
