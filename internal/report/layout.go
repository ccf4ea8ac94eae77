package report

import (
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	columnGap     = 2  // spaces between columns
	minTextColumn = 12 // text columns are not truncated below this width
)

// Tabulate renders columns within width terminal cells, 120 if it is 0, without a final
// line feed. Columns that are not Text must be printable.
func Tabulate(columns []Column, width int) string {
	if width <= 0 {
		width = defaultWidth
	}
	return layout(columns, -1, width)
}

// width returns the width of the column in terminal cells.
func (c *Column) width() int {
	w := cells(c.Name)
	for _, s := range c.Cells {
		w = max(w, cells(s))
	}
	return w
}

// layout renders columns within width terminal cells, if possible. It first truncates text
// columns and then replaces columns in the middle with dots. Unless cutAfter is negative,
// a row of dots is inserted after the first cutAfter rows.
func layout(columns []Column, cutAfter, width int) string {
	columns = fit(columns, width)
	w := pretty.NewWriter()
	w.SetStyle(PlainStyle())
	header := pretty.Row{}
	configs := make([]pretty.ColumnConfig, len(columns))
	for i := range columns {
		align := text.AlignLeft
		if columns[i].Right {
			align = text.AlignRight
		}
		configs[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
		header = append(header, columns[i].Name)
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(header)
	for r := range len(columns[0].Cells) + 1 {
		if r == cutAfter {
			dots := pretty.Row{}
			for i := range columns {
				dots = append(dots, cut("", max(2, columns[i].width())))
			}
			w.AppendRow(dots)
		}
		if r == len(columns[0].Cells) {
			break
		}
		row := pretty.Row{}
		for i := range columns {
			row = append(row, columns[i].Cells[r])
		}
		w.AppendRow(row)
	}
	return w.Render()
}

// PlainStyle returns a table style without borders or separators.
func PlainStyle() pretty.Style {
	s := pretty.Style{Name: "plain", Options: pretty.OptionsNoBordersAndSeparators}
	s.Options.SeparateColumns = true
	s.Box.MiddleVertical = "  "
	s.Box.MiddleSeparator = "  "
	s.Format = pretty.FormatOptions{Row: text.FormatDefault, Header: text.FormatDefault}
	return s
}

// fit truncates text columns, widest first, until the table fits in width. If that is not
// enough, it also drops columns from the middle.
func fit(columns []Column, width int) []Column {
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
			if (columns[i].Text || columns[i].Prose) && widths[i] > minTextColumn && (widest < 0 || widths[i] > widths[widest]) {
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
		if !columns[i].Text && !columns[i].Prose {
			continue
		}
		cells := make([]string, len(columns[i].Cells))
		for j, s := range columns[i].Cells {
			if cells[j] = cell(s, widths[i]); columns[i].Prose {
				cells[j] = strings.Join(wrap(s, widths[i], 0), "\n")
			}
		}
		columns[i].Cells, columns[i].Name = cells, cell(columns[i].Name, widths[i])
	}
	if total <= width {
		return columns
	}
	return dropMiddle(columns, width)
}

// dropMiddle replaces columns around the middle with a column of dots until the table
// fits. It always keeps the index and the last column.
func dropMiddle(columns []Column, width int) []Column {
	first, last := 1+(len(columns)-1)/2, 1+(len(columns)-1)/2 // columns[first:last] are dropped
	for {
		total := len("...")
		for i := range columns {
			if i < first || i >= last {
				total += columnGap + columns[i].width()
			}
		}
		left, right := first-1, len(columns)-last // remaining columns on each side
		switch {
		case last > first && total <= width, left < 1 && right <= 1:
			dots := Column{Name: "...", Cells: slices.Repeat([]string{"..."}, len(columns[0].Cells))}
			return slices.Concat(columns[:first], []Column{dots}, columns[last:])
		case right > 1 && right >= left:
			last++
		default:
			first--
		}
	}
}
