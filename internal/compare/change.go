package compare

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Change is a compared row that is not as it was: its score is another, or that
// of one of its claims.
type Change struct {
	// Baseline and Candidate are the row's results, without its contexts.
	Baseline, Candidate *result.Row
	Difference          float64 // of their faithfulness, candidate less baseline
	// Claims are those of both sides: first of the candidate, in order, then those
	// that the baseline alone has.
	Claims []Match
}

// Lost reports whether a claim is supported in the baseline and not in the
// candidate, and Gained whether it is the other way round.
func (c *Change) Lost(m Match) bool {
	return m.Baseline >= 0 && m.Candidate >= 0 && supported(c.Baseline, m.Baseline) && !supported(c.Candidate, m.Candidate)
}

// Gained is the opposite of Lost.
func (c *Change) Gained(m Match) bool {
	return m.Baseline >= 0 && m.Candidate >= 0 && !supported(c.Baseline, m.Baseline) && supported(c.Candidate, m.Candidate)
}

// Count returns how many claims are lost and gained, and how many each side has
// alone.
func (c *Change) Count() (lost, gained, onlyBaseline, onlyCandidate int) {
	for _, m := range c.Claims {
		switch {
		case m.Candidate < 0:
			onlyBaseline++
		case m.Baseline < 0:
			onlyCandidate++
		case c.Lost(m):
			lost++
		case c.Gained(m):
			gained++
		}
	}
	return lost, gained, onlyBaseline, onlyCandidate
}

func supported(r *result.Row, claim int) bool { return r.Claims[claim].Verdict == result.Supported }

// lookInto reads the rows that were chosen once more, now with their texts.
func lookInto(ctx context.Context, c *Comparison, chosen []changed, baseline, candidate Source) error {
	if len(chosen) == 0 {
		return nil
	}
	c.Changes = make([]Change, len(chosen))
	byBaseline, byCandidate := make(map[int]int, len(chosen)), make(map[int]int, len(chosen))
	for i, row := range chosen {
		byBaseline[row.baseline], byCandidate[row.candidate] = i, i
		c.Changes[i].Difference = row.difference
	}
	take := func(s Source, places map[int]int, to func(i int) **result.Row) error {
		n := 0
		err := each(ctx, s, func(r *result.Row) {
			if i, ok := places[n]; ok {
				r.Contexts = nil
				*to(i) = r
			}
			n++
		})
		return err
	}
	if err := take(baseline, byBaseline, func(i int) **result.Row { return &c.Changes[i].Baseline }); err != nil {
		return err
	}
	if err := take(candidate, byCandidate, func(i int) **result.Row { return &c.Changes[i].Candidate }); err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	for i := range c.Changes {
		change := &c.Changes[i]
		was, is := change.Baseline, change.Candidate
		if was == nil || is == nil || was.ID != is.ID || is.Faithfulness-was.Faithfulness != change.Difference {
			return fmt.Errorf("%s or %s changed while it was read", baseline.Name, candidate.Name)
		}
		change.Claims = slices.Clip(match(marksOf(seed, was), marksOf(seed, is), was.Answer == is.Answer))
	}
	return nil
}
