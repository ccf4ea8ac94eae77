package compare

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/report"
)

// The limits of Markdown.
const (
	maxRows     = 30  // changed rows
	maxClaims   = 5   // changed claims of a row
	maxText     = 300 // characters of a text
	maxID       = 80  // characters of an id
	maxWarnings = 30
	footerSize  = 200 // bytes reserved for the number of omitted rows
)

// WriteMarkdown writes c for a pull request in at most report.MaxMarkdown bytes: the difference,
// the warnings, the gate, the figures, and the changed rows, worst first, with the claims
// whose verdict changed. Texts from datasets are in code spans.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	title := "nothing to compare"
	if c.Compared > 0 {
		title = fmt.Sprintf("%s (%s, was %s)", Signed(c.Stats.Difference.Estimate), Score(c.Candidate.Mean), Score(c.Baseline.Mean))
	}
	d := report.Document{report.Heading("Faithfulness: " + title), warningBlock(c.Warnings)}
	if gates := c.Gates(); gates != nil {
		d = append(d, report.GateTable(gates))
	}
	if c.Gate != nil && c.Gate.Note != "" {
		d = append(d, report.Paragraph(c.Gate.Note+"."))
	}
	var b strings.Builder
	b.WriteString(append(d, sides(c), c.Facts(), c.GroupTable()).Markdown() + "\n")
	markdownChanges(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

// warningBlock shows the warnings of a comparison.
type warningBlock []Warning

// Terminal returns a line for each warning.
func (w warningBlock) Terminal(int) string {
	var b strings.Builder
	for _, warning := range w {
		b.WriteString("warning: " + warning.Text + "\n")
	}
	return b.String()
}

// Markdown returns the first warnings as an alert.
func (w warningBlock) Markdown() string {
	if len(w) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("> [!WARNING]\n")
	for _, warning := range w[:min(len(w), maxWarnings)] {
		b.WriteString("> - " + span(warning.Text, maxText) + "\n")
	}
	if more := len(w) - maxWarnings; more > 0 {
		fmt.Fprintf(&b, "> - and %d more\n", more)
	}
	return b.String()
}

func markdownChanges(b *strings.Builder, c *Comparison) {
	if c.Changed == 0 {
		b.WriteString("No compared row changed.\n")
		return
	}
	fmt.Fprintf(b, "### %s changed, worst first\n\n", report.Count(c.Changed, "row", "rows"))
	shown := 0
	for i := range c.Changes[:min(len(c.Changes), maxRows)] {
		text := markdownRow(i+1, &c.Changes[i])
		if b.Len()+len(text) > report.MaxMarkdown-footerSize {
			break
		}
		b.WriteString(text)
		shown++
	}
	if more := c.Changed - shown; more > 0 {
		fmt.Fprintf(b, "\nand %d more rows\n", more)
	}
}

// markdownRow returns a changed row as an item of a numbered list.
func markdownRow(number int, change *Change) string {
	var b strings.Builder
	marker := strconv.Itoa(number) + ". "
	fmt.Fprintf(&b, "%s%s: %s, was %s (%s)", marker, span(change.Candidate.ID, maxID),
		Score(change.Candidate.Faithfulness), Score(change.Baseline.Faithfulness), Signed(change.Difference))
	if text := change.Describe(); text != "" {
		b.WriteString("; claims: " + text)
	}
	b.WriteByte('\n')
	indent := strings.Repeat(" ", len(marker))
	if q := change.Candidate.Question; q != "" {
		b.WriteString(indent + "- question: " + span(q, maxText) + "\n")
	}
	n := 0
	for _, m := range change.Claims {
		if !change.Lost(m) && !change.Gained(m) {
			continue
		}
		if n++; n > maxClaims {
			continue
		}
		was, is := &change.Baseline.Claims[m.Baseline], &change.Candidate.Claims[m.Candidate]
		fmt.Fprintf(&b, "%s- **%s, was %s**: %s\n", indent, is.Verdict.Words(), was.Verdict.Words(), span(is.Judged(), maxText))
		if was.Reason != "" {
			fmt.Fprintf(&b, "%s  - before: %s\n", indent, span(was.Reason, maxText))
		}
		if is.Reason != "" {
			fmt.Fprintf(&b, "%s  - now: %s\n", indent, span(is.Reason, maxText))
		}
	}
	if more := n - maxClaims; more > 0 {
		fmt.Fprintf(&b, "%s- and %d more\n", indent, more)
	}
	return b.String()
}

// span returns text as a code span on one line.
func span(text string, limit int) string { return report.CodeSpan(report.Clip(text, limit)) }
