package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Options say what labels mean and what they are held against.
type Options struct {
	// Score is what is cut and what predicts the label; Least for "".
	Score Score
	// PositiveAt is the rating from which a row counts as faithful; nil where
	// labels are verdicts, or where ratings are not to be cut.
	PositiveAt *float64
	// Seed decides the folds and the resamples.
	Seed uint64
}

// A Sample collects rows with a label and without. It keeps a few numbers of
// each row with a label, and counts the others.
type Sample struct {
	options Options
	rows    []row
	rest    stats.Summary // Options.Score of the rows without a label
	judged  stats.Summary // faithfulness of all rows that have one
	counts  Counts
	word    string // where the first label was that is a word
	rating  string // and the first that is a number other than 0 and 1
}

// A row is one with a label and a score.
type row struct {
	scores [3]float64 // in the order of Scores
	label  float64
	wholly bool // every claim was judged to be supported
}

// Counts are of rows.
type Counts struct {
	Rows int
	// Labelled have a label and a score; Unscored have a label but none.
	Labelled, Unscored int
	// Unlabelled have a score but no label.
	Unlabelled int
}

// NewSample returns an empty Sample.
func NewSample(o Options) *Sample {
	if o.Score == "" {
		o.Score = Least
	}
	return &Sample{options: o}
}

// Add counts r with its label, nil for none. where names the row in an error,
// which is about labels that don't go together.
func (s *Sample) Add(r *result.Row, label *Label, where string) error {
	s.counts.Rows++
	s.judged.Add(r.Faithfulness)
	score := s.options.Score.Of(r)
	if label == nil {
		if !math.IsNaN(score) {
			s.counts.Unlabelled++
			s.rest.Add(score)
		}
		return nil
	}
	if err := s.mixed(*label, where); err != nil {
		return err
	}
	one := row{label: label.Value, wholly: r.Faithfulness == 1}
	for i, name := range Scores() {
		one.scores[i] = name.Of(r)
	}
	if slices.ContainsFunc(one.scores[:], math.IsNaN) {
		s.counts.Unscored++
		return nil
	}
	s.counts.Labelled++
	s.rows = append(s.rows, one)
	return nil
}

// mixed finds words among ratings.
func (s *Sample) mixed(l Label, where string) error {
	switch {
	case l.Word && s.word == "":
		s.word = where
	case !l.Word && l.Value != 0 && l.Value != 1 && s.rating == "":
		s.rating = where
	}
	if s.word != "" && s.rating != "" {
		return fmt.Errorf("the label at %s is a rating and that at %s a word: want one kind", s.rating, s.word)
	}
	return nil
}

// ErrNoLabelled says that no row has both a label and a score.
var ErrNoLabelled = errors.New("no row has both a label and a score")

// kind is that of the labels so far.
func (s *Sample) kind() Kind {
	if s.rating != "" || s.options.PositiveAt != nil {
		return Ratings
	}
	return Verdicts
}

// positive cuts the labels, nil where they are not to be cut.
func (s *Sample) positive() []bool {
	bar := 1.0
	switch {
	case s.options.PositiveAt != nil:
		bar = *s.options.PositiveAt
	case s.kind() == Ratings:
		return nil
	}
	positive := make([]bool, len(s.rows))
	for i := range s.rows {
		positive[i] = s.rows[i].label >= bar
	}
	return positive
}

// column returns a score of all rows with a label.
func (s *Sample) column(score int) []float64 {
	values := make([]float64, len(s.rows))
	for i := range s.rows {
		values[i] = s.rows[i].scores[score]
	}
	return values
}
