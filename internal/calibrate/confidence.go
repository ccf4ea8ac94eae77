package calibrate

import (
	"cmp"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	// minConfidenceRows is the minimum number of labelled rows for a ConfidenceFit: with fewer
	// than two per bin, the calibration error is mostly noise.
	minConfidenceRows = 20
	confidenceFolds   = 10 // of the cross-validation
	confidenceBins    = 10 // of the calibration error
)

// A ConfidenceFit maps the probability of support that a judge reports to the share of
// faithful rows among those with this probability. The confidence of a verdict follows from
// it.
type ConfidenceFit struct {
	stats.Platt

	Rows int `json:"rows"` // labelled rows
	// Before is the expected calibration error of the confidences of the judge, or of its
	// scores if it has none, and After that of the fitted ones, in cross-validation.
	Before float64 `json:"ece_before"`
	After  float64 `json:"ece_after"`
}

// helps reports whether the fitted confidences are at least as good as those of the judge.
func (c *ConfidenceFit) helps() bool { return c.After <= c.Before }

// fitConfidence fits the confidence to the labels. It returns nil if they do not determine
// one: there are too few, all are the same, or the probability does not increase.
func (s *Sample) fitConfidence(positive []bool) *ConfidenceFit {
	if len(positive) < minConfidenceRows {
		return nil
	}
	supported := make([]float64, len(s.rows))
	for i := range s.rows {
		supported[i] = s.rows[i].supported
	}
	fit := stats.FitPlatt(positive, supported)
	if fit == nil {
		return nil
	}
	order := make([]int, len(supported)) // so that the folds do not depend on the order of the rows
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(supported[a], supported[b]), cmp.Compare(indicator(positive[a]), indicator(positive[b])))
	})
	refitted := make([]float64, len(supported))
	for fold := range confidenceFolds {
		var labels []bool
		var values []float64
		for rank, i := range order {
			if rank%confidenceFolds != fold {
				labels, values = append(labels, positive[i]), append(values, supported[i])
			}
		}
		other := stats.FitPlatt(labels, values)
		if other == nil {
			return nil
		}
		for rank := fold; rank < len(order); rank += confidenceFolds {
			refitted[order[rank]] = other.Probability(supported[order[rank]])
		}
	}
	return &ConfidenceFit{Platt: *fit, Rows: len(positive), Before: s.confidenceError(positive, supported), After: s.confidenceError(positive, refitted)}
}

// indicator returns 1 for true and 0 for false.
func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// confidenceError returns the expected calibration error of the confidences that follow from
// the probabilities of support.
func (s *Sample) confidenceError(positive []bool, supported []float64) float64 {
	right, confidences := make([]bool, len(positive)), make([]float64, len(positive))
	for i := range positive {
		right[i], confidences[i] = positive[i] == s.rows[i].faithful, supported[i]
		if !s.rows[i].faithful {
			confidences[i] = 1 - supported[i]
		}
	}
	return math.Round(stats.ECE(right, confidences, confidenceBins)*1e6) / 1e6
}

// Confidence returns the confidence of a verdict whose judge reports the given probability of
// support.
func (c *ConfidenceFit) Confidence(isSupported bool, probability float64) float64 {
	p := c.Probability(probability)
	if !isSupported {
		p = 1 - p
	}
	return p
}
