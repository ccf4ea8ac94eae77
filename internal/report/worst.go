package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	worstText   = 300 // characters of a text that are kept of a worst row
	worstClaims = 5   // claims that are kept of one
	nameText    = 80  // characters of an id
)

// A Worst keeps the rows with the lowest faithfulness of those that have a claim
// without support, and the first rows that failed. Of equal rows the one with
// less support is the worse, and then the earlier one. It keeps no more than a
// number of short texts, however many rows there are and however long they are.
type Worst struct {
	most        int
	keep        worstTexts
	rows        []WorstRow // the worst first
	failed      []FailedRow
	unsupported int // rows with a claim without support
	failures    int
}

// worstTexts is what is kept of the texts of a row.
type worstTexts struct {
	text   int  // characters of each
	claims int  // how many
	whole  bool // the question, and the claims that are supported as well
}

// A WorstRow is a row with claims that nothing supports. Its texts, but for the
// file, are cut, on one line, and without characters that a terminal would obey.
type WorstRow struct {
	Index, Line           int
	ID, File              string
	Faithfulness, Support float64
	Claims, Supported     int
	Unsupported           []WorstClaim // the first of them
	question              string       // only where whole rows are kept,
	judged                []WorstClaim // as are the first of all claims
}

// A WorstClaim is a claim of a row that is not supported as a whole.
type WorstClaim struct {
	Label               result.Verdict
	Text, Reason, Quote string // Quote is "" for none, and if Reason has all of it
	Role                result.Role
	chunk               int     // of Quote
	score               float64 // of the claim
}

// quotes reports whether a reason has all of a quote.
func quotes(reason, quote string) bool { return strings.Contains(reason, "“"+quote+"”") }

// quoteLabel says what evidence is.
func quoteLabel(r result.Role) string {
	switch r {
	case result.RoleContradicts:
		return "contradicted by"
	case result.RoleNearest:
		return "nearest"
	case result.RoleSupports:
	}
	return "context"
}

// A FailedRow is a row that could not be read or judged, with texts as those of a
// WorstRow.
type FailedRow struct {
	Index, Line     int
	ID, File, Error string
}

// NewWorst returns a Worst that keeps so many rows of either kind.
func NewWorst(most int) *Worst {
	return &Worst{most: most, keep: worstTexts{text: worstText, claims: worstClaims}}
}

// Write looks at r. It returns no error, and makes a Worst an eval.Sink.
func (w *Worst) Write(r *result.Row) error {
	switch {
	case r.Status == result.Failed:
		if w.failures++; len(w.failed) < w.most {
			w.failed = append(w.failed, FailedRow{
				Index: r.Index, Line: r.Line, File: r.File, ID: Clip(r.ID, nameText), Error: Clip(failure(r), w.keep.text),
			})
		}
	case r.Status == result.Scored && r.Supported() < len(r.Claims):
		w.unsupported++
		row := WorstRow{Index: r.Index, Line: r.Line, Faithfulness: r.Faithfulness, Support: result.Round(r.Support)}
		at, _ := slices.BinarySearchFunc(w.rows, row, worse)
		if at == w.most {
			break
		}
		if len(w.rows) == w.most {
			w.rows = w.rows[:w.most-1]
		}
		row.fill(r, w.keep)
		w.rows = slices.Insert(w.rows, at, row)
	}
	return nil
}

// worse orders rows, the worst first.
func worse(a, b WorstRow) int {
	return cmp.Or(cmp.Compare(a.Faithfulness, b.Faithfulness), cmp.Compare(a.Support, b.Support), cmp.Compare(a.Index, b.Index))
}

// fill takes the texts of r that are to be kept.
func (w *WorstRow) fill(r *result.Row, keep worstTexts) {
	w.ID, w.File = Clip(r.ID, nameText), r.File
	w.Claims, w.Supported = len(r.Claims), r.Supported()
	to := &w.Unsupported
	if keep.whole {
		w.question, to = Clip(r.Question, keep.text), &w.judged
	}
	for i := range r.Claims {
		v := &r.Claims[i]
		if v.Verdict == result.Supported && !keep.whole {
			continue
		}
		if len(*to) == keep.claims {
			return
		}
		c := WorstClaim{Label: v.Verdict, Text: Clip(r.Claims[i].Judged(), keep.text), Reason: Clip(v.Reason, keep.text), score: v.Score}
		if len(v.Evidence) > 0 {
			e := &v.Evidence[0]
			c.Quote, c.Role, c.chunk = Clip(e.Quote, keep.text), e.Role, e.Chunk
			if quotes(c.Reason, c.Quote) {
				c.Quote = ""
			}
		}
		*to = append(*to, c)
	}
}

// Rows returns the worst rows, the worst first. They are not to be changed.
func (w *Worst) Rows() []WorstRow { return w.rows }

// Failed returns the first rows that failed. They are not to be changed.
func (w *Worst) Failed() []FailedRow { return w.failed }

// failure is why r failed.
func failure(r *result.Row) string {
	if r.Err == nil {
		return "failed"
	}
	return r.Err.Error()
}
