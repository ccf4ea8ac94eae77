package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// AUROC returns the area under the ROC curve: the probability that a positive scores above a
// negative, counting ties as one half. It is the Mann-Whitney U statistic divided by the number of
// pairs (Hanley and McNeil, Radiology 143, 1982), or NaN without positives or negatives.
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

func labelIndex(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// Spearman returns the rank correlation of x and y, which is Pearson's
// correlation of their ranks. It is NaN if x or y is constant.
func Spearman(x, y []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	return stat.Correlation(ranks(x), ranks(y), nil)
}

// ranks returns the rank of each value, from 1. Equal values share their mean rank.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	floats.Argsort(slices.Clone(x), order)
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

// minPerClass is the minimum number of rows per label for an interval.
const minPerClass = 10

// AUROCInterval returns [AUROC] with its 95% interval. It uses the standard error of DeLong,
// DeLong and Clarke-Pearson (Biometrics 44, 1988), computed from ranks as described by Sun and Xu
// (IEEE Signal Processing Letters 21, 2014), on the logit scale, which keeps it within 0 and 1
// (Pepe, "The Statistical Evaluation of Medical Tests", 2003). For separated classes, whose error
// is 0, it is that of Newcombe ([separated]), and Note is set. With fewer than 10 rows of either
// label there is none.
func AUROCInterval(positive []bool, scores []float64) Interval {
	i, z := newInterval(AUROC(positive, scores), len(scores))
	pos, neg := split(positive, scores)
	if i.tooFew(len(pos), len(neg)) {
		return i
	}
	e, a := deLong(pos, neg), i.Estimate
	if e == 0 || a == 0 || a == 1 {
		i.Method, i.Note = Newcombe, "the DeLong standard error is 0; using the Newcombe (2006) interval"
		i.Lower, i.Upper = separated(a, float64(len(pos)), float64(len(neg)), z)
		return i
	}
	i.Method = DeLong
	logit, width := math.Log(a/(1-a)), z*e/(a*(1-a))
	i.Lower, i.Upper = logistic(logit-width), logistic(logit+width)
	return i
}

// newInterval returns a 95% interval without bounds, and its normal quantile.
func newInterval(estimate float64, n int) (Interval, float64) {
	i := Interval{
		Estimate: estimate, Lower: math.NaN(), Upper: math.NaN(),
		Confidence: defaultConfidence, N: n, Method: TooFew,
	}
	return i, mathext.NormalQuantile((1 + i.Confidence) / 2)
}

// tooFew reports whether a class is too small for an interval and sets Note if so.
func (i *Interval) tooFew(pos, neg int) bool {
	if min(pos, neg) >= minPerClass {
		return false
	}
	i.Note = fmt.Sprintf("too few rows for an interval (%d positive, %d negative, minimum %d each)", pos, neg, minPerClass)
	return true
}

func split(positive []bool, scores []float64) (pos, neg []float64) {
	for i, p := range positive {
		if p {
			pos = append(pos, scores[i])
		} else {
			neg = append(neg, scores[i])
		}
	}
	return pos, neg
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// deLong returns the standard error of the AUROC. The number of negatives below
// a positive equals its rank among all rows minus its rank among the positives.
func deLong(pos, neg []float64) float64 {
	m, n := len(pos), len(neg)
	all := ranks(slices.Concat(pos, neg))
	posRanks, negRanks := ranks(pos), ranks(neg)
	for i := range posRanks {
		posRanks[i] = (all[i] - posRanks[i]) / float64(n)
	}
	for i := range negRanks {
		negRanks[i] = 1 - (all[m+i]-negRanks[i])/float64(m)
	}
	return math.Sqrt(stat.Variance(posRanks, nil)/float64(m) + stat.Variance(negRanks, nil)/float64(n))
}

// separated returns the interval of an AUROC by method 5 of Newcombe, "Confidence intervals for an
// effect size measure based on the Mann-Whitney statistic. Part 2" (Statistics in Medicine 25,
// 2006): the values whose distance from the estimate is at most z of their own standard errors,
// which do not depend on the scores.
func separated(a, m, n, z float64) (lower, upper float64) {
	half := (m+n)/2 - 1
	included := func(x float64) bool {
		variance := x * (1 - x) * (1 + half*(1-x)/(2-x) + half*x/(1+x)) / (m * n)
		return (a-x)*(a-x) <= z*z*variance
	}
	// At 0 and 1 the variance is 0, so they are included only if they equal the estimate.
	return bisect(a, 0, included), bisect(a, 1, included)
}

// bisect returns the number closest to outside for which in is true, as it is for inside.
func bisect(inside, outside float64, in func(float64) bool) float64 {
	if in(outside) {
		return outside
	}
	for range 60 {
		if middle := (inside + outside) / 2; in(middle) {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside
}

// balancedInterval returns the interval of the mean of sensitivity and
// specificity, which were measured on pos and neg rows.
func balancedInterval(sensitivity, specificity float64, pos, neg int) Interval {
	i, z := newInterval((sensitivity+specificity)/2, pos+neg)
	if i.tooFew(pos, neg) {
		return i
	}
	i.Method = Newcombe
	low1, high1 := wilson(sensitivity, float64(pos), z)
	low2, high2 := wilson(specificity, float64(neg), z)
	i.Lower = i.Estimate - math.Hypot(sensitivity-low1, specificity-low2)/2
	i.Upper = i.Estimate + math.Hypot(high1-sensitivity, high2-specificity)/2
	return i
}

// wilson returns the Wilson interval of the proportion p of n trials.
func wilson(p, n, z float64) (lower, upper float64) {
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	width := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	return min(p, center-width), max(p, center+width)
}

// SpearmanInterval returns [Spearman] with its 95% interval. It uses Fisher's z with the standard
// error sqrt((1+r²/2)/(n-3)) of Bonett and Wright (Psychometrika 65, 2000), which assumes scores
// without ties. With fewer than 20 rows there is no interval.
func SpearmanInterval(x, y []float64) Interval {
	i, z := newInterval(Spearman(x, y), len(x))
	r := i.Estimate
	switch {
	case len(x) < minUnits:
		i.Note = tooFewUnits()
	case math.IsNaN(r):
		i.Note = "one variable is constant"
	default:
		i.Method = FisherZ
		width := z * math.Sqrt((1+r*r/2)/float64(len(x)-3))
		i.Lower, i.Upper = math.Tanh(math.Atanh(r)-width), math.Tanh(math.Atanh(r)+width)
		if math.Abs(r) == 1 {
			i.Note = "perfect rank correlation: the interval has zero width and does not reflect uncertainty"
		}
	}
	return i
}

// A Confusion counts rows by label and prediction.
type Confusion struct {
	TruePositive  int `json:"true_positive"`
	FalsePositive int `json:"false_positive"`
	FalseNegative int `json:"false_negative"`
	TrueNegative  int `json:"true_negative"`
}

// NewConfusion counts rows. The slices must have the same length.
func NewConfusion(positive, predicted []bool) Confusion {
	var c Confusion
	for i, p := range positive {
		switch {
		case p && predicted[i]:
			c.TruePositive++
		case p:
			c.FalseNegative++
		case predicted[i]:
			c.FalsePositive++
		default:
			c.TrueNegative++
		}
	}
	return c
}

// Positive returns the number of rows with a positive label.
func (c *Confusion) Positive() int { return c.TruePositive + c.FalseNegative }

func (c *Confusion) negative() int { return c.TrueNegative + c.FalsePositive }

func (c *Confusion) rows() int { return c.Positive() + c.negative() }

// BalancedAccuracy returns the mean of sensitivity and specificity with its 95% interval.
// It is NaN if there are no positives or no negatives. The interval combines those of Wilson
// (JASA 22, 1927) for sensitivity and specificity by the square-and-add method of Newcombe
// (Statistics in Medicine 17, 1998), which is also valid near 1. With fewer than 10 rows of
// either label there is no interval.
func (c *Confusion) BalancedAccuracy() Interval {
	sensitivity := float64(c.TruePositive) / float64(c.Positive())
	specificity := float64(c.TrueNegative) / float64(c.negative())
	return balancedInterval(sensitivity, specificity, c.Positive(), c.negative())
}

// Kappa returns Cohen's kappa (Educational and Psychological Measurement 20, 1960), the
// agreement beyond chance relative to its maximum, with its 95% interval. It is NaN if all
// labels and predictions are equal. The interval is a Wald interval with the large-sample
// standard error of Fleiss, Cohen and Everitt (Psychological Bulletin 72, 1969), clipped to
// -1 and 1. For perfect agreement, whose standard error is 0, the lower bound is the kappa at
// the largest disagreement rate consistent with n rows without disagreement, and Note is set.
// There is no interval for fewer than 20 rows, or if all labels or all predictions are equal.
func (c *Confusion) Kappa() Interval {
	kappa, chance, e := c.kappa()
	i, z := newInterval(kappa, c.rows())
	switch {
	case c.rows() < minUnits:
		i.Note = tooFewUnits()
	case math.IsNaN(i.Estimate):
		i.Note = "all labels and predictions are equal"
	case c.Positive() == 0, c.negative() == 0, c.TruePositive+c.FalsePositive == 0, c.TrueNegative+c.FalseNegative == 0:
		i.Note = "all labels or all predictions are equal: kappa is always 0"
	case c.FalseNegative+c.FalsePositive == 0:
		i.Method, i.Note = Bounded, "no disagreement: the lower bound allows for unobserved disagreement"
		unseen := 1 - math.Pow((1-i.Confidence)/2, 1/float64(c.rows()))
		i.Lower, i.Upper = max(-1, 1-unseen/(1-chance)), 1
	default:
		i.Method = Wald
		i.Lower, i.Upper = max(-1, i.Estimate-z*e), min(1, i.Estimate+z*e)
	}
	return i
}

// kappa returns kappa, the share of correct predictions that is expected if labels and
// predictions were independent with the same frequencies, and the error of Fleiss, Cohen and
// Everitt for a nonzero kappa.
func (c *Confusion) kappa() (kappa, chance, standardError float64) {
	n := float64(c.rows())
	tp, fp := float64(c.TruePositive)/n, float64(c.FalsePositive)/n
	fn, tn := float64(c.FalseNegative)/n, float64(c.TrueNegative)/n
	label, prediction, observed := tp+fn, tp+fp, tp+tn
	chance = label*prediction + (1-label)*(1-prediction)
	square := func(x float64) float64 { return x * x }
	agree := tp*square(1-chance-(label+prediction)*(1-observed)) + tn*square(1-chance-(2-label-prediction)*(1-observed))
	disagree := square(1-observed) * (fn*square(prediction+1-label) + fp*square(label+1-prediction))
	variance := (agree + disagree - square(observed*chance-2*chance+observed)) / (n * square(square(1-chance)))
	return (observed - chance) / (1 - chance), chance, math.Sqrt(max(0, variance))
}
