package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// A Cutoff is the result of [SafeCutoff].
type Cutoff struct {
	// Score is the lowest score from which few rows are wrong. It is the score of a row,
	// or NaN if there is no such score.
	Score float64
	// Rows and Wrong count the rows with at least this score. Without a Score, they are
	// the rows with the highest scores that had too many wrong ones among them, or 0 if
	// there were fewer than Needed rows.
	Rows, Wrong int
	// Needed is the minimum number of rows, if none of them is wrong.
	Needed int
}

// SafeCutoff returns the lowest score from which at most a share maxError of rows is wrong,
// with the given confidence. It holds for rows from the same source as the sample, although
// the score is chosen on that sample.
//
// It tests the hypothesis that more than maxError of the rows with at least some score are
// wrong, from the highest scores downwards, by the exact binomial test behind the limits of
// Clopper and Pearson (Biometrika 26, 1934). A test is only made if all tests before it
// rejected their hypothesis, so no correction for their number is needed. One wrong row
// among the first would end the sequence, so there are several, which start at 1, 2, 4, ...
// times the minimum number of rows and share the error probability. This is fixed sequence
// testing with multiple starts, as in Angelopoulos et al., "Learn then Test: Calibrating
// Predictive Algorithms to Achieve Risk Control" (arXiv:2110.01052, 2021). The sequences
// depend on the scores but not on which rows are wrong.
//
// maxError and confidence must be between 0 and 1. The result does not depend on the order
// of rows.
func SafeCutoff(scores []float64, wrong []bool, maxError, confidence float64) Cutoff {
	rows := make([]labelledRow, len(scores))
	for i := range rows {
		rows[i] = labelledRow{score: scores[i], positive: wrong[i]}
	}
	slices.SortFunc(rows, func(a, b labelledRow) int { return cmp.Compare(b.score, a.score) })

	needed := func(tail float64) int { return int(math.Ceil(math.Log(tail) / math.Log1p(-maxError))) }
	tail := 1 - confidence
	starts := 1
	for n := needed(tail); 2*n <= len(rows); n *= 2 {
		starts++
	}
	tail /= float64(starts)
	cutoff := Cutoff{Score: math.NaN(), Needed: needed(tail)}
	for i, start := 0, cutoff.Needed; i < starts; i, start = i+1, 2*start {
		passed := testDownwards(rows, start, maxError, tail)
		if found := !math.IsNaN(cutoff.Score); i == 0 || !math.IsNaN(passed.Score) && (!found || passed.Rows > cutoff.Rows) {
			cutoff.Score, cutoff.Rows, cutoff.Wrong = passed.Score, passed.Rows, passed.Wrong
		}
	}
	return cutoff
}

// testDownwards tests cutoffs from the score of row start downwards until one fails, and returns
// the last that passed, or else the one that failed, without its Score.
func testDownwards(rows []labelledRow, start int, maxError, tail float64) Cutoff {
	last := Cutoff{Score: math.NaN()}
	wrong := 0
	for i := range rows {
		if rows[i].positive {
			wrong++
		}
		n := i + 1
		if n < start || n < len(rows) && rows[n].score == rows[i].score {
			continue
		}
		errors := distuv.Binomial{N: float64(n), P: maxError}
		if errors.CDF(float64(wrong)) > tail {
			if math.IsNaN(last.Score) {
				last.Rows, last.Wrong = n, wrong
			}
			break
		}
		last = Cutoff{Score: rows[i].score, Rows: n, Wrong: wrong}
	}
	return last
}
