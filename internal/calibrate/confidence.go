package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	// minConfidenceRows is the minimum number of labelled rows for a ConfidenceFit: with fewer
	// than two per bin, the calibration error is mostly noise.
	minConfidenceRows = 20
	confidenceFolds   = 10 // of the cross-validation
	confidenceBins    = 10 // of the calibration error
)

// A ConfidenceFit maps the probability of support that a judge reports, from which the
// confidence follows, to the share of faithful rows among those with this probability.
type ConfidenceFit struct {
	stats.Platt

	Rows int `json:"rows"` // labelled rows
	// Before is the expected calibration error of the confidences of the judge, or of its
	// scores if it has none, and After that of the fitted ones, in cross-validation.
	Before float64 `json:"ece_before"`
	After  float64 `json:"ece_after"`
}

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

// confidenceError returns the calibration error of the confidences for probabilities of support.
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

// Confidence returns the confidence of a verdict with the given probability of support.
func (c *ConfidenceFit) Confidence(isSupported bool, probability float64) float64 {
	p := c.Probability(probability)
	if !isSupported {
		p = 1 - p
	}
	return p
}

const (
	// DefaultMaxError is the default of Options.MaxError.
	DefaultMaxError = 0.05
	// prescreenConfidence is the confidence with which a bound keeps Options.MaxError.
	prescreenConfidence = 0.95
)

// A Prescreen holds the confidences at or above which the verdicts of the judge are rarely
// wrong. Labels describe rows, so the error is that of rows: rows whose claims are all
// supported with at least the confidence Supported.Score but which are labelled unfaithful,
// and rows with a claim that is unsupported with at least the confidence Unsupported.Score
// but which are labelled faithful. Each bound keeps MaxError by itself, with the confidence
// prescreenConfidence (see [stats.SafeCutoff]).
type Prescreen struct {
	MaxError    float64 `json:"max_error"`
	Confidence  float64 `json:"confidence"`
	Supported   Bound   `json:"supported"`
	Unsupported Bound   `json:"unsupported"`
}

// A Bound is a confidence at or above which verdicts are rarely wrong.
type Bound struct {
	Score float64 `json:"bound"` // NaN if there is no such bound
	Rows  int     `json:"rows"`
	Wrong int     `json:"wrong"`
	Note  string  `json:"note"` // the number of errors, or the reason why there is no bound
}

// prescreen fits the bounds to labelled rows. It returns nil if the judge has no confidence.
func prescreen(rows []row, positive []bool, maxError float64) *Prescreen {
	maxError = cmp.Or(maxError, DefaultMaxError)
	var confidences [2][]float64 // of the rows that the judge finds unsupported, and supported
	var wrong [2][]bool
	for i := range rows {
		r := &rows[i]
		if !r.confident {
			return nil
		}
		k, confidence := 0, 1-r.supported
		if r.faithful {
			k, confidence = 1, r.supported
		}
		confidences[k] = append(confidences[k], confidence)
		wrong[k] = append(wrong[k], positive[i] != r.faithful)
	}
	bound := func(k int) Bound {
		c := stats.SafeCutoff(confidences[k], wrong[k], maxError, prescreenConfidence)
		if below, _ := neighbors(c.Score, confidences[k]); !math.IsInf(below, -1) {
			c.Score = roundThreshold((below+c.Score)/2, confidences[k])
		}
		return Bound{c.Score, c.Rows, c.Wrong, boundNote(&c, maxError)}
	}
	return &Prescreen{MaxError: maxError, Confidence: prescreenConfidence, Supported: bound(1), Unsupported: bound(0)}
}

// neighbors returns the highest score below t and the lowest at or above t.
func neighbors(t float64, scores []float64) (below, above float64) {
	below, above = math.Inf(-1), math.Inf(1)
	for _, x := range scores {
		if x < t {
			below = max(below, x)
		} else {
			above = min(above, x)
		}
	}
	return below, above
}

// roundThreshold returns the threshold with the fewest decimals that separates scores as t does.
func roundThreshold(t float64, scores []float64) float64 {
	below, above := neighbors(t, scores)
	for scale := 10.; scale < 1e7; scale *= 10 {
		if rounded := math.Round(t*scale) / scale; below < rounded && rounded <= above {
			return rounded
		}
	}
	return round7(t)
}

// round7 rounds x to seven decimals. Scores have six, so the midpoint of two has seven.
func round7(x float64) float64 { return math.Round(x*1e7) / 1e7 }

// boundNote counts the errors of a bound, or explains why there is none.
func boundNote(c *stats.Cutoff, maxError float64) string {
	switch {
	case !math.IsNaN(c.Score):
		return fmt.Sprintf("%d of %s wrong (at most %s with %s confidence)", c.Wrong, report.Count(c.Rows, "row", "rows"), report.Percent(maxError, 6), report.Percent(prescreenConfidence, 0))
	case c.Rows == 0:
		return fmt.Sprintf("too few labelled rows with this verdict (minimum %d)", c.Needed)
	}
	return fmt.Sprintf("more than %s wrong: %d of the first %d rows", report.Percent(maxError, 6), c.Wrong, c.Rows)
}

func formatShortest(x float64) string { return report.Decimals(x, 0) }

// check returns an error for values that calibrate does not write.
func (p *Prescreen) check() error {
	valid := func(x float64) bool { return math.IsNaN(x) || x > 0 && x <= 1 }
	if !(p.MaxError > 0 && p.MaxError < 1) || !valid(p.Supported.Score) || !valid(p.Unsupported.Score) {
		return errors.New("prescreen: want bounds above 0 and up to 1, and an error between 0 and 1")
	}
	return nil
}
