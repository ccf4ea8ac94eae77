package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// leastOfClass is how many rows of either label an interval of AUROC or of
// balanced accuracy takes.
const leastOfClass = 10

// AUROCInterval returns [AUROC] with its interval: the standard error of
// DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988), computed from ranks
// as by Sun and Xu (IEEE Signal Processing Letters 21, 2014), on the scale of
// the logit, which keeps the ends within 0 and 1 (Pepe, "The Statistical
// Evaluation of Medical Tests", 2003). Where the classes are
// perfectly apart that error is 0; the interval is then Newcombe's
// ([separated]), and Note says so. With fewer than 10 rows of either label
// there is none. A confidence of 0 stands for 0.95.
func AUROCInterval(positive []bool, scores []float64, confidence float64) Interval {
	i, z := begun(AUROC(positive, scores), len(scores), confidence)
	pos, neg := split(positive, scores)
	if i.short(len(pos), len(neg)) {
		return i
	}
	e, a := deLong(pos, neg), i.Estimate
	if e == 0 || a == 0 || a == 1 {
		i.Method, i.Note = Newcombe, "the scores' ranks have no spread within the labels: the interval is that of Newcombe (2006)"
		i.Lower, i.Upper = separated(a, float64(len(pos)), float64(len(neg)), z)
		return i
	}
	i.Method = DeLong
	logit, width := math.Log(a/(1-a)), z*e/(a*(1-a))
	i.Lower, i.Upper = logistic(logit-width), logistic(logit+width)
	return i
}

// begun returns an interval without ends, and the normal quantile of one.
func begun(estimate float64, n int, confidence float64) (Interval, float64) {
	if confidence == 0 {
		confidence = 0.95
	}
	i := Interval{
		Estimate: estimate, Lower: math.NaN(), Upper: math.NaN(),
		Confidence: confidence, N: n, Method: TooFew,
	}
	return i, mathext.NormalQuantile((1 + confidence) / 2)
}

// short notes that a class is too small for an interval.
func (i *Interval) short(pos, neg int) bool {
	if min(pos, neg) >= leastOfClass {
		return false
	}
	i.Note = fmt.Sprintf("%d positive and %d negative rows are too few for an interval, which takes %d of each", pos, neg, leastOfClass)
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

// deLong returns the standard error of the AUROC. A positive's place among the
// negatives is its rank among all less that among its own.
func deLong(pos, neg []float64) float64 {
	m, n := len(pos), len(neg)
	all := ranks(append(append(make([]float64, 0, m+n), pos...), neg...))
	own, other := ranks(pos), ranks(neg)
	for i := range own {
		own[i] = (all[i] - own[i]) / float64(n)
	}
	for i := range other {
		other[i] = 1 - (all[m+i]-other[i])/float64(m)
	}
	return math.Sqrt(stat.Variance(own, nil)/float64(m) + stat.Variance(other, nil)/float64(n))
}

// separated is method 5 of Newcombe, "Confidence intervals for an effect size
// measure based on the Mann-Whitney statistic. Part 2" (Statistics in Medicine
// 25, 2006): the AUROCs that lie z of their own standard errors from the
// estimate, by a formula for the error that needs no spread of the scores.
func separated(a, m, n, z float64) (lower, upper float64) {
	half := (m+n)/2 - 1
	out := func(at float64) bool {
		v := at * (1 - at) * (1 + half*(1-at)/(2-at) + half*at/(1+at)) / (m * n)
		return (a-at)*(a-at) > z*z*v
	}
	end := func(far float64) float64 {
		near := a
		if !out(far) {
			return far
		}
		for range 60 {
			if middle := (near + far) / 2; out(middle) {
				far = middle
			} else {
				near = middle
			}
		}
		return near
	}
	// At 0 and 1 the error is 0: those are within only if the estimate is there.
	return end(0), end(1)
}

// BalancedAccuracyInterval returns [BalancedAccuracy] with its interval: those
// of Wilson (JASA 22, 1927) for the shares of positives and of negatives called
// right, put together by the square-and-add method of Newcombe (Statistics in
// Medicine 17, 1998). It holds near 1 as well. With fewer than 10 rows of
// either label there is none. A confidence of 0 stands for 0.95.
func BalancedAccuracyInterval(positive, called []bool, confidence float64) Interval {
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
	return balanced(right[1]/all[1], right[0]/all[0], int(all[1]), int(all[0]), confidence)
}

// balanced is the interval of the mean of two shares, of pos and of neg rows.
func balanced(sensitivity, specificity float64, pos, neg int, confidence float64) Interval {
	i, z := begun((sensitivity+specificity)/2, pos+neg, confidence)
	if i.short(pos, neg) {
		return i
	}
	i.Method = Newcombe
	low1, high1 := wilson(sensitivity, float64(pos), z)
	low2, high2 := wilson(specificity, float64(neg), z)
	i.Lower = i.Estimate - math.Hypot(sensitivity-low1, specificity-low2)/2
	i.Upper = i.Estimate + math.Hypot(high1-sensitivity, high2-specificity)/2
	return i
}

// wilson is the interval of a share p of n.
func wilson(p, n, z float64) (lower, upper float64) {
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	width := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n)) / (1 + z*z/n)
	return min(p, middle-width), max(p, middle+width)
}

// SpearmanInterval returns [Spearman] with its interval: Fisher's z with the
// standard error sqrt((1+r²/2)/(n-3)) of Bonett and Wright (Psychometrika 65,
// 2000). It is made for scores without ties. With fewer than 20 rows there is
// none. A confidence of 0 stands for 0.95.
func SpearmanInterval(x, y []float64, confidence float64) Interval {
	i, z := begun(Spearman(x, y), len(x), confidence)
	r := i.Estimate
	switch {
	case len(x) < leastUnits:
		i.Note = fmt.Sprintf("%d is too few for an interval, which takes %d", len(x), leastUnits)
	case math.IsNaN(r):
		i.Note = "one of the two does not vary"
	default:
		i.Method = FisherZ
		width := z * math.Sqrt((1+r*r/2)/float64(len(x)-3))
		i.Lower, i.Upper = math.Tanh(math.Atanh(r)-width), math.Tanh(math.Atanh(r)+width)
		if math.Abs(r) == 1 {
			i.Note = "the ranks are the same: the interval has no width, and shows nothing of how sure it is"
		}
	}
	return i
}
