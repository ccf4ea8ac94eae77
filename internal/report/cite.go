package report

import (
	"fmt"
	"math"

	"github.com/ragfaith/ragfaith/internal/result"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// Citations count what answers cite.
type Citations struct {
	Rows       int // with a citation
	Unresolved int // citations that resolve to nothing

	recall, precision stats.Summary // of the scored rows, 0 for one that cites nothing; of the rows that have one
}

// add counts r.
func (c *Citations) add(r *result.Row) {
	if r.Citations == nil {
		if r.Status == result.Scored {
			c.recall.Add(0)
		}
		return
	}
	c.Rows++
	c.Unresolved += r.Citations.Unresolved
	c.recall.Add(r.Citations.Recall)
	c.precision.Add(r.Citations.Precision)
}

// Recall is the mean citation recall of the scored rows. One that cites nothing has
// 0. It is NaN where no row cites anything.
func (c *Citations) Recall() float64 {
	if c.Rows == 0 {
		return math.NaN()
	}
	return c.recall.Mean()
}

// Precision is the mean citation precision of the rows that have one, NaN where none
// has.
func (c *Citations) Precision() float64 { return c.precision.Mean() }

// Scored counts the rows of Recall and of Precision.
func (c *Citations) Scored() (recall, precision int) { return c.recall.Count(), c.precision.Count() }

// describe says what rows cite on one line, "" where none of them cites anything.
func (c *Citations) describe(rows int) string {
	if c.Rows == 0 {
		return ""
	}
	figure := func(x float64) string {
		if math.IsNaN(x) {
			return "none"
		}
		return fourDecimals(x)
	}
	cite, resolve := "rows cite", "citations resolve"
	if rows == 1 {
		cite = "row cites"
	}
	if c.Unresolved == 1 {
		resolve = "citation resolves"
	}
	return fmt.Sprintf("recall %s, precision %s (%d of %d %s, %d %s to nothing)",
		figure(c.Recall()), figure(c.Precision()), c.Rows, rows, cite, c.Unresolved, resolve)
}

// Cited says what the rows cite on one line, "" where none of them cites anything.
func (t *Tally) Cited() string { return t.Citations.describe(t.Rows) }

// SummaryCitations are Citations.
type SummaryCitations struct {
	Rows       int    `json:"rows"`
	Recall     Figure `json:"recall"`
	Precision  Figure `json:"precision"`
	Unresolved int    `json:"unresolved"`
}

// summary is c as a Summary has it, nil where no row cites anything.
func (c *Citations) summary() *SummaryCitations {
	if c.Rows == 0 {
		return nil
	}
	return &SummaryCitations{c.Rows, Figure(c.Recall()), Figure(c.Precision()), c.Unresolved}
}

// check compares the figures of s with the number of rows.
func (s *SummaryCitations) check(rows int) error {
	switch {
	case s == nil:
		return nil
	case s.Rows < 1 || s.Rows > rows || s.Unresolved < 0:
		return fmt.Errorf("citations: got %d rows and %d unresolved, want 1 to %d rows and no negative number", s.Rows, s.Unresolved, rows)
	case s.Recall < 0 || s.Recall > 1 || s.Precision < 0 || s.Precision > 1:
		return fmt.Errorf("citations: got recall %v and precision %v, want numbers from 0 to 1", s.Recall, s.Precision)
	}
	return nil
}
