package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	worstText   = 300 // maximum characters of each text
	worstClaims = 5   // maximum claims per row
	maxNameText = 80  // maximum characters of an ID or other name
)

// A Worst collects the rows with unsupported claims that have the lowest faithfulness,
// and the first failed rows. Ties are broken by support and then by index. Its memory is
// bounded.
type Worst struct {
	limit       int
	keep        textLimits
	rows        []WorstRow // worst first
	failed      []FailedRow
	unsupported int // number of rows with unsupported claims
	failures    int // number of failed rows
}

// textLimits limits the text stored for each row.
type textLimits struct {
	text   int  // maximum characters of each text
	claims int  // maximum number of claims
	whole  bool // also store the question and supported claims
}

// A WorstRow is a row with unsupported claims. Its texts, except for the file, are
// passed through [Clip].
type WorstRow struct {
	Index, Line           int
	ID, File              string
	Faithfulness, Support float64
	Confidence            float64 // 0 if no claim has one
	Claims, Supported     int
	Listed                []WorstClaim // the first unsupported claims, or claims with textLimits.whole
	question              string       // set only with textLimits.whole
}

// A WorstClaim is a claim of a WorstRow.
type WorstClaim struct {
	Label               result.Verdict
	Text, Reason, Quote string // Quote is "" without evidence or if Reason contains it
	Role                result.Role
	chunk               int // index of the context that contains Quote
	score               float64
}

// quotes reports whether a reason contains a quote.
func quotes(reason, quote string) bool { return strings.Contains(reason, "“"+quote+"”") }

// quoteLabel returns the label of a quote with the given role.
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

// A FailedRow is a row that could not be read or judged. ID and Error are passed through
// [Clip].
type FailedRow struct {
	Line            int
	ID, File, Error string
}

// NewWorst returns a Worst that keeps up to limit rows of each kind.
func NewWorst(limit int) *Worst {
	return &Worst{limit: limit, keep: textLimits{text: worstText, claims: worstClaims}}
}

// Write adds r. It never returns an error.
func (w *Worst) Write(r *result.Row) error {
	switch {
	case r.Status == result.Failed:
		if w.failures++; len(w.failed) < w.limit {
			w.failed = append(w.failed, FailedRow{
				Line: r.Line, File: r.File, ID: Clip(r.ID, maxNameText), Error: Clip(failure(r), w.keep.text),
			})
		}
	case r.Status == result.Scored && r.Supported() < r.JudgedClaims():
		w.unsupported++
		row := WorstRow{Index: r.Index, Line: r.Line, Faithfulness: r.Faithfulness, Support: result.Round(r.Support), Confidence: r.Confidence}
		at, _ := slices.BinarySearchFunc(w.rows, row, compareWorst)
		if at == w.limit {
			break
		}
		if len(w.rows) == w.limit {
			w.rows = w.rows[:w.limit-1]
		}
		row.fill(r, w.keep)
		w.rows = slices.Insert(w.rows, at, row)
	}
	return nil
}

// compareWorst orders rows from worst to best.
func compareWorst(a, b WorstRow) int {
	return cmp.Or(cmp.Compare(a.Faithfulness, b.Faithfulness), cmp.Compare(a.Support, b.Support), cmp.Compare(a.Index, b.Index))
}

// fill copies texts of r up to the given limits.
func (w *WorstRow) fill(r *result.Row, keep textLimits) {
	w.ID, w.File = Clip(r.ID, maxNameText), r.File
	w.Claims, w.Supported = r.JudgedClaims(), r.Supported()
	if keep.whole {
		w.question = Clip(r.Question, keep.text)
	}
	for i := range r.Claims {
		claim := &r.Claims[i]
		if claim.Verdict == result.Unjudged || claim.Verdict == result.Supported && !keep.whole {
			continue
		}
		if len(w.Listed) == keep.claims {
			return
		}
		c := WorstClaim{Label: claim.Verdict, Text: Clip(claim.Judged(), keep.text), Reason: Clip(claim.Reason, keep.text), score: claim.Score}
		if len(claim.Evidence) > 0 {
			e := &claim.Evidence[0]
			c.Quote, c.Role, c.chunk = Clip(e.Quote, keep.text), e.Role, e.Chunk
			if quotes(c.Reason, c.Quote) {
				c.Quote = ""
			}
		}
		w.Listed = append(w.Listed, c)
	}
}

// scores returns the scores of the row as a text.
func (w *WorstRow) scores() string {
	text := fmt.Sprintf("%s, %d of %d claims supported", Score(w.Faithfulness), w.Supported, w.Claims)
	if w.Confidence > 0 {
		text += fmt.Sprintf(", confidence %.2f", w.Confidence)
	}
	return text
}

// failure returns the reason why r failed.
func failure(r *result.Row) string {
	if r.Err == nil {
		return "failed"
	}
	return r.Err.Error()
}
