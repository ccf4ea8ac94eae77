package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	shownText   = 2000 // characters of a text of a row that is shown in full
	shownClaims = 100  // claims of one
	narrowestIn = 20   // cells of a text, however narrow the terminal
)

// worstRows shows the worst rows below the table: question, claims with verdict
// and score, why, and the quote that bears on each. It keeps these rows alone.
type worstRows struct {
	*Worst
	width int
	paint Palette
}

func newWorstRows(most, width int, p Palette) *worstRows {
	w := NewWorst(most)
	w.keep = worstTexts{text: shownText, claims: shownClaims, whole: true}
	return &worstRows{w, width, p}
}

// writeTo shows the rows.
func (w *worstRows) writeTo(b *strings.Builder) {
	if w.failures > 0 {
		b.WriteByte('\n')
		w.text(b, "", "", "", "Failed rows: "+strconv.Itoa(w.failures), w.paint.strong)
		for i := range w.failed {
			f := &w.failed[i]
			b.WriteByte('\n')
			place := w.row(b, i, f.ID, "failed", f.File, f.Line)
			why := strings.TrimPrefix(f.Error, place+": ") // a reader names the place itself
			w.text(b, "   ", "why: ", "", why, w.paint.Bad)
		}
		w.more(b, w.failures-len(w.failed))
	}
	if w.unsupported == 0 {
		return
	}
	b.WriteByte('\n')
	w.text(b, "", "", "", "Rows with unsupported claims: "+strconv.Itoa(w.unsupported)+", the worst first", w.paint.strong)
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

// row begins a row, and returns where in a file it is.
func (w *worstRows) row(b *strings.Builder, i int, id, figures, file string, line int) string {
	place, comma := Printable(file), ", "
	if line > 0 && file != "" {
		place += ":" + strconv.Itoa(line)
	}
	if file == "" {
		comma = ""
	}
	number := strconv.Itoa(i+1) + ". "
	w.text(b, "", number, strings.Repeat(" ", len(number)), id+": "+figures+comma+place, w.paint.strong)
	return place
}

// claim shows a claim with its verdict.
func (w *worstRows) claim(b *strings.Builder, c *WorstClaim) {
	label := sign(c.Label) + " " + strings.ReplaceAll(string(c.Label), "_", " ")
	if !math.IsNaN(c.score) {
		label += " " + strconv.FormatFloat(c.score, 'f', 2, 64)
	}
	label += ": "
	const indent, inner = "   ", "     "
	for i, line := range wrap(c.Text, w.room(inner), cells(label)-len(inner)+len(indent)) {
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
		w.text(b, inner, label, "  ", "“"+c.Quote+"”", w.paint.quiet)
	}
}

// text writes s behind a label, wrapped, with further lines further in.
func (w *worstRows) text(b *strings.Builder, indent, label, further, s string, paint func(string) string) {
	if paint == nil {
		paint = func(s string) string { return s }
	}
	for i, line := range wrap(s, w.room(indent+further), cells(label)-len(further)) {
		if i == 0 {
			b.WriteString(strings.TrimRight(indent+label+paint(line), " ") + "\n")
		} else {
			b.WriteString(indent + further + paint(line) + "\n")
		}
	}
}

// room is how many cells are left beside an indent.
func (w *worstRows) room(indent string) int { return max(w.width-len(indent), narrowestIn) }

// more says how many are left out.
func (w *worstRows) more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more\n", n)
	}
}
