package report

// Clip returns s on one line, in at most so many characters, with "…" where it
// was cut. Runs of white space are a blank, and nothing in it changes the
// direction of the text, moves a cursor or is forbidden in XML: such characters
// are shown as escapes.
func Clip(s string, most int) string { return clip(s, most) }

// CodeSpan returns s, which is on one line, as a code span of Markdown, in which
// nothing is a link, a mention, HTML or Markdown.
func CodeSpan(s string) string { return codeSpan(s) }

// A Column is one of a table in a terminal, with its cells from the top.
type Column struct {
	Name  string
	Cells []string
	Text  bool // may be cut, and holds what a dataset says
	Right bool // stands at the right edge, as numbers do
}

// Tabulate renders columns within so many terminal cells, as the table of results
// is, without a line break at the end. What is not Text must be fit for a terminal.
func Tabulate(columns []Column, width int) string {
	all := make([]column, len(columns))
	for i, c := range columns {
		all[i] = column{name: c.Name, cells: c.Cells, text: c.Text, right: c.Right}
	}
	if width <= 0 {
		width = defaultWidth
	}
	return layout(all, -1, width)
}
