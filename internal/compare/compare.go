// Package compare holds two runs over the same rows against each other: by how
// much a candidate's faithfulness differs from its baseline's, whether that is
// more than chance, and which rows and claims made the difference.
package compare

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// A Source is one of the two runs.
type Source struct {
	Name string // for messages
	// Rows opens the results. It is called twice, and yields the same each time.
	Rows func() (iter.Seq2[*result.Row, error], error)
	// Summary has the settings of the run; nil where they are not known.
	Summary *report.Summary
}

// Options say how two runs are compared. The zero Options take every row for
// itself, 95% for the interval, and have no gate.
type Options struct {
	Alpha   float64  // level of the tests, and 1 less the interval's confidence; 0 stands for 0.05
	MaxDrop *float64 // the gate: the largest drop of the mean that passes; nil for none
	Seed    uint64   // of the resamples
	// Cluster returns the group of a row, and false where it has none; nil where
	// every row is its own.
	Cluster func(*result.Row) (string, bool)
	// Changes is how many changed rows are looked into; 0 stands for 1,000.
	Changes int
}

// namesMost is how many ids are named where only their number matters.
const namesMost = 5

// Named counts rows and names the first of them by id.
type Named struct {
	Count int
	First []string
}

func (n *Named) add(id string) {
	n.Count++
	if len(n.First) < namesMost {
		n.First = append(n.First, id)
	}
}

// A Side is what one of the two files holds.
type Side struct {
	Name                           string
	Rows, Scored, NoClaims, Failed int
	Duplicates                     Named // rows whose id an earlier row has
	Summary                        *report.Summary

	// Of the rows that are compared: their mean faithfulness, NaN for none, their
	// claims, and how many of those are supported.
	Mean              float64
	Claims, Supported int
}

func (s *Side) count(r *result.Row) {
	s.Rows++
	switch r.Status {
	case result.Scored:
		s.Scored++
	case result.NoClaims:
		s.NoClaims++
	case result.Failed:
		s.Failed++
	}
}

// Claims says what became of the claims of the rows that are compared.
type Claims struct {
	Matched int // are on both sides
	Lost    int // supported in the baseline, and not in the candidate
	Gained  int // the other way round
	// Only counts claims that one side alone has, and of these the supported ones.
	OnlyBaseline, OnlyCandidate                   int
	OnlyBaselineSupported, OnlyCandidateSupported int
}

// A Transition is a way in which a row can have a score on one side alone, or on
// neither.
type Transition struct {
	From, To result.Status
	Rows     Named
}

// A Comparison is what there is to say of two runs.
type Comparison struct {
	Baseline, Candidate         Side
	Warnings                    []Warning // what makes the two hard to compare
	Paired                      int       // rows of both sides
	Compared                    int       // of these, the rows with a score on both sides
	OnlyBaseline, OnlyCandidate Named     // rows that are not paired
	Unscored                    []Transition
	SameAnswers                 int // compared rows with equal answers
	Better, Worse, Same         int // compared rows, by their score

	// Figures are of the compared rows, or of groups of them. Their interval has
	// the confidence 1 - Alpha.
	Figures stats.Comparison
	Alpha   float64
	Cluster bool // units are groups of rows
	Groups  int

	Claims    Claims
	Histogram [Bins]int // differences of the compared rows
	Changed   int       // compared rows whose score changed, or a claim's verdict
	Changes   []Change  // of these, the worst and the best, worst first
	Gate      *Gate     // nil where none was asked for
}

// Run compares the candidate with the baseline. Rows are paired by their id, the
// k-th of an id with the k-th; only those with a faithfulness on both sides are
// compared. Everything is read twice: of the baseline's rows it holds what
// identifies them and their claims, about 200 bytes a row and 24 a claim, and the
// texts only of Options.Changes rows.
//
// It is an error where no row of one side has an id of the other.
func Run(ctx context.Context, baseline, candidate Source, o Options) (*Comparison, error) {
	const usual = 1000 // changed rows
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.Changes == 0 {
		o.Changes = usual
	}
	p := newPairing(&o)
	p.c.Baseline.Name, p.c.Baseline.Summary = baseline.Name, baseline.Summary
	p.c.Candidate.Name, p.c.Candidate.Summary = candidate.Name, candidate.Summary
	if err := each(ctx, baseline, p.baseline); err != nil {
		return nil, err
	}
	if err := each(ctx, candidate, p.candidate); err != nil {
		return nil, err
	}
	c := p.conclude()
	if c.Paired == 0 {
		return nil, fmt.Errorf("%s and %s have no row in common: no id is in both", baseline.Name, candidate.Name)
	}
	if err := lookInto(ctx, c, p.chosen(o.Changes), baseline, candidate); err != nil {
		return nil, err
	}
	c.Warnings = warnings(c, p)
	if o.MaxDrop != nil {
		c.Gate = newGate(c, *o.MaxDrop)
	}
	return c, nil
}

// each calls f with every result of s.
func each(ctx context.Context, s Source, f func(*result.Row)) error {
	rows, err := s.Rows()
	if err != nil {
		return err
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		f(r)
	}
	return nil
}

// Bins is how many there are in a histogram of differences: ten of a tenth for
// drops, from the largest, one of no difference at all, and ten for gains.
const Bins = 21

// slack is what two equal scores may differ by: the error of a division.
const slack = 1e-9

// bin returns that of a difference. A drop of 0.1 belongs to the bin of drops up
// to 0.1.
func bin(d float64) int {
	const middle = Bins / 2
	if math.Abs(d) <= slack {
		return middle
	}
	step := min(max(int(math.Ceil(math.Abs(d)*middle-slack)), 1), middle)
	if d < 0 {
		return middle - step
	}
	return middle + step
}
