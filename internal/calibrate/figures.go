package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/stats"
)

// bins of the reliability diagram.
const bins = 10

// leastReliability is how many labelled rows a reliability diagram takes: two a
// bin, below which the calibration error is nearly all chance.
const leastReliability = 20

// Figures are how judge and people agree. Where labels are ratings and were not
// cut, AUROC and what follows from a cut are missing: their intervals have no
// estimate and say so.
type Figures struct {
	Counts Counts
	Kind   Kind
	Score  Score
	// Scores are how well each score of [Scores] goes with the labels.
	Scores [3]Agreement
	// Positive is the share of labelled rows that people call faithful.
	Positive stats.Interval
	// Faithful counts these rows, of Counts.Labelled.
	Faithful int
	// Judged compares the labels with the rows that the judge found no
	// unsupported claim in.
	Judged Calls
	// Best is the threshold of Score, tried on rows that it was not chosen by.
	Best stats.Threshold
	// Reliability is the share of faithful rows by Score, nil where there are
	// too few; Note says why.
	Reliability Reliability
	Mean        Mean
	// Notes are what a person has to know before trusting the rest.
	Notes []string
}

// Agreement is how well a score goes with the labels.
type Agreement struct {
	Score Score
	// AUROC is the probability that a row which people call faithful has a
	// higher score than one which they don't.
	AUROC stats.Interval
	// Spearman is the rank correlation of score and label.
	Spearman stats.Interval
}

// Calls are the rows that a judge calls faithful, against the labels.
type Calls struct {
	// TruePositive rows are faithful to both, FalsePositive ones to the judge
	// alone, FalseNegative ones to people alone.
	TruePositive, FalsePositive, FalseNegative, TrueNegative int
	BalancedAccuracy                                         stats.Interval
	Kappa                                                    stats.Interval
}

// Reliability is the share of faithful rows, by their score.
type Reliability struct {
	Bins []stats.Bin
	// ECE is the expected calibration error, and Chance what it would be by
	// chance of scores that are exactly the probability; NaN without Bins.
	ECE, Chance float64
	Note        string // why there are none
}

// Mean is what people would have said of all rows.
type Mean struct {
	// Judged is the mean faithfulness of all rows that have one, as score
	// prints it. It is a share of claims, and the others are of rows.
	Judged float64
	// Rows is how many those are.
	Rows      int
	Corrected stats.Corrected
	Note      string // why there is no corrected one
}

// Figures computes all. It is ErrNoLabelled where there is nothing to compute.
func (s *Sample) Figures() (*Figures, error) {
	if len(s.rows) == 0 {
		return nil, ErrNoLabelled
	}
	f := &Figures{Counts: s.counts, Kind: s.kind(), Score: s.options.Score}
	positive := s.positive()
	labels := make([]float64, len(s.rows))
	for i := range s.rows {
		labels[i] = s.rows[i].label
	}
	chosen := s.column(slices.Index(Scores(), s.options.Score))
	for i, name := range Scores() {
		f.Scores[i] = s.agreement(name, i, positive, labels)
	}
	options := stats.Options{Seed: s.options.Seed}
	f.Mean = Mean{Judged: s.judged.Mean(), Rows: s.judged.Count()}
	if truth := s.truth(positive, labels); truth != nil {
		f.Mean.Corrected = stats.CorrectedMean(truth, chosen, &s.rest, options)
	} else {
		f.Mean.Note = "the labels are ratings beyond 0 to 1: --positive-at X makes a share of rows of them"
		f.Mean.Corrected = stats.Corrected{Mean: uncut(), Labelled: uncut(), Judged: math.NaN(), Lambda: math.NaN()}
	}
	if positive == nil {
		f.withoutCut()
	} else {
		f.cut(s, positive, chosen, options)
	}
	f.note()
	return f, nil
}

// agreement is that of one score with the labels.
func (s *Sample) agreement(name Score, at int, positive []bool, labels []float64) Agreement {
	a := Agreement{Score: name, AUROC: uncut(), Spearman: uncut()}
	values := s.column(at)
	if positive != nil {
		a.AUROC = stats.AUROCInterval(positive, values, 0)
	}
	a.Spearman = stats.SpearmanInterval(labels, values, 0)
	if math.IsNaN(a.Spearman.Estimate) && a.Spearman.Note == "" {
		a.Spearman.Note = "all labels or all scores are the same"
	}
	return a
}

// truth is what the labels say from 0 to 1, nil where they don't.
func (s *Sample) truth(positive []bool, labels []float64) []float64 {
	if positive == nil {
		if slices.Min(labels) < 0 || slices.Max(labels) > 1 {
			return nil
		}
		return labels
	}
	truth := make([]float64, len(positive))
	for i, p := range positive {
		if p {
			truth[i] = 1
		}
	}
	return truth
}

// cut computes what follows from labels of two values.
func (f *Figures) cut(s *Sample, positive []bool, chosen []float64, o stats.Options) {
	var share stats.Sample
	called := make([]bool, len(positive))
	for i, p := range positive {
		called[i] = s.rows[i].wholly
		switch {
		case p && called[i]:
			f.Judged.TruePositive++
		case p:
			f.Judged.FalseNegative++
		case called[i]:
			f.Judged.FalsePositive++
		default:
			f.Judged.TrueNegative++
		}
		one := 0.0
		if p {
			f.Faithful++
			one = 1
		}
		share.Add(one, 1)
	}
	f.Positive = share.Interval(o)
	f.Judged.BalancedAccuracy = stats.BalancedAccuracyInterval(positive, called, 0)
	f.Judged.Kappa = stats.KappaInterval(positive, called, 0)
	f.Best = stats.BestThreshold(positive, chosen, nil, o)
	// Scores have six decimals, so that halfway between two has seven.
	f.Best.Threshold = rounded(f.Best.Threshold)
	f.Best.Low, f.Best.High = rounded(f.Best.Low), rounded(f.Best.High)
	f.Reliability = Reliability{ECE: math.NaN(), Chance: math.NaN()}
	if n := len(positive); n < leastReliability {
		f.Reliability.Note = fmt.Sprintf("%d is too few for a reliability diagram, which takes %d", n, leastReliability)
		return
	}
	f.Reliability.Bins = stats.Reliability(positive, chosen, bins)
	f.Reliability.ECE, f.Reliability.Chance = stats.ECE(f.Reliability.Bins), stats.ECEByChance(f.Reliability.Bins)
}

// rounded returns x with seven decimals.
func rounded(x float64) float64 { return math.Round(x*1e7) / 1e7 }

// withoutCut says why there is nothing that follows from a cut.
func (f *Figures) withoutCut() {
	f.Positive, f.Judged.BalancedAccuracy, f.Judged.Kappa = uncut(), uncut(), uncut()
	nan := math.NaN()
	f.Best = stats.Threshold{Threshold: nan, Apparent: nan, OutOfFold: uncut(), Low: nan, High: nan}
	f.Reliability = Reliability{ECE: nan, Chance: nan, Note: uncutNote}
}

const uncutNote = "the labels are ratings: --positive-at X says from which one on a row is faithful"

// uncut is the interval of what needs labels of two values.
func uncut() stats.Interval {
	nan := math.NaN()
	return stats.Interval{Estimate: nan, Lower: nan, Upper: nan, Confidence: 0.95, Method: stats.TooFew, Note: uncutNote}
}

// note tells what makes the figures doubtful.
func (f *Figures) note() {
	if a := f.agreement().AUROC; a.Reliable() {
		switch {
		case a.Upper < 0.5:
			f.Notes = append(f.Notes, "the rows that people call faithful have the lower scores: is 1 the label of what is faithful?")
		case a.Lower <= 0.5:
			f.Notes = append(f.Notes, fmt.Sprintf("by these labels the %s can't be told from chance", f.Score))
		}
	}
	if n := f.Counts.Unscored; n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("rows with a label but no score, which are left out: %d", n))
	}
}

// agreement is that of the score that was asked for.
func (f *Figures) agreement() *Agreement {
	return &f.Scores[slices.Index(Scores(), f.Score)]
}
