package stats

import "math"

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

// shares returns the shares of the rows with a positive label, with a positive prediction,
// and with a correct one, and the share of correct ones that is expected if labels and
// predictions were independent with the same frequencies.
func (c *Confusion) shares() (label, prediction, observed, chance float64) {
	label = c.share(c.TruePositive) + c.share(c.FalseNegative)
	prediction = c.share(c.TruePositive) + c.share(c.FalsePositive)
	observed = c.share(c.TruePositive) + c.share(c.TrueNegative)
	return label, prediction, observed, label*prediction + (1-label)*(1-prediction)
}

func (c *Confusion) share(n int) float64 { return float64(n) / float64(c.rows()) }

// Kappa returns Cohen's kappa (Educational and Psychological Measurement 20, 1960), the
// agreement beyond chance relative to its maximum, with its 95% interval. It is NaN if all
// labels and predictions are equal. The interval is a Wald interval with the large-sample
// standard error of Fleiss, Cohen and Everitt (Psychological Bulletin 72, 1969), clipped to
// -1 and 1. For perfect agreement the standard error is 0. In that case the lower bound is
// the kappa at the largest disagreement rate consistent with n rows without disagreement,
// and Note is set. There is no interval for fewer than 20 rows, or if all labels or all
// predictions are equal. For 100 rows and a kappa of 0.4, the coverage is 93.6%.
func (c *Confusion) Kappa() Interval {
	_, _, observed, chance := c.shares()
	i, z := newInterval((observed-chance)/(1-chance), c.rows())
	switch e := c.kappaError(); {
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

// kappaError returns the standard error of Fleiss, Cohen and Everitt for a
// nonzero kappa.
func (c *Confusion) kappaError() float64 {
	label, prediction, observed, chance := c.shares()
	square := func(x float64) float64 { return x * x }
	agree := c.share(c.TruePositive)*square(1-chance-(label+prediction)*(1-observed)) +
		c.share(c.TrueNegative)*square(1-chance-(2-label-prediction)*(1-observed))
	disagree := square(1-observed) * (c.share(c.FalseNegative)*square(prediction+1-label) + c.share(c.FalsePositive)*square(label+1-prediction))
	variance := (agree + disagree - square(observed*chance-2*chance+observed)) / (float64(c.rows()) * square(square(1-chance)))
	return math.Sqrt(max(0, variance))
}
