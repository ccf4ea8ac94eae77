package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	folds   = 10 // number of cross-validation folds
	repeats = 20 // number of random divisions into folds
)

// A Threshold is the result of [BestThreshold]. Rows from the threshold are predicted positive.
type Threshold struct {
	// Threshold is the threshold with the highest balanced accuracy on all rows, halfway
	// between two scores, or the middle one of several. It is NaN unless both labels occur.
	Threshold float64 `json:"threshold"`
	// Apparent is the accuracy on the rows that chose the threshold, which is optimistic.
	Apparent float64 `json:"apparent"`
	// OutOfFold is the accuracy on new rows: each is predicted by a threshold of others.
	OutOfFold Interval `json:"out_of_fold"`
	// Low and High are the minimum and maximum threshold over all folds.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

type labelledRow struct {
	score    float64
	positive bool
	fold     int
	correct  float64 // fraction of correct predictions
}

// BestThreshold chooses the threshold with the highest balanced accuracy and estimates
// its accuracy on new rows by ten-fold cross-validation, repeated for twenty random
// stratified divisions. This avoids the bias of choosing and testing on the same rows (Varma
// and Simon, BMC Bioinformatics 7, 2006).
//
// The interval is that of [Confusion.BalancedAccuracy] and treats the repeats as a single
// test of each row. It does not include the uncertainty of choosing the threshold.
func BestThreshold(positive []bool, scores []float64, seed uint64) Threshold {
	rows := make([]labelledRow, len(scores))
	pos := 0
	for i := range rows {
		rows[i] = labelledRow{score: scores[i], positive: positive[i]}
		if positive[i] {
			pos++
		}
	}
	slices.SortFunc(rows, func(a, b labelledRow) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(labelIndex(a.positive), labelIndex(b.positive)))
	})
	t := Threshold{Low: math.Inf(1), High: math.Inf(-1)}
	t.Threshold, t.Apparent = chooseThreshold(rows, -1)
	t.OutOfFold, _ = newInterval(math.NaN(), len(rows))
	if t.OutOfFold.tooFew(pos, len(rows)-pos) {
		t.Low, t.High = math.NaN(), math.NaN()
		return t
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range repeats {
		var next [2]int // the folds of each label take turns
		for _, i := range r.Perm(len(rows)) {
			label := labelIndex(rows[i].positive)
			rows[i].fold = next[label] % folds
			next[label]++
		}
		for fold := range folds {
			threshold, _ := chooseThreshold(rows, fold)
			t.Low, t.High = min(t.Low, threshold), max(t.High, threshold)
			for i := range rows {
				if row := &rows[i]; row.fold == fold && (row.score >= threshold) == row.positive {
					row.correct += 1. / repeats
				}
			}
		}
	}
	var correct [2]float64
	for _, row := range rows {
		correct[labelIndex(row.positive)] += row.correct
	}
	neg := len(rows) - pos
	t.OutOfFold = balancedInterval(correct[1]/float64(pos), correct[0]/float64(neg), pos, neg)
	return t
}

// chooseThreshold returns the threshold with the highest balanced accuracy on rows outside a
// fold, and that accuracy; NaN unless both labels occur. Rows must be sorted by score.
func chooseThreshold(rows []labelledRow, fold int) (threshold, accuracy float64) {
	var pos, neg float64
	for _, row := range rows {
		switch {
		case row.fold == fold:
		case row.positive:
			pos++
		default:
			neg++
		}
	}
	if pos == 0 || neg == 0 {
		return math.NaN(), math.NaN()
	}
	// below is the number of rows of each label below the current candidate.
	var below [2]float64
	var best []float64
	accuracy = math.Inf(-1)
	last := math.NaN()
	for _, row := range rows {
		if row.fold == fold {
			continue
		}
		if row.score != last {
			candidate := row.score
			if !math.IsNaN(last) {
				candidate = last + (row.score-last)/2
			}
			switch a := (1 - below[1]/pos + below[0]/neg) / 2; {
			case a > accuracy+1e-12:
				accuracy, best = a, append(best[:0], candidate)
			case a > accuracy-1e-12:
				best = append(best, candidate)
			}
			last = row.score
		}
		below[labelIndex(row.positive)]++
	}
	return best[(len(best)-1)/2], accuracy
}

// A Cutoff is the result of [SafeCutoff].
type Cutoff struct {
	// Score is the lowest score of a row from which few rows are wrong, or NaN.
	Score float64
	// Rows and Wrong count the rows with at least this score. Without a Score, they are the
	// highest rows with too many wrong ones, or 0 if there were fewer than Needed rows.
	Rows, Wrong int
	// Needed is the minimum number of rows, if none of them is wrong.
	Needed int
}

// SafeCutoff returns the lowest score from which at most a share maxError of rows is wrong,
// with the given confidence. It holds for rows from the same source as the sample, although
// the score is chosen on that sample. maxError and confidence must be between 0 and 1.
//
// It tests the hypothesis that more than maxError of the rows with at least some score are
// wrong, from the highest scores downwards, by the exact binomial test of Clopper and Pearson
// (Biometrika 26, 1934), until one fails. One wrong row among the first would end this
// sequence, so there are several, which start at 1, 2, 4, ... times the minimum number of rows
// and share the error probability: fixed sequence testing with multiple starts, as in
// Angelopoulos et al., "Learn then Test: Calibrating Predictive Algorithms to Achieve Risk
// Control" (arXiv:2110.01052, 2021). The sequences do not depend on which rows are wrong.
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
