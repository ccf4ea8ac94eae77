package report

import (
	"slices"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	columnGap = 2  // blanks between columns
	narrowest = 12 // a text is not cut below it to make the table fit
)

// A column of the table, with its cells from the top.
type column struct {
	name  string
	cells []string
	text  bool // may be cut
	right bool // stands at the right edge of its column, as numbers do
}

// width returns how many terminal cells the column takes.
func (c *column) width() int {
	w := text.StringWidthWithoutEscSequences(c.name)
	for _, s := range c.cells {
		w = max(w, text.StringWidthWithoutEscSequences(s))
	}
	return w
}

// layout renders columns within width terminal cells, as far as that can be
// done, with a line of dots after the row cutAfter unless that is negative.
// Texts are cut first; then columns in the middle give way to one of dots.
func layout(columns []column, cutAfter, width int) string {
	columns = fit(columns, width)
	w := pretty.NewWriter()
	w.SetStyle(plainStyle())
	header := pretty.Row{}
	configs := make([]pretty.ColumnConfig, len(columns))
	for i := range columns {
		align := text.AlignLeft
		if columns[i].right {
			align = text.AlignRight
		}
		configs[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
		header = append(header, columns[i].name)
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(header)
	for r := range columns[0].cells {
		if r == cutAfter {
			dots := pretty.Row{}
			for i := range columns {
				dots = append(dots, cut("", max(2, columns[i].width())))
			}
			w.AppendRow(dots)
		}
		row := pretty.Row{}
		for i := range columns {
			row = append(row, columns[i].cells[r])
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// plainStyle draws no lines.
func plainStyle() pretty.Style {
	s := pretty.Style{Name: "plain", Options: pretty.OptionsNoBordersAndSeparators}
	s.Options.SeparateColumns = true
	s.Box.MiddleVertical = "  "
	s.Box.MiddleSeparator = "  "
	s.Format = pretty.FormatOptions{Row: text.FormatDefault, Header: text.FormatDefault}
	return s
}

// fit cuts texts, the widest first, until the columns take no more than width,
// and then drops columns from the middle.
func fit(columns []column, width int) []column {
	columns = slices.Clone(columns)
	widths := make([]int, len(columns))
	total := -columnGap
	for i := range columns {
		widths[i] = columns[i].width()
		total += widths[i] + columnGap
	}
	for total > width {
		widest := -1
		for i := range columns {
			if columns[i].text && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
		total--
	}
	for i := range columns {
		if !columns[i].text {
			continue
		}
		cells := make([]string, len(columns[i].cells))
		for k, s := range columns[i].cells {
			cells[k] = cell(s, widths[i])
		}
		columns[i].cells, columns[i].name = cells, cell(columns[i].name, widths[i])
	}
	if total <= width {
		return columns
	}
	return dropMiddle(columns, width)
}

// dropMiddle puts a column of dots in place of as many columns around the
// middle as it takes to fit, but never of the index or the last column.
func dropMiddle(columns []column, width int) []column {
	first, last := 1+(len(columns)-1)/2, 1+(len(columns)-1)/2 // dropped: from first up to last
	for {
		total := len("...")
		for i := range columns {
			if i < first || i >= last {
				total += columnGap + columns[i].width()
			}
		}
		left, right := first-1, len(columns)-last // columns that remain on each side
		switch {
		case last > first && total <= width, left < 1 && right <= 1:
			dots := column{name: "...", cells: slices.Repeat([]string{"..."}, len(columns[0].cells))}
			return slices.Concat(columns[:first], []column{dots}, columns[last:])
		case right > 1 && right >= left:
			last++
		default:
			first--
		}
	}
}
