package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// AUROC returns the probability that a positive scores above a negative, ties
// counting one half: the Mann-Whitney U statistic over the number of pairs
// (Hanley and McNeil, Radiology 143, 1982). It is NaN where one of the two
// classes is empty. The slices are of one length.
func AUROC(positive []bool, scores []float64) float64 {
	r := ranks(scores)
	var n, sum float64
	for i, p := range positive {
		if p {
			n++
			sum += r[i]
		}
	}
	m := float64(len(positive)) - n
	if n == 0 || m == 0 {
		return math.NaN()
	}
	return (sum - n*(n+1)/2) / (n * m)
}

// BalancedAccuracy returns the mean of the shares of positives called positive
// and of negatives called negative; NaN where one of the two classes is empty.
func BalancedAccuracy(positive, called []bool) float64 {
	var right, all [2]float64
	for i, p := range positive {
		k := 0
		if p {
			k = 1
		}
		all[k]++
		if called[i] == p {
			right[k]++
		}
	}
	return (right[0]/all[0] + right[1]/all[1]) / 2
}

// Spearman returns the rank correlation of x and y: Pearson's correlation of
// their ranks, equal values sharing the mean of theirs. It is NaN where one of
// them does not vary.
func Spearman(x, y []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// ranks returns the rank of each of x, from 1, equal values sharing the mean.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	r := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return r
}
