package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/layout"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// A table is a table of a context. Its first row names the columns, and its label
// column names the rows.
type table struct {
	chunk int
	label int // column
	rows  []tableRow
}

type tableRow struct {
	layout.Span

	cells []tableCell
}

type tableCell struct {
	text   string
	words  []uint64 // keys of the content words outside parentheses
	values []quantity.Value
}

// maxCells is how many table cells are read per row of the dataset.
const maxCells = 1 << 14

// readTables returns the tables of the contexts, which are parsed once per task.
func (j *Judge) readTables(s *scratch, contexts []string) []table {
	if s.tablesRead {
		return s.tables
	}
	s.tablesRead = true
	budget := maxCells
	for chunk, text := range contexts {
		for _, rows := range layout.Tables(text) {
			if t, ok := j.newTable(chunk, text, rows, &budget); ok {
				s.tables = append(s.tables, t)
			}
		}
	}
	return s.tables
}

// newTable parses the cells of a table until the budget of cells is spent. It
// reports whether the table has at least two rows and a column beside the labels.
func (j *Judge) newTable(chunk int, text string, rows []layout.Row, budget *int) (table, bool) {
	t := table{chunk: chunk}
	for _, r := range rows {
		if *budget -= len(r.Cells); *budget < 0 {
			break
		}
		row := tableRow{Span: r.Span}
		for _, c := range r.Cells {
			row.cells = append(row.cells, j.newCell(strings.TrimSpace(text[c.Start:c.End])))
		}
		t.rows = append(t.rows, row)
	}
	if len(t.rows) < 2 {
		return t, false
	}
	if t.isNumbered() {
		t.label = 1
	}
	return t, len(t.header()) > t.label+1
}

func (j *Judge) newCell(text string) tableCell {
	text = strings.Trim(text, "* _`")
	c := tableCell{text: text}
	tokens := j.lex.Tokens(nil, text)
	c.values = quantity.Append(nil, maxRoles, j.lex, text, tokens)
	depth, at := 0, 0 // of parentheses
	for i := range tokens {
		t := &tokens[i]
		depth += strings.Count(text[at:t.Start], "(") - strings.Count(text[at:t.Start], ")")
		at = int(t.Start)
		if depth <= 0 && !t.Is(lexicon.Stop) {
			c.words = append(c.words, t.Key)
		}
	}
	return c
}

// isNumbered reports whether the first column only numbers the rows.
func (t *table) isNumbered() bool {
	for i, r := range t.rows[1:] {
		if len(r.cells) == 0 || len(r.cells[0].values) != 1 || r.cells[0].values[0].Num != float64(i+1) {
			return false
		}
	}
	return true
}

func (t *table) header() []tableCell { return t.rows[0].cells }

// cell returns a cell, nil if the row is too short.
func (t *table) cell(row, column int) *tableCell {
	if column >= len(t.rows[row].cells) {
		return nil
	}
	return &t.rows[row].cells[column]
}

// findNamed sets the rows and columns whose names the claim contains. A longer name
// takes precedence over a part of it: "Inner Isles North" over "Inner Isles". A row
// may also be named by a proper name in a column other than the label column.
func (k *tableCheck) findNamed() {
	t := k.table
	var names [][]uint64
	for i := range t.header() {
		if cell := t.cell(0, i); i != t.label && k.mentions(cell) {
			k.columns, names = append(k.columns, i), append(names, cell.words)
		}
	}
	k.columns = withLongestNames(k.columns, names)
	if k.rows = k.rowsNamedIn(t.label); len(k.rows) > 0 {
		return
	}
	for i := range t.header() {
		rows := k.rowsNamedIn(i)
		if len(rows) == 1 && !slices.Contains(k.columns, i) && slices.ContainsFunc(t.cell(rows[0], i).words, k.mentionsName) {
			k.rows, k.label = rows, i
			return
		}
	}
	k.rows, k.columns = nil, nil
}

// rowsNamedIn returns the rows whose cell in a column the claim mentions: all of its
// words, or a name in it that no other row has there.
func (k *tableCheck) rowsNamedIn(column int) []int {
	count := map[uint64]int{}
	for i := 1; i < len(k.table.rows); i++ {
		if cell := k.table.cell(i, column); cell != nil {
			for _, w := range cell.words {
				count[w]++
			}
		}
	}
	var rows []int
	var names [][]uint64
	for i := 1; i < len(k.table.rows); i++ {
		cell := k.table.cell(i, column)
		if cell == nil {
			continue
		}
		unique := slices.ContainsFunc(cell.words, func(w uint64) bool {
			return count[w] == 1 && k.mentionsName(w) && !k.stmt.contentToken(k.stmt.indexOf(w)).Is(lexicon.Initial)
		})
		if unique || k.mentions(cell) {
			rows, names = append(rows, i), append(names, cell.words)
		}
	}
	return withLongestNames(rows, names)
}

// withLongestNames returns the ids whose name is not a part of another name.
func withLongestNames(ids []int, names [][]uint64) []int {
	var out []int
	for i, id := range ids {
		if !slices.ContainsFunc(names, func(other []uint64) bool { return len(other) > len(names[i]) && isSubset(names[i], other) }) {
			out = append(out, id)
		}
	}
	return out
}

// mentionsName reports whether the claim has a word as a part of a name.
func (k *tableCheck) mentionsName(key uint64) bool {
	n := k.stmt.indexOf(key)
	return n >= 0 && k.stmt.isName(k.stmt.content[n])
}

// mentions reports whether the claim has all words of a cell, at least one.
func (k *tableCheck) mentions(c *tableCell) bool {
	return len(c.words) > 0 && !slices.ContainsFunc(c.words, k.lacks)
}

// lacks reports whether the claim lacks a word.
func (k *tableCheck) lacks(key uint64) bool { return k.stmt.indexOf(key) < 0 }
