package report

import (
	"cmp"
	"slices"
	"strings"

	pretty "github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is a titled table.
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
	Text  bool // the cells are from a dataset: escaped, and truncated if the table is too wide
	Prose bool // wrapped if the table is too wide
	Right bool // align right, for numbers
}

// AddRow appends a cell to each column.
func (t *Table) AddRow(cells ...string) {
	for i := range t.Columns {
		t.Columns[i].Cells = append(t.Columns[i].Cells, cells[i])
	}
}

// DropColumns removes each column with a name in empty of which all cells are the value there.
func (t *Table) DropColumns(empty map[string]string) {
	t.Columns = slices.DeleteFunc(t.Columns, func(c Column) bool {
		value, optional := empty[c.Name]
		return optional && !slices.ContainsFunc(c.Cells, func(s string) bool { return s != value })
	})
}

// Rows returns the cells of each row.
func (t Table) Rows() [][]string {
	rows := make([][]string, len(t.Columns[0].Cells))
	for r := range rows {
		for i := range t.Columns {
			rows[r] = append(rows[r], t.Columns[i].Cells[r])
		}
	}
	return rows
}

// Terminal returns the title, the table and the foot.
func (t Table) Terminal(width int) string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(strings.TrimSpace(t.Title+" "+Clip(t.Of, maxNameText)) + "\n")
	}
	for line := range strings.Lines(layout(t.Columns, -1, cmp.Or(max(width, 0), defaultWidth))) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	if t.Foot != "" {
		b.WriteString(t.Foot + "\n")
	}
	return b.String()
}

// Markdown returns the title as a heading, the table and the foot. Text from datasets is in
// code spans, so that it cannot contain links, mentions, HTML or Markdown.
func (t Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("### " + Capitalize(t.Title))
		if t.Of != "" {
			b.WriteString(" " + CodeSpan(Clip(t.Of, maxNameText)))
		}
		b.WriteString("\n\n")
	}
	var names, marks []string
	for i := range t.Columns {
		names, marks = append(names, t.Columns[i].Name), append(marks, "---")
		if t.Columns[i].Right {
			marks[i] = "---:"
		}
	}
	b.WriteString("| " + strings.Join(names, " | ") + " |\n|" + strings.Join(marks, "|") + "|\n")
	for _, row := range t.Rows() {
		for i, cell := range row {
			row[i] = t.Columns[i].markdown(cell)
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	if t.Foot != "" {
		b.WriteString("\n" + markdownText(t.Foot) + "\n")
	}
	return b.String()
}

func (c *Column) markdown(s string) string {
	switch {
	case s == "":
		return ""
	case c.Text:
		s = CodeSpan(Clip(s, maxCellText))
	default:
		s = markdownText(s)
	}
	return strings.ReplaceAll(s, "|", `\|`)
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
	style := pretty.Style{Name: "plain", Options: pretty.OptionsNoBordersAndSeparators}
	style.Options.SeparateColumns = true
	style.Box.MiddleVertical = "  "
	style.Box.MiddleSeparator = "  "
	style.Format = pretty.FormatOptions{Row: text.FormatDefault, Header: text.FormatDefault}
	w.SetStyle(style)
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

// fit truncates text columns, widest first, and then drops columns, until the table fits.
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

// A Document is a report that can be written to a terminal and as Markdown.
type Document []Block

// A Block is a part of a Document. It ends with a line feed, or is empty.
type Block interface {
	Terminal(width int) string // in lines of width terminal cells, if possible; 0 means 120
	Markdown() string
}

// Terminal returns the blocks with a blank line between them.
func (d Document) Terminal(width int) string {
	return d.join(func(b Block) string { return b.Terminal(width) })
}

// Markdown returns the blocks with a blank line between them.
func (d Document) Markdown() string { return d.join(Block.Markdown) }

func (d Document) join(render func(Block) string) string {
	var parts []string
	for _, block := range d {
		if s := render(block); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n")
}

// A Heading is the title of a Document. A terminal does not show it.
type Heading string

// Terminal returns "".
func (Heading) Terminal(int) string { return "" }

// Markdown returns a heading of the second level.
func (h Heading) Markdown() string { return "## " + string(h) + "\n" }

// A Paragraph is text without text from a dataset.
type Paragraph string

// Terminal returns the wrapped text.
func (p Paragraph) Terminal(width int) string {
	return strings.Join(wrap(string(p), cmp.Or(max(width, 0), defaultWidth), 0), "\n") + "\n"
}

// Markdown returns the text.
func (p Paragraph) Markdown() string { return markdownText(string(p)) + "\n" }

// A Fact is a named statement.
type Fact struct {
	Name, Value string
	Text        bool // Value is from a dataset
}

// Facts are a list of statements.
type Facts []Fact

// Terminal returns a line for each fact.
func (f Facts) Terminal(int) string {
	width := 0
	for _, fact := range f {
		width = max(width, len(fact.Name))
	}
	var b strings.Builder
	for _, fact := range f {
		b.WriteString(fact.Name + strings.Repeat(" ", width-len(fact.Name)+2) + Printable(fact.Value) + "\n")
	}
	return b.String()
}

// Markdown returns a list.
func (f Facts) Markdown() string {
	var b strings.Builder
	for _, fact := range f {
		value := markdownText(fact.Value)
		if fact.Text {
			value = CodeSpan(Clip(fact.Value, worstText))
		}
		b.WriteString("- " + fact.Name + ": " + value + "\n")
	}
	return b.String()
}

// Tables are tables with the same columns, which a terminal shows aligned.
type Tables []Table

// Terminal returns the tables with columns of equal widths.
func (t Tables) Terminal(width int) string {
	aligned := make(Document, len(t))
	for i := range t {
		table := t[i]
		table.Columns = slices.Clone(table.Columns)
		for k := range table.Columns {
			c := &table.Columns[k]
			widest := 0
			for j := range t {
				widest = max(widest, t[j].Columns[k].width())
			}
			if !c.Prose {
				c.Name = text.Pad(c.Name, widest, ' ')
			}
		}
		aligned[i] = table
	}
	return aligned.Terminal(width)
}

// Markdown returns the tables.
func (t Tables) Markdown() string {
	all := make(Document, len(t))
	for i := range t {
		all[i] = t[i]
	}
	return all.Markdown()
}

// Notes are remarks below a report.
type Notes []string

// Terminal returns a line for each note.
func (n Notes) Terminal(int) string {
	if len(n) == 0 {
		return ""
	}
	return "note: " + strings.Join(n, "\nnote: ") + "\n"
}

// Markdown returns a paragraph for each note.
func (n Notes) Markdown() string {
	if len(n) == 0 {
		return ""
	}
	return "**Note:** " + strings.Join(n, "\n\n**Note:** ") + "\n"
}
