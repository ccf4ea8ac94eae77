package stats

import "math"

// A Bin holds the rows whose probabilities lie from Low to High.
type Bin struct {
	Low, High float64
	N         int
	Mean      float64 // of the probabilities
	Share     float64 // of positives
}

// Reliability sorts probabilities, from 0 to 1, into so many bins of equal
// width and returns those that have rows, the lowest first: a reliability
// diagram (DeGroot and Fienberg, The Statistician 32, 1983). The upper edge
// belongs to the bin, and to the first one the lower as well, as in
// sklearn.calibration. It returns nil without bins. A NaN is left out.
func Reliability(positive []bool, probabilities []float64, bins int) []Bin {
	if bins < 1 {
		return nil
	}
	all := make([]Bin, bins)
	for i, p := range probabilities {
		if math.IsNaN(p) {
			continue
		}
		at := max(0, min(int(math.Ceil(p*float64(bins)))-1, bins-1))
		b := &all[at]
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

// ECE returns the expected calibration error: the mean distance of the share
// of positives from the mean probability, over rows (Naeini, Cooper and
// Hauskrecht, AAAI 2015). NaN without rows. It depends on the bins, and is
// above 0 for a perfectly calibrated judge too, by chance; [ECEByChance] says
// by how much.
func ECE(bins []Bin) float64 {
	var sum, n float64
	for _, b := range bins {
		sum += float64(b.N) * math.Abs(b.Share-b.Mean)
		n += float64(b.N)
	}
	return sum / n
}

// ECEByChance returns the mean of the [ECE] that a judge would have if it were
// perfectly calibrated in each of the bins, for that many rows: with a share of
// positives about the mean probability p by the normal approximation to the
// binomial, the mean distance is sqrt(2p(1-p)/(πN)). An ECE near it shows
// nothing (Bröcker and Smith, Weather and Forecasting 22, 2007, on such bars).
func ECEByChance(bins []Bin) float64 {
	var sum, n float64
	for _, b := range bins {
		sum += float64(b.N) * math.Sqrt(2*b.Mean*(1-b.Mean)/(math.Pi*float64(b.N)))
		n += float64(b.N)
	}
	return sum / n
}
