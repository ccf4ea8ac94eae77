package report

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/eval"
	"github.com/ragfaith/ragfaith/internal/stats"
)

// The names of what results say of citations.
const (
	citationRecall      = "citation_recall"
	citationPrecision   = "citation_precision"
	unresolvedCitations = "unresolved_citations"
)

// appendCitations appends the citations of claim i as a member, nothing where it has
// none.
func appendCitations(b []byte, r *eval.Result, i int) []byte {
	if r.Cited == nil || len(r.Cited.Citations[i]) == 0 {
		return b
	}
	b = append(b, `,"citations":[`...)
	for k := range r.Cited.Citations[i] {
		if k > 0 {
			b = append(b, ',')
		}
		c := &r.Cited.Citations[i][k]
		b = appendString(append(b, `{"text":`...), c.Text)
		b = appendSpan(b, c.Start, c.End)
		b = append(b, `,"chunk":`...)
		if c.Chunk < 0 {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendInt(b, int64(c.Chunk), 10)
		}
		b = append(b, `,"verdict":`...)
		if c.Judged {
			b = appendString(b, c.Label.String())
		} else {
			b = append(b, "null"...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendCitationScores appends the members of a row that cites.
func appendCitationScores(b []byte, r *eval.Result) []byte {
	if r.Cited == nil {
		return b
	}
	b = appendNumber(append(b, `,"`+citationRecall+`":`...), r.Cited.Recall)
	b = appendNumber(append(b, `,"`+citationPrecision+`":`...), r.Cited.Precision)
	b = append(b, `,"`+unresolvedCitations+`":`...)
	return strconv.AppendInt(b, int64(r.Cited.Unresolved()), 10)
}

// parseCitation reads a citation of a claim.
func parseCitation(c *cursor) eval.Citation {
	cited := eval.Citation{Start: -1, End: -1, Chunk: -1}
	c.object(func(name string) {
		switch name {
		case "text":
			cited.Text = c.text()
		case "start":
			cited.Start = c.place()
		case "end":
			cited.End = c.place()
		case "chunk":
			cited.Chunk = c.place()
		case "verdict":
			cited.Label, cited.Judged = parseLabel(c)
		default:
			c.fail("unknown")
		}
	})
	return cited
}

// A citedRow is what an object says of the citations of its row.
type citedRow struct {
	recall, precision float64
	unresolved        *int // nil where it is not there
}

// of completes what the claims of r cite, and compares the number of citations that
// resolve to nothing with them.
func (c *citedRow) of(r *eval.Result) error {
	want, got := "null, since no claim cites anything", "null"
	if c.unresolved != nil {
		got = strconv.Itoa(*c.unresolved)
	}
	switch {
	case r.Cited == nil && (!math.IsNaN(c.recall) || !math.IsNaN(c.precision)):
		return &eval.MismatchError{Field: citationRecall + " and " + citationPrecision, Got: "a number", Want: want}
	case r.Cited != nil:
		r.Cited.Recall, r.Cited.Precision = c.recall, c.precision
		r.Cited.Citations = append(r.Cited.Citations, make([][]eval.Citation, len(r.Claims)-len(r.Cited.Citations))...)
		want = strconv.Itoa(r.Cited.Unresolved())
	case c.unresolved == nil:
		return nil
	}
	if got != want {
		return &eval.MismatchError{Field: unresolvedCitations, Got: got, Want: want}
	}
	return nil
}

// Citations count what answers cite.
type Citations struct {
	Rows       int // with a citation
	Unresolved int // citations that resolve to nothing

	recall, precision stats.Summary // of the scored rows, 0 for one that cites nothing; of the rows that have one
}

// add counts r.
func (c *Citations) add(r *eval.Result) {
	if r.Cited == nil {
		if r.Status == eval.Scored {
			c.recall.Add(0)
		}
		return
	}
	c.Rows++
	c.Unresolved += r.Cited.Unresolved()
	c.recall.Add(r.Cited.Recall)
	c.precision.Add(r.Cited.Precision)
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
