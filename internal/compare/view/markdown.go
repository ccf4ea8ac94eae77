package view

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
	"github.com/ragfaith/ragfaith/internal/result"
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

// Markdown writes c for a pull request in at most report.MaxMarkdown bytes: the difference,
// the warnings, the gate, the figures, and the changed rows, worst first, with the claims
// whose verdict changed. Texts from datasets are in code spans.
func Markdown(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	title := "nothing to compare"
	if c.Compared > 0 {
		title = fmt.Sprintf("%s (%s, was %s)", Signed(c.Figures.Difference.Estimate), Score(c.Candidate.Mean), Score(c.Baseline.Mean))
	}
	fmt.Fprintf(&b, "## Faithfulness: %s\n\n", title)
	markdownWarnings(&b, c)
	if g := c.Gate; g != nil {
		outcome := g.Outcome()
		if !g.Passed {
			outcome = "**" + outcome + "**"
		}
		fmt.Fprintf(&b, "| gate | outcome |\n|---|---|\n| %s | %s |\n\n", report.CodeSpan(g.Text), outcome)
		if g.Note != "" {
			b.WriteString(g.Note + ".\n\n")
		}
	}
	markdownFigures(&b, c)
	markdownChanges(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownWarnings(b *strings.Builder, c *compare.Comparison) {
	if len(c.Warnings) == 0 {
		return
	}
	b.WriteString("> [!WARNING]\n")
	shown := c.Warnings[:min(len(c.Warnings), maxWarnings)]
	for _, warning := range shown {
		b.WriteString("> - " + span(warning.Text, maxText) + "\n")
	}
	if more := len(c.Warnings) - len(shown); more > 0 {
		fmt.Fprintf(b, "> - and %d more\n", more)
	}
	b.WriteByte('\n')
}

func markdownFigures(b *strings.Builder, c *compare.Comparison) {
	b.WriteString("| | baseline | candidate |\n|---|---:|---:|\n")
	line := func(name string, value func(*compare.Side) string) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, value(&c.Baseline), value(&c.Candidate))
	}
	line("file", func(s *compare.Side) string { return strings.ReplaceAll(span(s.Name, maxID), "|", `\|`) })
	line("mean faithfulness", func(s *compare.Side) string { return Score(s.Mean) })
	line("supported claims", supportedClaims)
	line("rows", func(s *compare.Side) string { return strconv.Itoa(s.Rows) })
	line("rows without claims", func(s *compare.Side) string { return strconv.Itoa(s.NoClaims) })
	line("failed rows", func(s *compare.Side) string { return strconv.Itoa(s.Failed) })
	b.WriteByte('\n')
	for _, f := range Facts(c) {
		value := strings.ReplaceAll(f.Value, "<", "&lt;")
		if f.Name == "no score" { // contains ids
			value = span(f.Value, maxText)
		}
		b.WriteString("- " + f.Name + ": " + value + "\n")
	}
	b.WriteByte('\n')
}

func markdownChanges(b *strings.Builder, c *compare.Comparison) {
	if c.Changed == 0 {
		b.WriteString("No compared row changed.\n")
		return
	}
	fmt.Fprintf(b, "### %s changed, worst first\n\n", Count(c.Changed, "row"))
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
func markdownRow(number int, change *compare.Change) string {
	var b strings.Builder
	marker := strconv.Itoa(number) + ". "
	fmt.Fprintf(&b, "%s%s: %s, was %s (%s)", marker, span(change.Candidate.ID, maxID),
		Score(change.Candidate.Faithfulness), Score(change.Baseline.Faithfulness), Signed(change.Difference))
	if text := Change(change); text != "" {
		b.WriteString("; claims: " + text)
	}
	b.WriteByte('\n')
	indent := strings.Repeat(" ", len(marker))
	n := 0
	for _, m := range change.Claims {
		if !change.Lost(m) && !change.Gained(m) {
			continue
		}
		if n++; n > maxClaims {
			continue
		}
		was, is := &change.Baseline.Claims[m.Baseline], &change.Candidate.Claims[m.Candidate]
		fmt.Fprintf(&b, "%s- **%s, was %s**: %s\n", indent, verdict(is), verdict(was), span(is.Judged(), maxText))
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

// verdict returns the verdict on a claim in words.
func verdict(c *result.Claim) string { return strings.ReplaceAll(string(c.Verdict), "_", " ") }

// span returns text as a code span on one line.
func span(text string, limit int) string { return report.CodeSpan(report.Clip(text, limit)) }
