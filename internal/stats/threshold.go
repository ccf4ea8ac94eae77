package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	folds   = 10 // number of cross-validation folds
	repeats = 20 // number of random divisions into folds
)

// A Threshold is the result of [BestThreshold]. Rows with a score at or above
// the threshold are predicted positive.
type Threshold struct {
	// Threshold is the threshold with the highest balanced accuracy on all rows. It
	// lies halfway between two scores. Of several best thresholds it is the middle
	// one. It is NaN unless both labels occur.
	Threshold float64 `json:"threshold"`
	// Apparent is the balanced accuracy on the rows used to choose the threshold,
	// which is optimistic.
	Apparent float64 `json:"apparent"`
	// OutOfFold is the expected balanced accuracy on new rows. Each row is predicted
	// with a threshold chosen without the row.
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
// its accuracy on new rows by cross-validation. For each of ten folds, a threshold is
// chosen on the other rows and tested on the fold. This avoids the bias of choosing and
// testing on the same rows (Varma and Simon, BMC Bioinformatics 7, 2006). The procedure
// is repeated for twenty random stratified divisions into folds.
//
// The interval is that of [Confusion.BalancedAccuracy] and treats the repeats as a single
// test of each row. It does not include the uncertainty of choosing the threshold on this
// sample. seed is the random seed. The result does not depend on the order of rows.
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
		assignFolds(rows, r)
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
	t.OutOfFold = outOfFold(rows, pos)
	return t
}

// chooseThreshold returns the threshold with the highest balanced accuracy on
// the rows outside a fold, and that accuracy. Rows must be sorted by score. It
// returns NaN unless both labels occur.
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

// assignFolds assigns rows to random folds, round-robin within each label.
func assignFolds(rows []labelledRow, r *rand.Rand) {
	var next [2]int
	for _, i := range r.Perm(len(rows)) {
		row := &rows[i]
		label := labelIndex(row.positive)
		row.fold = next[label] % folds
		next[label]++
	}
}

// outOfFold returns the balanced accuracy from the fractions of correct
// predictions.
func outOfFold(rows []labelledRow, pos int) Interval {
	var correct [2]float64
	for _, row := range rows {
		correct[labelIndex(row.positive)] += row.correct
	}
	neg := len(rows) - pos
	return balancedInterval(correct[1]/float64(pos), correct[0]/float64(neg), pos, neg)
}
