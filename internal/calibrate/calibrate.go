// Package calibrate compares a judge with human labels. It measures how well scores agree
// with the labels of rows, finds the threshold that best separates supported from
// unsupported claims, and estimates the mean faithfulness that human raters would report.
//
// All statistics are per row. All claims of a row are supported if and only if its minimum claim
// score reaches the threshold, so a threshold fitted to row labels also applies to claims.
package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// A Score is a score of a row that is compared with the label.
type Score string

// The scores of a row, as they are named in calibration files.
const (
	// MinScore is the minimum score of the row's judged claims. Only a threshold for it is one
	// for claims, so all statistics but the agreement are about it.
	MinScore Score = "least"
	// Support is the mean score of the claims.
	Support Score = "support"
	// Faithfulness is the share of supported claims.
	Faithfulness Score = "faithfulness"
)

// Scores returns all scores, starting with MinScore.
func Scores() []Score { return []Score{MinScore, Support, Faithfulness} }

// String returns the name of the score in reports.
func (s Score) String() string {
	if s == MinScore {
		return "minimum claim score"
	}
	return string(s)
}

// Value returns the score of a row, or NaN if it has none.
func (s Score) Value(r *result.Row) float64 {
	if r.Status != result.Scored {
		return math.NaN()
	}
	switch s {
	case Support:
		return r.Support
	case Faithfulness:
		return r.Faithfulness
	case MinScore:
	}
	if len(r.Claims) == 0 {
		return math.NaN()
	}
	lowest := math.Inf(1)
	for i := range r.Claims {
		if r.Claims[i].Verdict != result.Unjudged {
			lowest = min(lowest, r.Claims[i].Score)
		}
	}
	return lowest
}

// Options configure a Sample.
type Options struct {
	PositiveAt *float64 // lowest rating of a faithful row; nil for verdicts
	Seed       uint64   // seed of the cross-validation and the resampling
	MaxError   float64  // error of the bounds of a Prescreen, above 0 and below 1; 0 means DefaultMaxError
}

// A Sample collects rows with and without labels. It keeps a few numbers of each row with a
// label and running totals of the others.
type Sample struct {
	options Options
	rows    []row
	rest    stats.Summary // MinScore of the rows without a label
	judged  stats.Summary // faithfulness of all rows
	counts  Counts
	word    string // position of the first label that is a word
	rating  string // position of the first label that is a number other than 0 and 1
}

// A row is a row with a label and a score.
type row struct {
	scores   [3]float64 // in the order of Scores
	label    float64
	faithful bool // the judge supports every claim
	// supported is the probability that all claims are supported, according to the judge: from
	// the confidences, or the minimum claim score if confident is not set.
	supported float64
	confident bool
}

// Counts are numbers of rows.
type Counts struct {
	Rows       int `json:"total"`
	Labelled   int `json:"labelled"`   // with a label and a score
	Faithful   int `json:"faithful"`   // Labelled rows that are faithful
	Unscored   int `json:"unscored"`   // with a label only
	Unlabelled int `json:"unlabelled"` // with a score only

	Claims int `json:"-"` // of rows with a score
	Graded int `json:"-"` // by log probabilities, of Claims
}

// NewSample returns an empty Sample.
func NewSample(o Options) *Sample { return &Sample{options: o} }

// Add adds r with its label, which may be nil. It returns an error if words and ratings are
// mixed; position identifies the row in that error.
func (s *Sample) Add(r *result.Row, label *Label, position string) error {
	s.counts.Rows++
	s.judged.Add(r.Faithfulness)
	score := MinScore.Value(r)
	if r.Status == result.Scored {
		s.counts.Claims += r.JudgedClaims()
		for i := range r.Claims {
			if r.Claims[i].Graded {
				s.counts.Graded++
			}
		}
	}
	if label == nil {
		if !math.IsNaN(score) {
			s.counts.Unlabelled++
			s.rest.Add(score)
		}
		return nil
	}
	if err := s.checkKind(*label, position); err != nil {
		return err
	}
	labelled := row{label: label.Value, faithful: r.Faithfulness == 1}
	for i, name := range Scores() {
		labelled.scores[i] = name.Value(r)
	}
	if labelled.supported, labelled.confident = r.SupportProbability(); !labelled.confident {
		labelled.supported = labelled.scores[0]
	}
	if slices.ContainsFunc(labelled.scores[:], math.IsNaN) {
		s.counts.Unscored++
		return nil
	}
	s.counts.Labelled++
	s.rows = append(s.rows, labelled)
	return nil
}

// checkKind reports words mixed with ratings.
func (s *Sample) checkKind(l Label, position string) error {
	switch {
	case l.Word && s.word == "":
		s.word = position
	case !l.Word && l.Value != 0 && l.Value != 1 && s.rating == "":
		s.rating = position
	}
	if s.word != "" && s.rating != "" {
		return fmt.Errorf("the label of %s is a rating, but that of %s is a word", s.rating, s.word)
	}
	return nil
}

// ErrNoLabelled reports that no row has both a label and a score.
var ErrNoLabelled = errors.New("no row has both a label and a score")

// column returns a score of all labelled rows, by its index in Scores.
func (s *Sample) column(score int) []float64 {
	values := make([]float64, len(s.rows))
	for i := range s.rows {
		values[i] = s.rows[i].scores[score]
	}
	return values
}

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

// Calls compares the rows whose claims are all supported with the rows labelled faithful.
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
	threshold := 1.0
	if s.options.PositiveAt != nil {
		threshold = *s.options.PositiveAt
	}
	positive := make([]bool, len(s.rows))
	labels, truth := make([]float64, len(s.rows)), make([]float64, len(s.rows))
	for i := range s.rows {
		positive[i] = s.rows[i].label >= threshold
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
	if fit := s.fitConfidence(positive); fit != nil && !(fit.After <= fit.Before) {
		f.Notes = append(f.Notes, fmt.Sprintf("confidences are not refitted: that would not lower their calibration error (%.3f now, %.3f in cross-validation)", fit.Before, fit.After))
	} else {
		f.Confidence = fit
	}
}
