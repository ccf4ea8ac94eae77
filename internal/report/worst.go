package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

// A Worst collects the rows with unsupported claims that have the lowest faithfulness, then
// support and index, and the first failed rows. Its memory is bounded.
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

// A WorstRow is a row with unsupported claims, with texts from [Clip], except for the file.
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

// A FailedRow is a row that could not be read or judged. ID and Error are from [Clip].
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
		w.rows = insertSorted(w.rows, row, func(a, b WorstRow) int {
			return cmp.Or(cmp.Compare(a.Faithfulness, b.Faithfulness), cmp.Compare(a.Support, b.Support), cmp.Compare(a.Index, b.Index))
		}, w.limit, func() WorstRow {
			row.fill(r, w.keep)
			return row
		})
	}
	return nil
}

func (w *WorstRow) fill(r *result.Row, keep textLimits) {
	w.ID, w.File = Clip(r.ID, maxNameText), r.File
	w.Claims, w.Supported = r.JudgedClaims(), r.Supported()
	if keep.whole {
		w.question = Clip(r.Question, keep.text)
	}
	for _, claim := range r.Claims {
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

func (w *WorstRow) scores() string {
	text := fmt.Sprintf("%s, %d of %d claims supported", Score(w.Faithfulness), w.Supported, w.Claims)
	if w.Confidence > 0 {
		text += fmt.Sprintf(", confidence %.2f", w.Confidence)
	}
	return text
}

func failure(r *result.Row) string {
	if r.Err == nil {
		return "failed"
	}
	return r.Err.Error()
}

const (
	shownText    = 2000 // maximum characters of each text
	shownClaims  = 100  // maximum claims per row
	minTextWidth = 20   // minimum width of wrapped text in terminal cells
)

// worstRows collects the worst rows and prints them, below the table or alone. For each
// row it prints the question and each claim with its verdict, score, reason and quote.
type worstRows struct {
	*Worst
	w     io.Writer
	width int
	paint Palette
}

func newWorstRows(w io.Writer, o Options) *worstRows {
	worst := NewWorst(o.Show)
	worst.keep = textLimits{text: shownText, claims: shownClaims, whole: true}
	return &worstRows{worst, w, cmp.Or(max(o.Width, 0), defaultWidth), o.Palette}
}

// Close writes the rows.
func (w *worstRows) Close() error {
	var b strings.Builder
	if w.writeTo(&b); b.Len() == 0 {
		return nil
	}
	_, err := io.WriteString(w.w, b.String()[len("\n"):])
	return err
}

// writeTo writes the failed rows and then the worst rows, unless it is to show none.
func (w *worstRows) writeTo(b *strings.Builder) {
	if w.limit > 0 && w.failures > 0 {
		b.WriteByte('\n')
		w.text(b, "", "", "", "Failed rows: "+strconv.Itoa(w.failures), bold)
		for i := range w.failed {
			f := &w.failed[i]
			b.WriteByte('\n')
			location := w.row(b, i, f.ID, "failed", f.File, f.Line)
			reason := strings.TrimPrefix(f.Error, location+": ") // read errors start with it
			w.text(b, "   ", "why: ", "", reason, red)
		}
		w.omitted(b, w.failures-len(w.failed))
	}
	if w.limit == 0 || w.unsupported == 0 {
		return
	}
	b.WriteByte('\n')
	w.text(b, "", "", "", "Rows with unsupported claims: "+strconv.Itoa(w.unsupported)+", the worst first", bold)
	for i := range w.rows {
		r := &w.rows[i]
		b.WriteByte('\n')
		w.row(b, i, r.ID, r.scores(), r.File, r.Line)
		if r.question != "" {
			w.text(b, "   ", "", "", r.question, plain)
		}
		b.WriteByte('\n')
		for j := range r.Listed {
			w.claim(b, &r.Listed[j])
		}
		if omitted := r.Claims - len(r.Listed); omitted > 0 {
			fmt.Fprintf(b, "   and %s\n", Count(omitted, "more claim", "more claims"))
		}
	}
	w.omitted(b, w.unsupported-len(w.rows))
}

// row writes the heading of a row and returns its location, FILE or FILE:LINE.
func (w *worstRows) row(b *strings.Builder, i int, id, scores, file string, line int) string {
	location, title := Printable(file), id+": "+scores
	if file != "" {
		if line > 0 {
			location += ":" + strconv.Itoa(line)
		}
		title += ", " + location
	}
	number := strconv.Itoa(i+1) + ". "
	w.text(b, "", number, strings.Repeat(" ", len(number)), title, bold)
	return location
}

func (w *worstRows) claim(b *strings.Builder, c *WorstClaim) {
	label := Symbol(c.Label) + " " + c.Label.Words()
	if !math.IsNaN(c.score) {
		label += " " + strconv.FormatFloat(c.score, 'f', 2, 64)
	}
	const inner = "     "
	w.text(b, "   ", w.paint.verdict(c.Label, label)+": ", "  ", c.Text, plain)
	if c.Reason != "" {
		w.text(b, inner, "why: ", "  ", c.Reason, plain)
	}
	if c.Quote != "" {
		label := "chunk " + strconv.Itoa(c.chunk) + ": "
		if c.Role != result.RoleSupports {
			label = quoteLabel(c.Role) + ": chunk " + strconv.Itoa(c.chunk) + " "
		}
		w.text(b, inner, label, "  ", "“"+c.Quote+"”", faint)
	}
}

// text writes a label and s, wrapped. Further lines start with hanging instead of the label.
func (w *worstRows) text(b *strings.Builder, indent, label, hanging, s string, code int) {
	for i, line := range wrap(s, max(w.width-len(indent+hanging), minTextWidth), cells(label)-len(hanging)) {
		if i == 0 {
			b.WriteString(strings.TrimRight(indent+label+w.paint.paint(code, line), " ") + "\n")
		} else {
			b.WriteString(indent + hanging + w.paint.paint(code, line) + "\n")
		}
	}
}

func (w *worstRows) omitted(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
}
