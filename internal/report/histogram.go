package report

import (
	"math"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// A scoreHistogram counts scores from 0 to 1 with the six decimals of results. Its memory
// does not depend on their number.
type scoreHistogram struct {
	counts []uint32
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
}

// stats returns the statistics for a Summary.
func (h *scoreHistogram) stats() SummaryStats {
	var s stats.Summary
	for i, n := range h.counts {
		if n > 0 {
			s.AddN(float64(i)/million, int(n))
		}
	}
	return newSummaryStats(&s)
}
