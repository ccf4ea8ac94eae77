package report

import "math"

// millionths counts how often each number from 0 to 1 came, with the six decimals
// that results have. Its memory is the same however many there are.
type millionths struct {
	counts []uint32
	n      int
}

const million = 1_000_000

// add counts x. NaN stands for a missing value and is not counted.
func (m *millionths) add(x float64) {
	if math.IsNaN(x) {
		return
	}
	if m.counts == nil {
		m.counts = make([]uint32, million+1)
	}
	m.counts[int(math.Round(min(max(x, 0), 1)*million))]++
	m.n++
}

// figures describe what was counted, as summaryFigures does.
func (m *millionths) figures() SummaryFigures {
	return SummaryFigures{
		m.n, Figure(m.mean()), Figure(m.std()), Figure(m.quantile(0)),
		Figure(m.quantile(0.25)), Figure(m.quantile(0.5)), Figure(m.quantile(0.75)), Figure(m.quantile(1)),
	}
}

func (m *millionths) mean() float64 {
	sum := 0 // of whole numbers, so it is exact
	for i, k := range m.counts {
		sum += i * int(k)
	}
	if m.n == 0 {
		return math.NaN()
	}
	return float64(sum) / float64(m.n) / million
}

// std is the sample standard deviation.
func (m *millionths) std() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	mean, sum := m.mean()*million, 0.0
	for i, k := range m.counts {
		d := float64(i) - mean
		sum += d * d * float64(k)
	}
	return math.Sqrt(sum/float64(m.n-1)) / million
}

// quantile is that of stats.Summary.
func (m *millionths) quantile(p float64) float64 {
	if m.n == 0 {
		return math.NaN()
	}
	at := p * float64(m.n-1)
	below := math.Floor(at)
	a, b := m.nth(int(below)), m.nth(int(math.Ceil(at)))
	return (a + (b-a)*(at-below)) / million
}

// nth returns the number with the rank i, from 0, in millionths.
func (m *millionths) nth(i int) float64 {
	for x, k := range m.counts {
		if i < int(k) {
			return float64(x)
		}
		i -= int(k)
	}
	return million
}
