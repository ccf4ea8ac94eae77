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
	w.writeTo(&b)
	_, err := io.WriteString(w.w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

// writeTo writes the failed rows and then the worst rows.
func (w *worstRows) writeTo(b *strings.Builder) {
	if w.failures > 0 {
		b.WriteByte('\n')
		w.text(b, "", "", "", "Failed rows: "+strconv.Itoa(w.failures), w.paint.heading)
		for i := range w.failed {
			f := &w.failed[i]
			b.WriteByte('\n')
			location := w.row(b, i, f.ID, "failed", f.File, f.Line)
			reason := strings.TrimPrefix(f.Error, location+": ") // read errors start with it
			w.text(b, "   ", "why: ", "", reason, w.paint.Failure)
		}
		w.omitted(b, w.failures-len(w.failed))
	}
	if w.unsupported == 0 {
		return
	}
	b.WriteByte('\n')
	w.text(b, "", "", "", "Rows with unsupported claims: "+strconv.Itoa(w.unsupported)+", the worst first", w.paint.heading)
	for i := range w.rows {
		r := &w.rows[i]
		b.WriteByte('\n')
		w.row(b, i, r.ID, r.scores(), r.File, r.Line)
		if r.question != "" {
			w.text(b, "   ", "", "", r.question, nil)
		}
		b.WriteByte('\n')
		for j := range r.Listed {
			w.claim(b, &r.Listed[j])
		}
		if omitted := r.Claims - len(r.Listed); omitted > 0 {
			fmt.Fprintf(b, "   and %d more claims\n", omitted)
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
	w.text(b, "", number, strings.Repeat(" ", len(number)), title, w.paint.heading)
	return location
}

// claim writes a claim with its verdict, reason and quote.
func (w *worstRows) claim(b *strings.Builder, c *WorstClaim) {
	label := Symbol(c.Label) + " " + c.Label.Words()
	if !math.IsNaN(c.score) {
		label += " " + strconv.FormatFloat(c.score, 'f', 2, 64)
	}
	const inner = "     "
	w.text(b, "   ", w.paint.verdict(c.Label, label)+": ", "  ", c.Text, nil)
	if c.Reason != "" {
		w.text(b, inner, "why: ", "  ", c.Reason, nil)
	}
	if c.Quote != "" {
		label := "chunk " + strconv.Itoa(c.chunk) + ": "
		if c.Role != result.RoleSupports {
			label = quoteLabel(c.Role) + ": chunk " + strconv.Itoa(c.chunk) + " "
		}
		w.text(b, inner, label, "  ", "“"+c.Quote+"”", w.paint.dim)
	}
}

// text writes a label followed by s, wrapped. Continuation lines start with indent and
// hanging instead of the label. paint may be nil.
func (w *worstRows) text(b *strings.Builder, indent, label, hanging, s string, paint func(string) string) {
	if paint == nil {
		paint = func(s string) string { return s }
	}
	for i, line := range wrap(s, max(w.width-len(indent+hanging), minTextWidth), cells(label)-len(hanging)) {
		if i == 0 {
			b.WriteString(strings.TrimRight(indent+label+paint(line), " ") + "\n")
		} else {
			b.WriteString(indent + hanging + paint(line) + "\n")
		}
	}
}

// omitted writes the number of rows that are not shown.
func (w *worstRows) omitted(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
}
