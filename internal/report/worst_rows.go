package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	shownText    = 2000 // maximum characters of a text
	shownClaims  = 100  // maximum claims of a row
	minTextWidth = 20   // minimum cells of a text
)

// worstRows shows the worst rows below the table: the question, and the claims with
// verdict, score, reason and quote.
type worstRows struct {
	*Worst
	width int
	paint Palette
}

func newWorstRows(limit, width int, p Palette) *worstRows {
	w := NewWorst(limit)
	w.keep = textLimits{text: shownText, claims: shownClaims, whole: true}
	return &worstRows{w, width, p}
}

// writeTo writes the rows.
func (w *worstRows) writeTo(b *strings.Builder) {
	if w.failures > 0 {
		b.WriteByte('\n')
		w.text(b, "", "", "", "Failed rows: "+strconv.Itoa(w.failures), w.paint.heading)
		for i := range w.failed {
			f := &w.failed[i]
			b.WriteByte('\n')
			place := w.row(b, i, f.ID, "failed", f.File, f.Line)
			why := strings.TrimPrefix(f.Error, place+": ") // errors of readers have the place
			w.text(b, "   ", "why: ", "", why, w.paint.Failure)
		}
		w.more(b, w.failures-len(w.failed))
	}
	if w.unsupported == 0 {
		return
	}
	b.WriteByte('\n')
	w.text(b, "", "", "", "Rows with unsupported claims: "+strconv.Itoa(w.unsupported)+", the worst first", w.paint.heading)
	for i := range w.rows {
		r := &w.rows[i]
		b.WriteByte('\n')
		w.row(b, i, r.ID, fourDecimals(r.Faithfulness)+", "+strconv.Itoa(r.Supported)+" of "+strconv.Itoa(r.Claims)+" claims supported", r.File, r.Line)
		if r.question != "" {
			w.text(b, "   ", "", "", r.question, nil)
		}
		b.WriteByte('\n')
		for k := range r.judged {
			w.claim(b, &r.judged[k])
		}
		if more := r.Claims - len(r.judged); more > 0 {
			fmt.Fprintf(b, "   and %d more claims\n", more)
		}
	}
	w.more(b, w.unsupported-len(w.rows))
}

// row writes the heading of a row and returns its place.
func (w *worstRows) row(b *strings.Builder, i int, id, figures, file string, line int) string {
	place, comma := Printable(file), ", "
	if line > 0 && file != "" {
		place += ":" + strconv.Itoa(line)
	}
	if file == "" {
		comma = ""
	}
	number := strconv.Itoa(i+1) + ". "
	w.text(b, "", number, strings.Repeat(" ", len(number)), id+": "+figures+comma+place, w.paint.heading)
	return place
}

// claim writes a claim and its verdict.
func (w *worstRows) claim(b *strings.Builder, c *WorstClaim) {
	label := symbol(c.Label) + " " + strings.ReplaceAll(string(c.Label), "_", " ")
	if !math.IsNaN(c.score) {
		label += " " + strconv.FormatFloat(c.score, 'f', 2, 64)
	}
	label += ": "
	const indent, inner = "   ", "     "
	for i, line := range wrap(c.Text, w.textWidth(inner), cells(label)-len(inner)+len(indent)) {
		if i == 0 {
			b.WriteString(indent + w.paint.verdict(c.Label, label) + line + "\n")
		} else {
			b.WriteString(inner + line + "\n")
		}
	}
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

// text writes a label and s, wrapped. Continuation lines are indented by further.
func (w *worstRows) text(b *strings.Builder, indent, label, further, s string, paint func(string) string) {
	if paint == nil {
		paint = func(s string) string { return s }
	}
	for i, line := range wrap(s, w.textWidth(indent+further), cells(label)-len(further)) {
		if i == 0 {
			b.WriteString(strings.TrimRight(indent+label+paint(line), " ") + "\n")
		} else {
			b.WriteString(indent + further + paint(line) + "\n")
		}
	}
}

// textWidth returns the width that an indent leaves.
func (w *worstRows) textWidth(indent string) int { return max(w.width-len(indent), minTextWidth) }

// more writes the number of omitted rows.
func (w *worstRows) more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
}
