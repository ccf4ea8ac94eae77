package stats

import "math"

// A Bin summarizes the rows with probabilities from Low to High.
type Bin struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
	Mean  float64 `json:"mean"`     // mean probability
	Share float64 `json:"faithful"` // fraction of positives
}

// Reliability returns the non-empty bins of a reliability diagram in ascending
// order. Bins have equal widths and cover probabilities from 0 to 1 (DeGroot
// and Fienberg, The Statistician 32, 1983). A bin includes its upper edge, and
// the first bin also its lower edge, as in sklearn.calibration.
func Reliability(positive []bool, probabilities []float64, bins int) []Bin {
	all := make([]Bin, bins)
	for i, p := range probabilities {
		b := &all[max(0, min(int(math.Ceil(p*float64(bins)))-1, bins-1))]
		b.N++
		b.Mean += p
		if positive[i] {
			b.Share++
		}
	}
	var kept []Bin
	for i, b := range all {
		if b.N > 0 {
			b.Low, b.High = float64(i)/float64(bins), float64(i+1)/float64(bins)
			b.Mean /= float64(b.N)
			b.Share /= float64(b.N)
			kept = append(kept, b)
		}
	}
	return kept
}

// ECE returns the expected calibration error: the mean absolute difference
// between the fraction of positives and the mean probability of each bin,
// weighted by rows (Naeini, Cooper and Hauskrecht, AAAI 2015). It is NaN if
// there are no rows. The value depends on the bins, and is positive by chance
// even for a perfectly calibrated judge; see [ECEByChance].
func ECE(bins []Bin) float64 {
	return binMean(bins, func(b Bin) float64 { return math.Abs(b.Share - b.Mean) })
}

// binMean returns the mean of f over the bins, weighted by rows.
func binMean(bins []Bin, f func(Bin) float64) float64 {
	var sum, n float64
	for _, b := range bins {
		sum += float64(b.N) * f(b)
		n += float64(b.N)
	}
	return sum / n
}

// ECEByChance returns the expected [ECE] of a perfectly calibrated judge with
// the same bins and rows. By the normal approximation of the binomial, the mean
// absolute difference in a bin with mean probability p is sqrt(2p(1-p)/(πN)).
// An ECE near this value is no evidence of miscalibration (Bröcker and Smith,
// Weather and Forecasting 22, 2007).
func ECEByChance(bins []Bin) float64 {
	return binMean(bins, func(b Bin) float64 { return math.Sqrt(2 * b.Mean * (1 - b.Mean) / (math.Pi * float64(b.N))) })
}
