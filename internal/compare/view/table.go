package view

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/ragfaith/ragfaith/internal/compare"
	"github.com/ragfaith/ragfaith/internal/report"
)

// Table writes c for a terminal that is width cells wide: the warnings, the statistics, and
// the changed rows, worst first. Texts from datasets are escaped.
func Table(w io.Writer, c *compare.Comparison, width int) error {
	d := report.Document{warnings(c.Warnings), sides(c), Facts(c), Groups(c)}
	if c.Changed > 0 {
		d = append(d, changedRows(c))
	}
	_, err := io.WriteString(w, d.Terminal(width))
	return err
}

// sides returns the statistics of both runs.
func sides(c *compare.Comparison) report.Table {
	t := report.Table{Columns: []report.Column{
		{}, {Name: "mean", Right: true}, {Name: "claims", Right: true}, {Name: "file", Text: true}, {Name: "rows"},
	}}
	add := func(name string, s *compare.Side) {
		t.AddRow(name, Score(s.Mean), fmt.Sprintf("%d/%d", s.Supported, s.Claims), s.Name, Rows(s))
	}
	add("baseline", &c.Baseline)
	add("candidate", &c.Candidate)
	if c.Compared > 0 {
		t.AddRow("difference", Signed(c.Stats.Difference.Estimate), "", "", "")
	}
	return t
}

// Groups returns a table of the groups with the largest losses, or none.
func Groups(c *compare.Comparison) report.Tables {
	const maxGroups = 20
	if c.By == nil {
		return nil
	}
	t := report.Table{Title: "mean faithfulness by", Of: c.ByColumn, Columns: []report.Column{
		{Name: "group", Text: true},
		{Name: "baseline", Right: true},
		{Name: "candidate", Right: true},
		{Name: "difference", Right: true},
		{Name: Percent(c.Stats.Difference.Confidence) + " interval"},
		{Name: "rows", Right: true},
		{Name: "note", Prose: true},
	}}
	shown := c.By[:min(len(c.By), maxGroups)]
	if more := len(c.By) - len(shown); more > 0 {
		t.Foot = fmt.Sprintf("and %d more groups", more)
	}
	for i := range shown {
		g := &shown[i]
		name, interval := report.GroupName(g.Value), "none"
		if g.Other {
			name = "(other)"
		}
		if g.Difference.Reliable() {
			interval = Signed(g.Difference.Lower) + " to " + Signed(g.Difference.Upper)
		}
		t.AddRow(name, Score(g.Baseline), Score(g.Candidate), Signed(g.Difference.Estimate), interval, strconv.Itoa(g.Rows), g.Difference.Note)
	}
	return report.Tables{t}
}

// changedRows returns the changed rows, worst first.
func changedRows(c *compare.Comparison) report.Table {
	const maxRows = 10
	t := report.Table{Title: report.Count(c.Changed, "row", "rows") + " changed, worst first", Columns: []report.Column{
		{Name: "id", Text: true},
		{Name: "question", Text: true},
		{Name: "baseline", Right: true},
		{Name: "candidate", Right: true},
		{Name: "difference", Right: true},
		{Name: "claims", Prose: true},
	}}
	for i := range c.Changes[:min(len(c.Changes), maxRows)] {
		change := &c.Changes[i]
		t.AddRow(change.Candidate.ID, change.Candidate.Question, Score(change.Baseline.Faithfulness), Score(change.Candidate.Faithfulness),
			Signed(change.Difference), Change(change))
	}
	if questions := &t.Columns[1]; !slices.ContainsFunc(questions.Cells, func(q string) bool { return q != "" }) {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	t.Foot = "-o FILE.html shows their claims"
	if more := c.Changed - maxRows; more > 0 {
		t.Foot = fmt.Sprintf("and %d more; -o FILE.html shows all and their claims", more)
	}
	return t
}
