package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/layout"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// A table is a parsed table in a context. The first row contains the names of the
// columns, and the label column contains the names of the rows.
type table struct {
	chunk int
	label int // index of the label column
	rows  []tableRow
}

type tableRow struct {
	layout.Span

	cells []tableCell
}

type tableCell struct {
	text   string
	words  []uint64 // keys of the content words outside parentheses
	values []number
}

// maxCells limits the table cells parsed per task.
const maxCells = 1 << 14

// readTables returns the tables in the contexts. It parses them once per task.
func (j *Judge) readTables(s *scratch, contexts []string) []table {
	if s.tablesRead {
		return s.tables
	}
	s.tablesRead = true
	budget := maxCells
	for chunk, text := range contexts {
		for _, rows := range layout.Tables(text) {
			if t, ok := j.newTable(s, chunk, text, rows, &budget); ok {
				s.tables = append(s.tables, t)
			}
		}
	}
	return s.tables
}

// newTable parses the cells of a table, up to the remaining budget of cells. It reports
// whether the table has at least two rows and a column other than the label column.
func (j *Judge) newTable(s *scratch, chunk int, text string, rows []layout.Row, budget *int) (table, bool) {
	t := table{chunk: chunk}
	for _, r := range rows {
		if *budget -= len(r.Cells); *budget < 0 {
			break
		}
		row := tableRow{Span: r.Span}
		for _, c := range r.Cells {
			row.cells = append(row.cells, j.newCell(s, strings.TrimSpace(text[c.Start:c.End])))
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

// tableAt returns the table that contains q, or nil.
func (j *Judge) tableAt(s *scratch, contexts []string, q quote) *table {
	for i, tables := 0, j.readTables(s, contexts); i < len(tables); i++ {
		t := &tables[i]
		if t.chunk == q.chunk && q.start >= t.rows[0].Start && q.start < t.rows[len(t.rows)-1].End {
			return t
		}
	}
	return nil
}

// withHeading returns the row q of a table in text below the row of its headings, as
// Markdown.
func (t *table) withHeading(text string, q quote) string {
	heading, row := text[t.rows[0].Start:t.rows[0].End], text[q.start:q.end]
	if q.start < t.rows[1].Start || !strings.Contains(heading, "|") {
		return row
	}
	return heading + "\n|---|\n" + row
}

func (j *Judge) newCell(s *scratch, text string) tableCell {
	text = strings.Trim(text, "* _`")
	c := tableCell{text: text}
	tokens := j.lex.Tokens(nil, text)
	c.values = s.appendNumbers(nil, maxNumbers, text, tokens)
	depth, prev := 0, 0 // nesting depth of parentheses, start of the previous token
	for i := range tokens {
		t := &tokens[i]
		depth += strings.Count(text[prev:t.Start], "(") - strings.Count(text[prev:t.Start], ")")
		prev = int(t.Start)
		if depth <= 0 && !t.Is(lexicon.Stop) {
			c.words = append(c.words, t.Key)
		}
	}
	return c
}

// isNumbered reports whether the first column only numbers the rows.
func (t *table) isNumbered() bool {
	for i, r := range t.rows[1:] {
		if len(r.cells) == 0 || len(r.cells[0].values) != 1 || r.cells[0].values[0].Low != float64(i+1) {
			return false
		}
	}
	return true
}

func (t *table) header() []tableCell { return t.rows[0].cells }

// cell returns a cell, or nil if the row is too short.
func (t *table) cell(row, column int) *tableCell {
	if column >= len(t.rows[row].cells) {
		return nil
	}
	return &t.rows[row].cells[column]
}

// matchNames sets the rows and columns that the claim mentions. A longer name takes
// precedence over a part of it: "Inner Isles North" over "Inner Isles". If the claim
// mentions no label, a name in another column may identify the row.
func (tc *tableCheck) matchNames() {
	t := tc.table
	var names [][]uint64
	for i := range t.header() {
		if cell := t.cell(0, i); i != t.label && tc.mentions(cell) {
			tc.columns, names = append(tc.columns, i), append(names, cell.words)
		}
	}
	tc.columns = dropSubsumed(tc.columns, names)
	if tc.rows = tc.rowsNamedIn(t.label); len(tc.rows) > 0 {
		tc.columns = slices.DeleteFunc(tc.columns, func(i int) bool { // "Protein" in "Protein Bar"
			return slices.ContainsFunc(tc.rows, func(r int) bool { return isSubset(t.cell(0, i).words, t.cell(r, t.label).words) })
		})
		return
	}
	for i := range t.header() {
		rows := tc.rowsNamedIn(i)
		if len(rows) == 1 && !slices.Contains(tc.columns, i) && slices.ContainsFunc(t.cell(rows[0], i).words, tc.mentionsName) {
			tc.rows, tc.label = rows, i
			return
		}
	}
	tc.rows, tc.columns = nil, nil
}

// rowsNamedIn returns the rows whose cell in the given column the claim mentions: all
// words of the cell, or a name that only this cell of the column contains.
func (tc *tableCheck) rowsNamedIn(column int) []int {
	count := map[uint64]int{}
	for i := 1; i < len(tc.table.rows); i++ {
		if cell := tc.table.cell(i, column); cell != nil {
			for _, w := range cell.words {
				count[w]++
			}
		}
	}
	var rows []int
	var names [][]uint64
	for i := 1; i < len(tc.table.rows); i++ {
		cell := tc.table.cell(i, column)
		if cell == nil {
			continue
		}
		unique := slices.ContainsFunc(cell.words, func(w uint64) bool {
			return count[w] == 1 && tc.mentionsName(w) && !tc.stmt.contentToken(tc.stmt.indexOf(w)).Is(lexicon.Initial)
		})
		if unique || tc.mentions(cell) {
			rows, names = append(rows, i), append(names, cell.words)
		}
	}
	return dropSubsumed(rows, names)
}

// dropSubsumed returns the ids whose name is not part of a longer name.
func dropSubsumed(ids []int, names [][]uint64) []int {
	var out []int
	for i, id := range ids {
		if !slices.ContainsFunc(names, func(other []uint64) bool { return len(other) > len(names[i]) && isSubset(names[i], other) }) {
			out = append(out, id)
		}
	}
	return out
}

// mentionsName reports whether the claim contains the word as part of a name.
func (tc *tableCheck) mentionsName(key uint64) bool {
	n := tc.stmt.indexOf(key)
	return n >= 0 && tc.stmt.isName(tc.stmt.content[n])
}

// mentions reports whether the cell has words and the claim contains all of them.
func (tc *tableCheck) mentions(c *tableCell) bool {
	return len(c.words) > 0 && !slices.ContainsFunc(c.words, tc.isMissing)
}

// isMissing reports whether a word is missing from the claim.
func (tc *tableCheck) isMissing(key uint64) bool { return tc.stmt.indexOf(key) < 0 }
