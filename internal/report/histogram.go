package report

import "math"

// A scoreHistogram counts scores from 0 to 1 with the six decimals of results. Its memory
// does not depend on their number.
type scoreHistogram struct {
	counts []uint32
	n      int
}

const million = 1_000_000

// add counts x unless it is NaN.
func (h *scoreHistogram) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint32, million+1)
	}
	h.counts[int(math.Round(min(max(x, 0), 1)*million))]++
	h.n++
}

// stats returns the statistics for a Summary.
func (h *scoreHistogram) stats() SummaryStats {
	return SummaryStats{
		Count: h.n, Mean: h.mean(), Std: h.std(), Min: h.quantile(0),
		P25: h.quantile(0.25), P50: h.quantile(0.5), P75: h.quantile(0.75), Max: h.quantile(1),
	}
}

func (h *scoreHistogram) mean() float64 {
	sum := 0 // a sum of integers is exact
	for i, k := range h.counts {
		sum += i * int(k)
	}
	if h.n == 0 {
		return math.NaN()
	}
	return float64(sum) / float64(h.n) / million
}

// std returns the sample standard deviation.
func (h *scoreHistogram) std() float64 {
	if h.n < 2 {
		return math.NaN()
	}
	mean, sum := h.mean()*million, 0.0
	for i, k := range h.counts {
		d := float64(i) - mean
		sum += d * d * float64(k)
	}
	return math.Sqrt(sum/float64(h.n-1)) / million
}

// quantile interpolates like stats.Summary.
func (h *scoreHistogram) quantile(p float64) float64 {
	if h.n == 0 {
		return math.NaN()
	}
	at := p * float64(h.n-1)
	below := math.Floor(at)
	a, b := h.nth(int(below)), h.nth(int(math.Ceil(at)))
	return (a + (b-a)*(at-below)) / million
}

// nth returns the score of rank i, from 0, in millionths.
func (h *scoreHistogram) nth(i int) float64 {
	for x, k := range h.counts {
		if i < int(k) {
			return float64(x)
		}
		i -= int(k)
	}
	return million
}
