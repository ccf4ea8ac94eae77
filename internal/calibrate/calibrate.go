// Package calibrate holds a judge against people: how far its scores agree with
// the labels that people gave to rows, where its claims are best cut into
// supported and not, and what the mean is that people would have come to.
//
// A label is of a whole row, and so is every figure here. The least score of a
// row's claims makes the two kinds of threshold one: a row has no unsupported
// claim exactly when its least score reaches the threshold of its claims.
package calibrate

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Score is what the label of a row is held against.
type Score string

// The scores of a row.
const (
	// Least is that of the row's least supported claim. Its threshold is also
	// one of claims.
	Least Score = "least"
	// Support is the mean of the claims' scores.
	Support Score = "support"
	// Faithfulness is the share of supported claims.
	Faithfulness Score = "faithfulness"
)

// Scores are all of them, the one that is used unless another is asked for
// first.
func Scores() []Score { return []Score{Least, Support, Faithfulness} }

// String describes the score to a person.
func (s Score) String() string {
	if s == Least {
		return "minimum claim score"
	}
	return string(s)
}

// Of returns the score of a row, NaN where it has none.
func (s Score) Of(r *result.Row) float64 {
	switch {
	case r.Status != result.Scored:
	case s == Support:
		return r.Support
	case s == Faithfulness:
		return r.Faithfulness
	default:
		least := math.Inf(1)
		for i := range r.Claims {
			least = min(least, r.Claims[i].Score)
		}
		return least
	}
	return math.NaN()
}
