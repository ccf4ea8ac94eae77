package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/result"
)

const (
	// MaxMarkdown is the size in bytes above which a report lists no more rows. A comment on
	// GitHub is limited to 65,536 characters; the rest is for text around the report.
	MaxMarkdown  = 60_000
	markdownRows = 50 // maximum rows with unsupported claims
	maxFailures  = 10 // maximum failed rows
	maxNotes     = 20
)

// markdown writes a report for a pull request: statistics, gates, failed rows and the
// rows with the lowest faithfulness. Text from the dataset is in code spans, so that it
// cannot contain links, mentions, HTML or Markdown.
type markdown struct {
	w     io.Writer
	opts  Options
	worst *Worst
	b     strings.Builder
}

// Write keeps r if it is among the worst.
func (m *markdown) Write(r *result.Row) error {
	_ = m.worst.Write(r) // never fails
	return nil
}

// Close writes the report.
func (m *markdown) Close() error {
	m.writeStats()
	m.writeMeans()
	if gates := m.opts.Gates(); len(gates) > 0 {
		m.b.WriteString(GateTable(gates).Markdown() + "\n")
	}
	m.writeFailures()
	m.writeRows()
	_, err := io.WriteString(m.w, m.b.String())
	return err
}

func (m *markdown) writeStats() {
	t, f := m.opts.Tally, &m.opts.Tally.Faithfulness
	title := "no row has a score"
	if f.Count() > 0 {
		title = Score(f.Mean())
	}
	fmt.Fprintf(&m.b, "## Faithfulness: %s\n\n", title)
	var table Table
	add := func(name, value string) {
		table.Columns = append(table.Columns, Column{Name: name, Cells: []string{value}, Right: true})
	}
	add("rows", strconv.Itoa(t.Rows))
	add("scored", strconv.Itoa(t.Scored))
	add("no claims", strconv.Itoa(t.NoClaims))
	if t.Unjudged > 0 {
		add("unjudged", strconv.Itoa(t.Unjudged))
	}
	add("failed", strconv.Itoa(t.Failed))
	add("mean", Score(f.Mean()))
	add("std", Score(f.Std()))
	add("min", Score(f.Min()))
	add("25%", Score(f.Quantile(0.25)))
	add("50%", Score(f.Quantile(0.5)))
	add("75%", Score(f.Quantile(0.75)))
	add("max", Score(f.Max()))
	m.b.WriteString(table.Markdown() + "\n")
	var notes []string
	for _, note := range m.opts.Notes[:min(len(m.opts.Notes), maxNotes)] {
		notes = append(notes, CodeSpan(Clip(note, maxNameText)))
	}
	if len(notes) > 0 {
		m.b.WriteString(FirstOf(notes, len(m.opts.Notes)) + "\n\n")
	}
	paragraph := func(shown bool, format string, args ...any) {
		if shown {
			fmt.Fprintf(&m.b, format+"\n\n", args...)
		}
	}
	paragraph(t.Claims > 0, "Claims: %d, of which %d are supported, %d are contradicted and %d are not mentioned.",
		t.Claims, t.Supported, t.Contradicted, t.Claims-t.Supported-t.Contradicted)
	paragraph(t.UnjudgedClaims > 0, "Unjudged claims, whose language differs from that of the contexts: %d.", t.UnjudgedClaims)
	mean, _ := t.UnjudgedShare()
	paragraph(mean > 0, "Words in no judged claim: %s (mean of rows with claims).", t.UnjudgedPercent())
	confidence, marked, cited, prescreened := t.Confidence(), t.Marked(), t.Cited(), t.Prescreened()
	paragraph(confidence != "", "%s.", confidence)
	paragraph(t.NoContexts > 0, "Rows with empty contexts: %d (%d skipped).", t.NoContexts, t.Skipped)
	paragraph(marked != "", "Rows with marks: %s.", marked)
	paragraph(cited != "", "Citations: %s.", cited)
	paragraph(prescreened != "", "Prescreen: %s.", prescreened)
}

func (m *markdown) writeMeans() {
	all := m.opts.Tally.Means()
	means := all.Format()
	if len(means) == 0 {
		return
	}
	t := Table{Columns: []Column{{Name: "mean of"}, {Name: "estimate", Right: true}, {Name: "95% interval"}, {Name: "basis", Text: true}}}
	for _, s := range means {
		t.AddRow(s.Of, s.Estimate, cmp.Or(s.Interval, "none"), s.Basis)
	}
	m.b.WriteString(t.Markdown() + "\n")
	for _, by := range all.Tables() {
		m.b.WriteString(by.Markdown() + "\n")
	}
}

func (m *markdown) writeFailures() {
	if m.worst.failures == 0 {
		return
	}
	fmt.Fprintf(&m.b, "### Failed rows: %d\n\n", m.worst.failures)
	failed := m.worst.failed[:min(len(m.worst.failed), maxFailures)]
	for i := range failed {
		m.b.WriteString("- " + CodeSpan(failed[i].ID) + ": " + CodeSpan(failed[i].Error) + "\n")
	}
	m.writeMore(m.worst.failures-len(failed), "failed rows")
}

func (m *markdown) writeRows() {
	if m.worst.unsupported == 0 {
		if m.opts.Tally.Claims > 0 {
			m.b.WriteString("Every claim of the scored rows is supported.\n")
		}
		return
	}
	fmt.Fprintf(&m.b, "### Rows with unsupported claims: %d, the worst first\n\n", m.worst.unsupported)
	shown := 0
	for i := range m.worst.rows {
		row := markdownRow(i+1, &m.worst.rows[i])
		if m.b.Len()+len(row) > MaxMarkdown-100 { // the rest is for the number of omitted rows
			break
		}
		m.b.WriteString(row)
		shown++
	}
	m.writeMore(m.worst.unsupported-shown, "rows with unsupported claims")
}

// writeMore writes the number of omitted items.
func (m *markdown) writeMore(n int, items string) {
	if n > 0 {
		fmt.Fprintf(&m.b, "\nand %d more %s\n", n, items)
	}
	m.b.WriteByte('\n')
}

// markdownRow returns a row as an item of a numbered list.
func markdownRow(number int, r *WorstRow) string {
	var b strings.Builder
	prefix := strconv.Itoa(number) + ". "
	fmt.Fprintf(&b, "%s%s: %s\n", prefix, CodeSpan(r.ID), r.scores())
	inner := strings.Repeat(" ", len(prefix))
	for i := range r.Listed {
		c := &r.Listed[i]
		fmt.Fprintf(&b, "%s- **%s**: %s\n", inner, c.Label.Words(), CodeSpan(c.Text))
		if c.Reason != "" {
			fmt.Fprintf(&b, "%s  - why: %s\n", inner, CodeSpan(c.Reason))
		}
		if c.Quote != "" {
			fmt.Fprintf(&b, "%s  - %s: %s\n", inner, quoteLabel(c.Role), CodeSpan(c.Quote))
		}
	}
	if more := r.Claims - r.Supported - len(r.Listed); more > 0 {
		fmt.Fprintf(&b, "%s- and %d more\n", inner, more)
	}
	return b.String()
}
