package calibrate

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// Statistics measures the agreement of a judge with labels.
type Statistics struct {
	Counts     Counts              `json:"rows"`
	Positive   stats.Interval      `json:"faithful"` // share of labelled rows that are faithful
	Agreement  map[Score]Agreement `json:"agreement"`
	Judged     Calls               `json:"judged"` // agreement of the verdicts
	Best       stats.Threshold     `json:"best"`
	Mean       Mean                `json:"mean"`
	Confidence *ConfidenceFit      `json:"confidence,omitempty"` // nil if the labels do not determine it, or if it would be worse
	Prescreen  *Prescreen          `json:"prescreen,omitempty"`  // nil if there are no confidences to apply bounds to
	Notes      []string            `json:"notes"`                // caveats
}

// Agreement is the agreement of a score with the labels.
type Agreement struct {
	AUROC    stats.Interval `json:"auroc"`    // probability that a faithful row has a higher score than another
	Spearman stats.Interval `json:"spearman"` // rank correlation
}

// Calls compare the rows whose claims are all supported according to the judge with those
// labelled faithful.
type Calls struct {
	stats.Confusion
	BalancedAccuracy stats.Interval `json:"balanced_accuracy"`
	Kappa            stats.Interval `json:"kappa"`
}

// Mean is the mean faithfulness according to the judge and the labels.
type Mean struct {
	Judged          float64 `json:"judged"` // mean faithfulness of all rows, a share of claims
	Rows            int     `json:"rows"`   // number of these rows
	stats.Corrected         // share of faithful rows
}

// Statistics computes the statistics of the sample. It returns ErrNoLabelled if no row has
// a label and a score, and an error for ratings without Options.PositiveAt.
func (s *Sample) Statistics() (*Statistics, error) {
	if len(s.rows) == 0 {
		return nil, ErrNoLabelled
	}
	if s.rating != "" && s.options.PositiveAt == nil {
		return nil, fmt.Errorf("the label of %s is a rating: set --positive-at X to the lowest rating of a faithful row", s.rating)
	}
	f := &Statistics{Counts: s.counts, Agreement: make(map[Score]Agreement)}
	positive := s.positive()
	labels, truth := make([]float64, len(s.rows)), make([]float64, len(s.rows))
	for i := range s.rows {
		labels[i], truth[i] = s.rows[i].label, indicator(positive[i])
	}
	for i, name := range Scores() {
		f.Agreement[name] = agreement(positive, labels, s.column(i))
	}
	options := stats.Options{Seed: s.options.Seed}
	chosen := s.column(0)
	f.Mean = Mean{s.judged.Mean(), s.judged.Count(), stats.CorrectedMean(truth, chosen, &s.rest, options)}
	f.addVerdicts(s, positive, chosen, options)
	if n := s.counts.Unscored; n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("excluded rows with a label but no score: %d", n))
	}
	return f, nil
}

// agreement returns the agreement of a score with the labels.
func agreement(positive []bool, labels, scores []float64) Agreement {
	a := Agreement{AUROC: stats.AUROCInterval(positive, scores), Spearman: stats.SpearmanInterval(labels, scores)}
	if math.IsNaN(a.Spearman.Estimate) && a.Spearman.Note == "" {
		a.Spearman.Note = "all labels or all scores are the same"
	}
	return a
}

// addVerdicts computes the statistics of the verdicts and the threshold.
func (f *Statistics) addVerdicts(s *Sample, positive []bool, chosen []float64, o stats.Options) {
	var share stats.Sample
	called := make([]bool, len(positive))
	for i, p := range positive {
		called[i] = s.rows[i].faithful
		share.Add(indicator(p), 1)
	}
	confusion := stats.NewConfusion(positive, called)
	f.Judged = Calls{confusion, confusion.BalancedAccuracy(), confusion.Kappa()}
	f.Counts.Faithful = confusion.Positive()
	f.Positive = share.Interval(o)
	f.Best = stats.BestThreshold(positive, chosen, o.Seed)
	f.Best.Threshold = roundThreshold(f.Best.Threshold, chosen)
	f.Best.Low, f.Best.High = round7(f.Best.Low), round7(f.Best.High)
	f.Prescreen = prescreen(s.rows, positive, s.options.MaxError)
	if fit := s.fitConfidence(positive); fit != nil && !fit.helps() {
		f.Notes = append(f.Notes, fmt.Sprintf("confidences are not refitted: their calibration error would rise from %.3f to %.3f in cross-validation", fit.Before, fit.After))
	} else {
		f.Confidence = fit
	}
}
