package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

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
		for i := range r.Claims {
			if r.Claims[i].Verdict != result.Unjudged {
				s.counts.Claims++
			}
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

// positive returns whether each labelled row is faithful.
func (s *Sample) positive() []bool {
	threshold := 1.0
	if s.options.PositiveAt != nil {
		threshold = *s.options.PositiveAt
	}
	positive := make([]bool, len(s.rows))
	for i := range s.rows {
		positive[i] = s.rows[i].label >= threshold
	}
	return positive
}

// column returns a score of all labelled rows, by its index in Scores.
func (s *Sample) column(score int) []float64 {
	values := make([]float64, len(s.rows))
	for i := range s.rows {
		values[i] = s.rows[i].scores[score]
	}
	return values
}
