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
	var dots []string
	configs := make([]pretty.ColumnConfig, len(columns))
	for i := range columns {
		align := text.AlignLeft
		if columns[i].Right {
			align = text.AlignRight
		}
		configs[i] = pretty.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align}
		header = append(header, columns[i].Name)
		dots = append(dots, cut("", max(2, columns[i].width())))
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(header)
	rows := Table{Columns: columns}.Rows()
	if cutAfter >= 0 {
		rows = slices.Insert(rows, cutAfter, dots)
	}
	for _, cells := range rows {
		row := pretty.Row{}
		for _, s := range cells {
			row = append(row, s)
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
		c := &columns[i]
		if !c.Text && !c.Prose {
			continue
		}
		c.Cells, c.Name = slices.Clone(c.Cells), cell(c.Name, widths[i])
		for j, s := range c.Cells {
			if c.Prose {
				c.Cells[j] = strings.Join(wrap(s, widths[i], 0), "\n")
			} else {
				c.Cells[j] = cell(s, widths[i])
			}
		}
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
