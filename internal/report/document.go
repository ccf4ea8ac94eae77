package report

import (
	"cmp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

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
		table.Columns = append([]Column(nil), table.Columns...)
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
