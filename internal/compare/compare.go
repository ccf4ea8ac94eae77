// Package compare compares two runs over the same rows: how much the faithfulness of the
// candidate differs from that of the baseline, whether the difference is statistically
// significant, and which rows and claims changed.
package compare

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// A Source is one of the two runs.
type Source struct {
	Name string // for messages
	// Rows opens the results. It is called twice and must return the same rows.
	Rows func() (iter.Seq2[*result.Row, error], error)
	// Summary is the summary of the run, with its options, or nil if unknown.
	Summary *report.Summary
}

// Options configure a comparison. The zero value treats rows as independent, uses 95%
// confidence intervals and has no gate.
type Options struct {
	Alpha   float64  // significance level; the confidence of intervals is 1 - Alpha; 0 means 0.05
	MaxDrop *float64 // largest drop of the mean that passes the gate; nil for no gate
	// MaxRegressed is the largest number of regressed rows that passes the gate; nil for
	// no gate.
	MaxRegressed *int
	Seed         uint64 // seed of the resampling
	// Cluster is the kept column, or field of report.GroupFields, by whose value in the
	// baseline rows are grouped; "" means that rows are independent.
	Cluster string
	// MaxChanges limits Comparison.Changes; 0 means 1,000.
	MaxChanges int
}

// RowIDs counts rows and lists the ids of the first ones.
type RowIDs struct {
	Count int      `json:"count"`
	First []string `json:"first"`
}

func (r *RowIDs) add(id string) {
	const maxFirst = 5
	r.Count++
	if len(r.First) < maxFirst {
		r.First = append(r.First, id)
	}
}

// A Side describes one of the two runs.
type Side struct {
	Name string `json:"file"`
	report.RowCounts
	Duplicates int             `json:"duplicates"` // number of DuplicateIDs
	Summary    *report.Summary `json:"-"`

	DuplicateIDs RowIDs `json:"-"` // rows with the id of an earlier row

	// Mean, Claims and Supported cover only the compared rows.
	Mean      float64 `json:"mean"` // mean faithfulness; NaN without rows
	Claims    int     `json:"claims"`
	Supported int     `json:"supported"`
}

// countClaims counts the judged claims of a compared row.
func (s *Side) countClaims(claims []claimDigest) {
	for _, c := range claims {
		if !c.unjudged {
			s.Claims++
			s.Supported += c.count()
		}
	}
}

// Claims counts the claims of the compared rows.
type Claims struct {
	Matched       int       `json:"matched"` // in both runs
	Lost          int       `json:"lost"`    // supported in the baseline only
	Gained        int       `json:"gained"`  // supported in the candidate only
	OnlyBaseline  Unmatched `json:"only_baseline"`
	OnlyCandidate Unmatched `json:"only_candidate"`
}

// Unmatched counts the claims of a run without a match in the other one.
type Unmatched struct {
	Total     int `json:"total"`
	Supported int `json:"supported"`
}

func (u *Unmatched) add(c claimDigest) {
	u.Total++
	u.Supported += c.count()
}

// A Transition counts paired rows without a score in at least one run, by their statuses.
type Transition struct {
	From result.Status `json:"baseline"`
	To   result.Status `json:"candidate"`
	RowIDs
}

// Rows counts the rows of a comparison.
type Rows struct {
	Paired        int          `json:"paired"`   // in both runs
	Compared      int          `json:"compared"` // paired rows with a score in both runs
	Better        int          `json:"better"`   // compared rows, by score
	Worse         int          `json:"worse"`
	Same          int          `json:"same"`
	SameAnswers   int          `json:"same_answers"`  // compared rows with equal answers
	OnlyBaseline  RowIDs       `json:"only_baseline"` // rows without a pair
	OnlyCandidate RowIDs       `json:"only_candidate"`
	Unscored      []Transition `json:"unscored"`
	Regressed     RowIDs       `json:"regressed"` // rows that lost a part of their faithfulness, or all of it
}

// A Comparison is the result of comparing two runs.
type Comparison struct {
	Baseline  Side      `json:"baseline"`
	Candidate Side      `json:"candidate"`
	Warnings  []Warning `json:"warnings"`
	Rows      `json:"rows"`
	Units     Units `json:"units"`

	// The statistics are over Units, with intervals of confidence 1 - Alpha.
	stats.Comparison

	Claims  Claims   `json:"claims"`
	Gate    *Gate    `json:"gate"`     // nil without Options.MaxDrop
	RowGate *RowGate `json:"row_gate"` // nil without Options.MaxRegressed
	Passed  bool     `json:"passed"`   // all gates passed
	Changed int      `json:"changed"`  // compared rows with another score or another verdict on a claim
	Changes []Change `json:"changes"`  // the worst changed rows, worst first

	Alpha     float64   `json:"-"`
	Histogram [Bins]int `json:"-"` // compared rows by difference
}

// Units are the independent units of the statistics.
type Units string

// The kinds of units.
const (
	RowUnits   Units = "rows"
	GroupUnits Units = "groups" // of rows, by Options.Cluster
)

// Run compares the candidate with the baseline. Rows are paired by id, rows with equal ids
// in order, and compared if both have a faithfulness. It reads both runs twice and keeps
// about 200 bytes per row and 16 bytes per claim of the baseline, and the texts of at most
// Options.MaxChanges rows.
//
// Run returns an error if the runs have no row ids in common.
func Run(ctx context.Context, baseline, candidate Source, o Options) (*Comparison, error) {
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	if o.MaxChanges == 0 {
		o.MaxChanges = 1000
	}
	p := newPairing(&o)
	p.c.Baseline.Name, p.c.Baseline.Summary = baseline.Name, baseline.Summary
	p.c.Candidate.Name, p.c.Candidate.Summary = candidate.Name, candidate.Summary
	if err := each(ctx, baseline, p.addBaseline); err != nil {
		return nil, err
	}
	if err := each(ctx, candidate, p.addCandidate); err != nil {
		return nil, err
	}
	c := p.finish()
	if c.Paired == 0 {
		return nil, fmt.Errorf("%s and %s have no row ids in common", baseline.Name, candidate.Name)
	}
	if err := readChanges(ctx, c, p.worst(o.MaxChanges), baseline, candidate); err != nil {
		return nil, err
	}
	c.Warnings = warnings(c, p)
	if o.MaxDrop != nil {
		c.Gate = newGate(c, *o.MaxDrop, p.scored)
	}
	if o.MaxRegressed != nil {
		c.RowGate = newRowGate(c, *o.MaxRegressed)
	}
	c.Passed = !slices.ContainsFunc(c.Gates(), func(g report.Gate) bool { return !g.Passed })
	return c, nil
}

// each calls f for each row of s.
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

// Bins is the number of bins in a histogram of differences: ten of width 0.1 for drops,
// largest first, one for no difference, and ten for gains.
const Bins = 21

// slack is the rounding error allowed between equal scores.
const slack = 1e-9

// Bin returns the bin of c in a histogram.
func (c *Change) Bin() int { return bin(c.Difference) }

// bin returns the bin of a difference. A drop of 0.1 belongs to the bin of drops from 0 to
// 0.1.
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
