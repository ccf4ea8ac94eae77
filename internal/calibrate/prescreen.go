package calibrate

import (
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
	// prescreenSplit is the default threshold of the offline judges. Bounds confirm the
	// verdict of the judge, so they are on its side of the threshold.
	prescreenSplit = 0.5
)

// A Prescreen consists of the scores from which and to which the verdicts of the judge
// are rarely wrong. Labels describe rows, so the error is that of rows: rows whose minimum
// claim score is at least Upper.Score but which are labelled unfaithful, and rows whose
// minimum is at most Lower.Score but which are labelled faithful. Each bound keeps
// MaxError by itself, with the confidence prescreenConfidence (see [stats.SafeCutoff]).
type Prescreen struct {
	MaxError     float64
	Upper, Lower stats.Cutoff // Score is NaN if there is no such bound
}

// prescreen fits the bounds to rows with the given labels and minimum claim scores.
func prescreen(positive []bool, scores []float64, maxError float64) *Prescreen {
	if maxError == 0 {
		maxError = DefaultMaxError
	}
	var side [2]struct {
		scores []float64
		wrong  []bool
	}
	all := [2][]float64{make([]float64, len(scores)), scores} // lower scores are negated
	for i, x := range scores {
		all[0][i] = -x
		k := 0
		if x >= prescreenSplit {
			k = 1
		}
		side[k].scores = append(side[k].scores, all[k][i])
		side[k].wrong = append(side[k].wrong, positive[i] == (k == 0))
	}
	var found [2]stats.Cutoff
	for k := range side {
		c := stats.SafeCutoff(side[k].scores, side[k].wrong, maxError, prescreenConfidence)
		c.Score = roundCutoff(c.Score, all[k])
		found[k] = c
	}
	found[0].Score = min(-found[0].Score, prescreenSplit)
	found[1].Score = max(found[1].Score, prescreenSplit)
	return &Prescreen{MaxError: maxError, Upper: found[1], Lower: found[0]}
}

// roundCutoff returns a bound with few decimals that divides the scores as score does.
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

// note counts the errors of a bound, or explains why there is none.
func (p *Prescreen) note(c *stats.Cutoff) string {
	switch {
	case !math.IsNaN(c.Score):
		return fmt.Sprintf("%d of %s wrong (at most %s with %s confidence)", c.Wrong, report.Count(c.Rows, "row", "rows"), errorRate(p.MaxError), percent(prescreenConfidence))
	case c.Rows == 0:
		return fmt.Sprintf("too few labelled rows on this side of %v (minimum %d)", prescreenSplit, c.Needed)
	}
	return fmt.Sprintf("more than %s wrong: %d of the first %d rows", errorRate(p.MaxError), c.Wrong, c.Rows)
}

// errorRate formats a share in percent without rounding it.
func errorRate(x float64) string { return formatShortest(math.Round(x*1e8)/1e6) + "%" }

// hasPrescreen reports whether the run has scores that bounds can be applied to. Those of a
// language model are its verdicts.
func (r *Report) hasPrescreen() bool {
	return r.Statistics.Prescreen != nil && r.Settings.Get(settingJudge) != judgeLLM
}

// bounds returns the table of the bounds.
func (r *Report) bounds() report.Table {
	p := r.Statistics.Prescreen
	t := newSection("score --prescreen")
	for _, b := range []struct {
		name  string
		bound *stats.Cutoff
	}{{"supported from", &p.Upper}, {"unsupported to", &p.Lower}} {
		score := missing
		if !math.IsNaN(b.bound.Score) {
			score = formatShortest(b.bound.Score)
		}
		t.AddRow(b.name, score, "", p.note(b.bound))
	}
	return t
}

// PrescreenStats is the JSON form of Prescreen.
type PrescreenStats struct {
	MaxError   float64    `json:"max_error"`
	Confidence float64    `json:"confidence"`
	Upper      BoundStats `json:"upper"`
	Lower      BoundStats `json:"lower"`
}

// BoundStats is the JSON form of a bound.
type BoundStats struct {
	Score report.Number `json:"score"`
	Rows  int           `json:"rows"`
	Wrong int           `json:"wrong"`
	Note  string        `json:"note"`
}

// prescreen returns the bounds for a file, or nil if there are none.
func (r *Report) prescreen() *PrescreenStats {
	if !r.hasPrescreen() {
		return nil
	}
	p := r.Statistics.Prescreen
	bound := func(c *stats.Cutoff) BoundStats {
		return BoundStats{report.Number(c.Score), c.Rows, c.Wrong, p.note(c)}
	}
	return &PrescreenStats{p.MaxError, prescreenConfidence, bound(&p.Upper), bound(&p.Lower)}
}

// check returns an error for values that calibrate does not write.
func (p *PrescreenStats) check() error {
	inside := func(x report.Number, low, high float64) bool {
		return math.IsNaN(float64(x)) || float64(x) >= low && float64(x) <= high
	}
	if !(p.MaxError > 0 && p.MaxError < 1) || !inside(p.Upper.Score, prescreenSplit, 1) || !inside(p.Lower.Score, 0, prescreenSplit) {
		return errors.New("prescreen: want a lower bound up to 0.5, an upper bound from 0.5, and an error between 0 and 1")
	}
	return nil
}

// DescribeBounds describes the bounds and their error. It names the file.
func (c *Calibration) DescribeBounds() string {
	p := c.Prescreen
	var parts []string
	for _, b := range []struct {
		name  string
		score report.Number
	}{{"supported from", p.Upper.Score}, {"unsupported to", p.Lower.Score}} {
		if !math.IsNaN(float64(b.score)) {
			parts = append(parts, b.name+" "+formatShortest(float64(b.score)))
		}
	}
	return fmt.Sprintf("%s (%s: at most %s wrong, with %s confidence)", strings.Join(parts, ", "), filepath.Base(c.path), errorRate(p.MaxError), percent(prescreenConfidence))
}

// Bounds returns the scores to which and from which the offline judge decides; NaN for no
// such score. It returns an error if the calibration has no bound.
func (c *Calibration) Bounds() (lower, upper float64, err error) {
	if c.Prescreen == nil {
		return 0, 0, errors.New("no bounds: it is from an earlier version, for a language model, or from ratings without --positive-at")
	}
	p := c.Prescreen
	lower, upper = float64(p.Lower.Score), float64(p.Upper.Score)
	if math.IsNaN(lower) && math.IsNaN(upper) {
		return 0, 0, fmt.Errorf("no bounds: supported: %s; unsupported: %s", p.Upper.Note, p.Lower.Note)
	}
	return lower, upper, nil
}
