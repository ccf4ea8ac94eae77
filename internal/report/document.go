package report

import "strings"

// A Table is a titled table for a terminal, Markdown or HTML.
type Table struct {
	Title   string // ends with Of; may be empty
	Of      string // text from a dataset, such as the name of a column; may be empty
	Columns []Column
	Foot    string // a line below the table; may be empty
}

// A Column is a column of a Table.
type Column struct {
	Name  string
	Cells []string
	Text  bool // from a dataset: escaped, and truncated if the table is too wide
	Prose bool // truncated if the table is too wide
	Right bool // align right, for numbers
}

// Terminal renders the table within width terminal cells; 0 means 120.
func (t *Table) Terminal(width int) string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(strings.TrimSpace(t.Title+" "+Clip(t.Of, maxNameText)) + "\n")
	}
	for line := range strings.Lines(Tabulate(t.Columns, width)) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if t.Foot != "" {
		b.WriteString(t.Foot + "\n")
	}
	return b.String()
}

// Markdown renders the table for a pull request. Text from datasets is in code spans, so
// that it cannot contain links, mentions, HTML or Markdown.
func (t *Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("### " + strings.ToUpper(t.Title[:1]) + t.Title[1:])
		if t.Of != "" {
			b.WriteString(" " + CodeSpan(Clip(t.Of, maxNameText)))
		}
		b.WriteString("\n\n")
	}
	header, rule := "|", "|"
	for i := range t.Columns {
		c := &t.Columns[i]
		header += " " + c.markdown(c.Name) + " |"
		if c.Right {
			rule += "---:|"
		} else {
			rule += "---|"
		}
	}
	b.WriteString(header + "\n" + rule + "\n")
	for r := range t.Columns[0].Cells {
		b.WriteByte('|')
		for i := range t.Columns {
			b.WriteString(" " + t.Columns[i].markdown(t.Columns[i].Cells[r]) + " |")
		}
		b.WriteByte('\n')
	}
	if t.Foot != "" {
		b.WriteString("\n" + t.Foot + "\n")
	}
	return b.String()
}

// markdown returns a cell or the name of the column.
func (c *Column) markdown(s string) string {
	switch {
	case s == "":
		return ""
	case c.Text:
		return tableCell(Clip(s, worstText))
	}
	return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s)
}
