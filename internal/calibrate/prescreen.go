package calibrate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/stats"
)

const (
	// DefaultMaxError is the default of Options.MaxError.
	DefaultMaxError = 0.05
	// prescreenConfidence is the confidence with which a bound keeps Options.MaxError.
	prescreenConfidence = 0.95
)

// A Prescreen consists of the confidences from which the verdicts of the judge are rarely
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

// A Bound is a confidence from which verdicts are rarely wrong.
type Bound struct {
	Score float64 `json:"bound"` // NaN if there is no such bound
	Rows  int     `json:"rows"`
	Wrong int     `json:"wrong"`
	Note  string  `json:"note"` // the number of errors, or the reason why there is no bound
}

// prescreen fits the bounds to rows with the given labels. It returns nil if the judge has no
// confidence.
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
		c.Score = roundCutoff(c.Score, confidences[k])
		return Bound{c.Score, c.Rows, c.Wrong, boundNote(&c, maxError)}
	}
	return &Prescreen{MaxError: maxError, Confidence: prescreenConfidence, Supported: bound(1), Unsupported: bound(0)}
}

// roundCutoff returns a bound with few decimals that divides the confidences as score does.
func roundCutoff(score float64, scores []float64) float64 {
	if math.IsNaN(score) {
		return score
	}
	below := math.Inf(-1)
	for _, x := range scores {
		if x < score {
			below = max(below, x)
		}
	}
	if math.IsInf(below, -1) {
		return score
	}
	return roundThreshold((below+score)/2, scores)
}

// boundNote counts the errors of a bound, or explains why there is none.
func boundNote(c *stats.Cutoff, maxError float64) string {
	switch {
	case !math.IsNaN(c.Score):
		return fmt.Sprintf("%d of %s wrong (at most %s with %s confidence)", c.Wrong, report.Count(c.Rows, "row", "rows"), errorRate(maxError), percent(prescreenConfidence))
	case c.Rows == 0:
		return fmt.Sprintf("too few labelled rows with this verdict (minimum %d)", c.Needed)
	}
	return fmt.Sprintf("more than %s wrong: %d of the first %d rows", errorRate(maxError), c.Wrong, c.Rows)
}

// errorRate formats a share in percent without rounding it.
func errorRate(x float64) string { return formatShortest(math.Round(x*1e8)/1e6) + "%" }

// bounds returns the table of the bounds.
func (c *Calibration) bounds() report.Table {
	p := c.Prescreen
	t := newSection("score --prescreen")
	add := func(name string, b *Bound) {
		t.AddRow(name, orMissing(b.Score, formatShortest), "", b.Note)
	}
	add("supported, confidence from", &p.Supported)
	add("unsupported, confidence from", &p.Unsupported)
	return t
}

// check returns an error for values that calibrate does not write.
func (p *Prescreen) check() error {
	valid := func(x float64) bool { return math.IsNaN(x) || x > 0 && x <= 1 }
	if !(p.MaxError > 0 && p.MaxError < 1) || !valid(p.Supported.Score) || !valid(p.Unsupported.Score) {
		return errors.New("prescreen: want bounds above 0 and up to 1, and an error between 0 and 1")
	}
	return nil
}

// DescribeBounds describes the bounds and their error. It names the file.
func (c *Calibration) DescribeBounds() string {
	p := c.Prescreen
	var parts []string
	for _, b := range []struct {
		name  string
		bound float64
	}{{"supported", p.Supported.Score}, {"unsupported", p.Unsupported.Score}} {
		if !math.IsNaN(b.bound) {
			parts = append(parts, b.name+" from confidence "+formatShortest(b.bound))
		}
	}
	return fmt.Sprintf("%s (%s: at most %s wrong, with %s confidence)", strings.Join(parts, ", "), filepath.Base(c.path), errorRate(p.MaxError), percent(prescreenConfidence))
}

// Bounds returns the confidences from which the offline judge decides that a claim is
// supported or unsupported; NaN if it never does. It returns an error if the calibration has
// no bound.
func (c *Calibration) Bounds() (supported, unsupported float64, err error) {
	if c.Prescreen == nil {
		return 0, 0, errors.New("no bounds: it is from an earlier version or for a language model")
	}
	p := c.Prescreen
	supported, unsupported = p.Supported.Score, p.Unsupported.Score
	if math.IsNaN(supported) && math.IsNaN(unsupported) {
		return 0, 0, fmt.Errorf("no bounds: supported: %s; unsupported: %s", p.Supported.Note, p.Unsupported.Note)
	}
	return supported, unsupported, nil
}
