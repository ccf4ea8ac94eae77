// Package calibrate compares a judge with human labels. It measures how well scores agree
// with the labels of rows, finds the threshold that best separates supported from
// unsupported claims, and estimates the mean faithfulness that human raters would report.
//
// All statistics are per row. All claims of a row are supported if and only if its minimum
// claim score reaches the threshold, so a threshold fitted to row labels also applies to
// claims.
package calibrate

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Score is a score of a row that is compared with the label.
type Score string

// The scores of a row. Values as written to calibration files.
const (
	// MinScore is the minimum score of the row's judged claims. Only a threshold for it is one
	// for claims, so all statistics but the agreement are about it.
	MinScore Score = "least"
	// Support is the mean score of the claims.
	Support Score = "support"
	// Faithfulness is the share of supported claims.
	Faithfulness Score = "faithfulness"
)

// Scores returns all scores, starting with MinScore.
func Scores() []Score { return []Score{MinScore, Support, Faithfulness} }

// String returns the name of the score in reports.
func (s Score) String() string {
	if s == MinScore {
		return "minimum claim score"
	}
	return string(s)
}

// Value returns the score of a row, or NaN if it has none.
func (s Score) Value(r *result.Row) float64 {
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
	if len(r.Claims) == 0 {
		return math.NaN()
	}
	lowest := math.Inf(1)
	for i := range r.Claims {
		if r.Claims[i].Verdict != result.Unjudged {
			lowest = min(lowest, r.Claims[i].Score)
		}
	}
	return lowest
}
