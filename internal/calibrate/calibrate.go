// Package calibrate compares a judge with human labels: how well its scores agree with the
// labels of rows, which threshold separates supported from unsupported claims best, and what
// mean faithfulness humans would have found.
//
// Labels and figures are per row. All claims of a row are supported exactly if its minimum
// claim score reaches the threshold, so a threshold for that score that fits the labels of
// rows is also a threshold for claims.
package calibrate

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Score is a score of a row that is compared with its label.
type Score string

// The scores of a row. Their values are those in calibration files.
const (
	// MinScore is the minimum score of the row's claims.
	MinScore Score = "least"
	// Support is the mean score of the claims.
	Support Score = "support"
	// Faithfulness is the share of supported claims.
	Faithfulness Score = "faithfulness"
)

// Scores returns all scores, the default first.
func Scores() []Score { return []Score{MinScore, Support, Faithfulness} }

// String returns the name of the score in reports.
func (s Score) String() string {
	if s == MinScore {
		return "minimum claim score"
	}
	return string(s)
}

// Of returns the score of a row; NaN if it has none.
func (s Score) Of(r *result.Row) float64 {
	if r.Status != result.Scored {
		return math.NaN()
	}
	switch s {
	case Support:
		return r.Support
	case Faithfulness:
		return r.Faithfulness
	case MinScore:
	}
	lowest := math.Inf(1)
	for i := range r.Claims {
		lowest = min(lowest, r.Claims[i].Score)
	}
	return lowest
}
