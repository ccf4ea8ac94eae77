// Package compare compares two runs over the same rows: how much the faithfulness of the
// candidate differs from that of the baseline, whether the difference is statistically
// significant, and which rows and claims changed.
package compare

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
)

// A Source is one of the two runs.
type Source struct {
	Name string // for messages
	// Rows opens the results. It is called twice and must return the same rows.
	Rows func() (iter.Seq2[*result.Row, error], error)
	// Summary is the summary of the run, with its options, or nil if unknown.
	Summary *report.Summary
}

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

// readChanges reads both runs again and stores the given rows in c.Changes.
func readChanges(ctx context.Context, c *Comparison, rows []changedRow, baseline, candidate Source) error {
	if len(rows) == 0 {
		return nil
	}
	c.Changes = make([]Change, len(rows))
	inBaseline, inCandidate := make(map[int]*Change, len(rows)), make(map[int]*Change, len(rows))
	for i, row := range rows {
		change := &c.Changes[i]
		change.Difference = row.difference
		inBaseline[row.baseline], inCandidate[row.candidate] = change, change
	}
	read := func(s Source, changes map[int]*Change, set func(*Change, *result.Row)) error {
		n := 0
		return each(ctx, s, func(r *result.Row) {
			if change := changes[n]; change != nil {
				r.Contexts = nil
				set(change, r)
			}
			n++
		})
	}
	if err := read(baseline, inBaseline, func(c *Change, r *result.Row) { c.Baseline = r }); err != nil {
		return err
	}
	if err := read(candidate, inCandidate, func(c *Change, r *result.Row) { c.Candidate = r }); err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	for i := range c.Changes {
		change := &c.Changes[i]
		was, is := change.Baseline, change.Candidate
		if was == nil || is == nil || was.ID != is.ID || is.Faithfulness-was.Faithfulness != change.Difference {
			return fmt.Errorf("%s or %s changed while being read", baseline.Name, candidate.Name)
		}
		change.Claims = slices.Clip(matchClaims(claimDigests(seed, was), claimDigests(seed, is)))
	}
	return nil
}
