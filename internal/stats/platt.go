package stats

import "math"

// Platt maps a score to the probability of a positive row: the logistic function
// of Slope times the logit of the score, plus Intercept.
type Platt struct {
	Slope     float64 `json:"slope"`
	Intercept float64 `json:"intercept"`
	// The variances of Slope and Intercept, then their covariance.
	Covariance [3]float64 `json:"covariance"`
}

// maxLogit limits the logits of scores, since scores of 0 and 1 are never that certain.
const maxLogit = 6

// plattLogit returns the logit of a score from 0 to 1, from -maxLogit to maxLogit.
func plattLogit(score float64) float64 {
	return max(-maxLogit, min(maxLogit, math.Log(score/(1-score))))
}

// Probability returns the probability of a positive row with the given score, 0 to 1.
func (p *Platt) Probability(score float64) float64 {
	return logistic(p.Slope*plattLogit(score) + p.Intercept)
}

// FitPlatt fits the map to labelled rows by maximum likelihood, with the targets of Platt
// ("Probabilities for SV machines", Advances in Large Margin Classifiers, 2000), which keep it
// finite if the scores separate the labels. It returns nil if there are no positive or no
// negative rows, or if the probability does not increase with the score.
func FitPlatt(positive []bool, scores []float64) *Platt {
	n := [2]float64{}
	for _, p := range positive {
		n[labelIndex(p)]++
	}
	if n[0] == 0 || n[1] == 0 {
		return nil
	}
	target := [2]float64{1 / (n[0] + 2), (n[1] + 1) / (n[1] + 2)}
	p := &Platt{Intercept: math.Log(n[1] / n[0])}
	const maxSteps = 100
	for range maxSteps {
		var g0, g1 float64        // gradient of the log likelihood
		var h00, h01, h11 float64 // its negative second derivatives
		for i, score := range scores {
			x, y, q := plattLogit(score), target[labelIndex(positive[i])], p.Probability(score)
			g0 += (y - q) * x
			g1 += y - q
			w := q * (1 - q)
			h00 += w * x * x
			h01 += w * x
			h11 += w
		}
		det := h00*h11 - h01*h01
		if !(det > 1e-12*h00*h11) { // all scores are the same
			return nil
		}
		p.Covariance = [3]float64{h11 / det, h00 / det, -h01 / det}
		d0, d1 := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		if size := max(math.Abs(d0), math.Abs(d1)); size > 1 { // Newton's method overshoots far from the maximum
			d0, d1 = d0/size, d1/size
		} else if size < 1e-10 {
			break
		}
		p.Slope += d0
		p.Intercept += d1
	}
	if !(p.Slope > 0) {
		return nil
	}
	return p
}

// A PlattMean accumulates the probabilities of rows without labels. The zero value is empty.
type PlattMean struct {
	n, sum, squares float64
	logits, weights float64 // sums of q(1-q)logit(q) and q(1-q)
}

// Add adds a row that is positive with probability q, which [Platt.Probability] returned.
func (m *PlattMean) Add(q float64) {
	m.n++
	m.sum += q
	m.squares += q * q
	if w := q * (1 - q); w > 0 {
		m.logits += w * math.Log(q/(1-q))
		m.weights += w
	}
}

// Interval returns the estimated share of positive rows. The interval covers the sampling
// error of the rows and that of the labels to which p was fitted (by the delta method, normal
// on the scale of logits). There is none for fewer than 20 rows.
func (m *PlattMean) Interval(p *Platt) Interval {
	i, _ := newInterval(math.NaN(), int(m.n))
	if i.N < minUnits {
		i.Note = tooFewUnits()
		return i
	}
	i.Method = Delta
	mean := m.sum / m.n
	a, b := (m.logits-p.Intercept*m.weights)/p.Slope/m.n, m.weights/m.n // derivatives of the mean
	c := p.Covariance
	variance := max(0, m.squares/m.n-mean*mean)/(m.n-1) + a*a*c[0] + b*b*c[1] + 2*a*b*c[2]
	const z = 1.959964 // 97.5% quantile of the normal distribution
	d := z * math.Sqrt(variance) / (mean * (1 - mean))
	logit := math.Log(mean / (1 - mean))
	i.Estimate, i.Lower, i.Upper = mean, logistic(logit-d), logistic(logit+d)
	return i
}

// ECE returns the expected calibration error of probabilities: the mean absolute difference between
// the fraction of positives and the mean probability of each bin, weighted by rows (Naeini, Cooper
// and Hauskrecht, AAAI 2015). Bins have equal widths. It is NaN if there are no rows. The value
// depends on the bins, and is positive by chance even for perfectly calibrated probabilities.
func ECE(positive []bool, probabilities []float64, bins int) float64 {
	differences := make([]float64, bins) // number of positives minus its expectation
	for i, p := range probabilities {
		bin := max(0, min(int(math.Ceil(p*float64(bins)))-1, bins-1)) // includes its upper edge
		differences[bin] -= p
		if positive[i] {
			differences[bin]++
		}
	}
	sum := 0.0
	for _, d := range differences {
		sum += math.Abs(d)
	}
	return sum / float64(len(probabilities))
}
