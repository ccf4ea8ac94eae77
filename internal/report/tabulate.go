package report

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
