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

const (
	markdownRows     = 30  // changed rows
	markdownClaims   = 5   // flipped claims of one
	markdownText     = 300 // characters of a text
	markdownID       = 80  // characters of an id
	markdownWarnings = 30
	moreRoom         = 200 // bytes that are left for saying what is left out
)

// Markdown writes c for a pull request, in no more than report.MaxMarkdown bytes:
// what to beware of, the figures, the gate, and the rows that changed, the worst
// first, with the claims that flipped and why. All that comes from a dataset is in
// code spans.
func Markdown(w io.Writer, c *compare.Comparison) error {
	m := &markdown{c: c}
	m.head()
	m.gate()
	m.figures()
	m.rows()
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct {
	c *compare.Comparison
	b strings.Builder
}

// head begins with the difference, and then with what to beware of.
func (m *markdown) head() {
	c := m.c
	title := "nothing is compared"
	if c.Compared > 0 {
		title = fmt.Sprintf("%s (%s, was %s)", Signed(c.Figures.Difference.Estimate), Score(c.Candidate.Mean), Score(c.Baseline.Mean))
	}
	fmt.Fprintf(&m.b, "## Faithfulness: %s\n\n", title)
	if len(c.Warnings) == 0 {
		return
	}
	m.b.WriteString("> [!WARNING]\n")
	shown := c.Warnings[:min(len(c.Warnings), markdownWarnings)]
	for _, warning := range shown {
		m.b.WriteString("> - " + span(warning.Text, markdownText) + "\n")
	}
	if more := len(c.Warnings) - len(shown); more > 0 {
		fmt.Fprintf(&m.b, "> - and %d more\n", more)
	}
	m.b.WriteByte('\n')
}

func (m *markdown) gate() {
	g := m.c.Gate
	if g == nil {
		return
	}
	outcome := g.Outcome()
	if !g.Passed {
		outcome = "**" + outcome + "**"
	}
	fmt.Fprintf(&m.b, "| gate | outcome |\n|---|---|\n| %s | %s |\n\n", report.CodeSpan(g.Text), outcome)
	if g.Note != "" {
		m.b.WriteString(g.Note + ".\n\n")
	}
}

func (m *markdown) figures() {
	c := m.c
	m.b.WriteString("| | baseline | candidate |\n|---|---:|---:|\n")
	line := func(name, was, is string) { fmt.Fprintf(&m.b, "| %s | %s | %s |\n", name, was, is) }
	line("file", inTable(c.Baseline.Name), inTable(c.Candidate.Name))
	line("mean faithfulness", Score(c.Baseline.Mean), Score(c.Candidate.Mean))
	line("supported claims", supported(&c.Baseline), supported(&c.Candidate))
	line("rows", strconv.Itoa(c.Baseline.Rows), strconv.Itoa(c.Candidate.Rows))
	line("rows without claims", strconv.Itoa(c.Baseline.NoClaims), strconv.Itoa(c.Candidate.NoClaims))
	line("failed rows", strconv.Itoa(c.Baseline.Failed), strconv.Itoa(c.Candidate.Failed))
	m.b.WriteByte('\n')
	item := func(name, text string) { m.b.WriteString("- " + name + ": " + text + "\n") }
	item("compared", fmt.Sprintf("%s: %d better, %d worse, %d the same; %d with the same answer", Units(c), c.Better, c.Worse, c.Same, c.SameAnswers))
	item("difference", Difference(c))
	item("p-value", escaped(Tests(c)))
	item("detectable difference", Detectable(c))
	item("claims", Flips(c))
	if text := Alone(c); text != "" {
		item("claims of one side", text)
	}
	if text := Never(c); text != "" {
		item("no score", span(text, markdownText))
	}
	m.b.WriteByte('\n')
}

// rows lists the rows that changed.
func (m *markdown) rows() {
	c := m.c
	if c.Changed == 0 {
		m.b.WriteString("No compared row changed.\n")
		return
	}
	fmt.Fprintf(&m.b, "### Rows that changed: %d, the worst first\n\n", c.Changed)
	shown := 0
	for i := range c.Changes[:min(len(c.Changes), markdownRows)] {
		text := markdownRow(i+1, &c.Changes[i])
		if m.b.Len()+len(text) > report.MaxMarkdown-moreRoom {
			break
		}
		m.b.WriteString(text)
		shown++
	}
	if more := c.Changed - shown; more > 0 {
		fmt.Fprintf(&m.b, "\nand %d more rows\n", more)
	}
}

// markdownRow is a changed row as an item of a numbered list.
func markdownRow(number int, change *compare.Change) string {
	var b strings.Builder
	begin := strconv.Itoa(number) + ". "
	fmt.Fprintf(&b, "%s%s: %s, was %s (%s)", begin, span(change.Candidate.ID, markdownID),
		Score(change.Candidate.Faithfulness), Score(change.Baseline.Faithfulness), Signed(change.Difference))
	if text := Change(change); text != "" {
		b.WriteString("; claims: " + text)
	}
	b.WriteByte('\n')
	inner := strings.Repeat(" ", len(begin))
	shown, more := 0, 0
	for _, m := range change.Claims {
		if !change.Lost(m) && !change.Gained(m) {
			continue
		}
		if shown == markdownClaims {
			more++
			continue
		}
		shown++
		fmt.Fprintf(&b, "%s- **%s, was %s**: %s\n", inner, label(change.Candidate, m.Candidate), label(change.Baseline, m.Baseline),
			span(change.Candidate.Claims[m.Candidate].Judged(), markdownText))
		for _, side := range []struct {
			word string
			r    *result.Row
			i    int
		}{{"before", change.Baseline, m.Baseline}, {"now", change.Candidate, m.Candidate}} {
			if reason := side.r.Claims[side.i].Reason; reason != "" {
				fmt.Fprintf(&b, "%s  - %s: %s\n", inner, side.word, span(reason, markdownText))
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "%s- and %d more\n", inner, more)
	}
	return b.String()
}

// label is the verdict on a claim in words.
func label(r *result.Row, claim int) string {
	return strings.ReplaceAll(string(r.Claims[claim].Verdict), "_", " ")
}

// span is a text of a dataset as a code span on one line.
func span(text string, most int) string { return report.CodeSpan(report.Clip(text, most)) }

// inTable is a span in a table, where a bar would end the cell.
func inTable(text string) string {
	return strings.ReplaceAll(span(text, markdownID), "|", `\|`)
}

// escaped is a text of ours in which < is no HTML.
func escaped(text string) string { return strings.ReplaceAll(text, "<", "&lt;") }
