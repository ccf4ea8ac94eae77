package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/extract/english"
	"github.com/ragfaith/ragfaith/internal/lexicon"
)

const (
	maxCells     = 1 << 14 // cells parsed per task
	maxTableWork = 1 << 20 // comparisons of cells per task
)

// readTables returns the tables in the contexts. It parses them once per task.
func (j *Judge) readTables(s *scratch, contexts []string) []table {
	if s.tablesRead {
		return s.tables
	}
	s.tablesRead = true
	budget := maxCells
	for chunk, text := range contexts {
		for _, rows := range findTables(text) {
			t := table{chunk: chunk}
			for _, r := range rows {
				if budget -= len(r.cells); budget < 0 {
					break
				}
				row := tableRow{start: r.start, end: r.end}
				for _, c := range r.cells {
					row.cells = append(row.cells, j.newCell(s, c))
				}
				t.rows = append(t.rows, row)
			}
			if len(t.rows) > 1 && len(t.header()) > 1 {
				s.tables = append(s.tables, t)
			}
		}
	}
	return s.tables
}

func (j *Judge) newCell(s *scratch, text string) tableCell {
	text = strings.Trim(text, "* _`\t")
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

// checkTables returns an objection if a table in the contexts has a value or name of the
// claim in a row or column other than the claim says. For example, "the crossing to the Outer
// Isles takes 40 minutes" is wrong if 40 is in the row of the Inner Isles. Claims that deny
// something are only compared with cells that answer yes or no.
func (j *Judge) checkTables(s *scratch, c *claim, contexts []string) objection {
	tables := j.readTables(s, contexts)
	if len(tables) == 0 || s.tableWork > maxTableWork {
		return objection{}
	}
	s.parseClaim(j, c)
	_, negations, ambiguous := s.claimed.Negations()
	for i := range tables {
		t := &tables[i]
		for _, r := range t.rows {
			s.tableWork += len(r.cells)
		}
		if s.tableWork > maxTableWork {
			break
		}
		tc := tableCheck{s: s, table: t, claim: c, negations: negations, ambiguous: ambiguous}
		if o := tc.check(); o.reason != "" {
			return o
		}
	}
	return objection{}
}

// A tableCheck compares a claim with a table.
type tableCheck struct {
	s             *scratch
	table         *table
	claim         *claim
	negations     int   // of the claim
	ambiguous     bool  // their scope is unknown
	rows, columns []int // rows and columns that the claim mentions
}

// check returns an objection to the first value or name that is in another cell than the
// claim states.
func (tc *tableCheck) check() objection {
	t := tc.table
	tc.rows = tc.mentioned(func(i int) *tableCell { return t.cell(i, 0) }, 1, len(t.rows))
	tc.columns = tc.mentioned(func(i int) *tableCell { return t.cell(0, i) }, 1, len(t.header()))
	if o := tc.checkAnswer(); o.reason != "" {
		return o
	}
	if tc.negations > 0 || len(tc.rows) == 0 || len(tc.rows) == len(t.rows)-1 && len(tc.rows) > 1 {
		return objection{}
	}
	values := tc.s.claimValues[tc.claim.values[0]:tc.claim.values[1]]
	for i := range values {
		v := &values[i]
		if v.Loose {
			continue
		}
		same := func(c *tableCell) bool { return c.states(v) }
		other := func(c *tableCell) bool {
			return len(c.values) > 0 && !slices.ContainsFunc(values, func(v number) bool { return c.states(&v) })
		}
		if o := tc.misplaced(tc.claim.text[v.Start:v.End], same, other); o.reason != "" {
			return o
		}
	}
	for i := 1; i < len(t.rows); i++ { // names and days
		for column := 1; column < len(t.rows[i].cells); column++ {
			cell := t.cell(i, column)
			if slices.Contains(tc.rows, i) || len(cell.values) > 0 || !tc.mentions(cell) {
				continue
			}
			same := func(c *tableCell) bool { return slices.Equal(c.words, cell.words) }
			other := func(c *tableCell) bool { return len(c.words) > 0 && !tc.mentions(c) }
			if o := tc.misplaced(cell.text, same, other); o.reason != "" {
				return o
			}
		}
	}
	return objection{}
}

// checkAnswer returns an objection if a cell that answers yes or no, in a word or a mark,
// contradicts the claim. It must be the only such cell in the row and columns that the claim
// mentions.
func (tc *tableCheck) checkAnswer() objection {
	denied := tc.negations == 1 || strings.Contains(tc.claim.text, "out of ")
	if tc.ambiguous || tc.negations > 1 || denied && len(tc.rows) > 1 {
		return objection{}
	}
	for _, row := range tc.rows {
		answer, column, n := false, 0, 0
		for _, i := range tc.columns {
			if cell := tc.table.cell(row, i); cell != nil {
				if yes, ok := answerOf(cell.text); ok {
					answer, column = yes, i
					n++
				}
			}
		}
		if n == 1 && answer == denied {
			return tc.table.objection("", row, column)
		}
	}
	return objection{}
}

// answerOf parses a cell that answers yes or no.
func answerOf(cell string) (yes, ok bool) {
	switch strings.Trim(cell, " \ufe0f") {
	case "✓", "✔", "✅", "☑", "Included", "included":
		return true, true
	case "✗", "✘", "✖", "❌", "⛔", "🚫", "x", "X", "-", "–", "—", "N/A", "n/a", "Not included", "not included":
		return false, true
	}
	return english.YesOrNo(cell)
}

// mentioned returns the indices from first up to end whose names the claim mentions. A name
// does not count if it is part of a longer one: "Inner Isles" in "Inner Isles North".
func (tc *tableCheck) mentioned(name func(int) *tableCell, first, end int) []int {
	var found []int
	for i := first; i < end; i++ {
		if c := name(i); c != nil && tc.mentions(c) {
			found = append(found, i)
		}
	}
	all := slices.Clone(found)
	return slices.DeleteFunc(found, func(i int) bool {
		words := name(i).words
		return slices.ContainsFunc(all, func(k int) bool {
			longer := name(k).words
			return len(longer) > len(words) && !slices.ContainsFunc(words, func(w uint64) bool { return !slices.Contains(longer, w) })
		})
	})
}

// mentions reports whether the cell has words and the claim contains all of them.
func (tc *tableCheck) mentions(c *tableCell) bool {
	return len(c.words) > 0 && !slices.ContainsFunc(c.words, func(w uint64) bool { return !tc.s.claimed.Has(w) })
}

// misplaced returns an objection if the content that the claim states is only in other cells
// than the one that it mentions, which has other content.
func (tc *tableCheck) misplaced(claimed string, same, other func(*tableCell) bool) objection {
	inRow := false
	otherRow, column := -1, -1
	for i := 1; i < len(tc.table.rows); i++ {
		cells := tc.table.rows[i].cells
		if tc.s.tableWork += len(cells); tc.s.tableWork > maxTableWork {
			return objection{}
		}
		for n := 1; n < len(cells); n++ {
			if !same(&cells[n]) {
				continue
			}
			switch {
			case !slices.Contains(tc.rows, i):
				if otherRow < 0 || slices.Contains(tc.columns, n) {
					otherRow, column = i, n
				}
			case len(tc.columns) == 0 || slices.Contains(tc.columns, n):
				return objection{}
			default:
				inRow = true
			}
		}
	}
	row := tc.rows[0]
	switch {
	case inRow:
		column = tc.columns[0]
	case otherRow < 0 || len(tc.columns) > 0 && !slices.Contains(tc.columns, column):
		return objection{}
	}
	cell := tc.table.cell(row, column)
	if cell == nil || !other(cell) {
		return objection{}
	}
	return tc.table.objection(claimed, row, column)
}

// objection returns an objection that quotes a cell, the names of its row and column, and what the
// claim says instead unless that is empty.
func (t *table) objection(claimed string, row, column int) objection {
	name := t.cell(row, 0).text
	if heading := t.cell(0, column).text; heading != "" {
		name += ", " + heading
	}
	if claimed != "" {
		claimed = ", not " + quoted(claimed)
	}
	at := quote{chunk: t.chunk, start: t.rows[row].start, end: t.rows[row].end}
	return objection{reason: "the table has " + quoted(t.cell(row, column).text) + " for " + quoted(name) + claimed, maxScore: maxContradictedScore, basis: basisValue, at: at}
}

type tableCell struct {
	text   string
	words  []uint64 // keys of the content words outside parentheses
	values []number
}

func (t *table) header() []tableCell { return t.rows[0].cells }

// cell returns a cell, or nil if the row is too short.
func (t *table) cell(row, column int) *tableCell {
	if column >= len(t.rows[row].cells) {
		return nil
	}
	return &t.rows[row].cells[column]
}

// states reports whether the cell contains the value v.
func (c *tableCell) states(v *number) bool {
	return slices.ContainsFunc(c.values, func(w number) bool { return v.match(&w) <= levelAdjective })
}

// A tableLine is a line of a text that is a row of a table.
type tableLine struct {
	start, end int      // byte offsets
	cells      []string // without the delimiters
}

// findTables returns the rows of each table in text. A table consists of consecutive lines
// with the same number of cells, delimited by bars, tabs or semicolons.
func findTables(text string) [][]tableLine {
	var tables [][]tableLine
	for _, delimiter := range [...]byte{'|', '\t', ';'} {
		if first := strings.IndexByte(text, delimiter); first < 0 || strings.IndexByte(text[first:], '\n') < 0 {
			continue
		}
		var rows []tableLine
		end := 0
		for line := range strings.Lines(text) {
			start := end
			end += len(line)
			line = strings.TrimSuffix(line, "\n")
			r := tableLine{start: start, end: start + len(line), cells: splitCells(line, delimiter)}
			switch {
			case strings.TrimSpace(line) == "": // blank lines separate the rows of HTML tables
			case len(r.cells) > 1 && isRule(line):
				rows = rows[max(0, len(rows)-1):] // the line before is the header
			case len(r.cells) > 1 && (len(rows) == 0 || len(r.cells) == len(rows[0].cells)):
				rows = append(rows, r)
			default:
				tables, rows = appendTable(tables, rows, delimiter), nil
				if len(r.cells) > 1 {
					rows = append(rows, r)
				}
			}
		}
		tables = appendTable(tables, rows, delimiter)
	}
	return tables
}

// appendTable appends rows to tables if they form a table. Semicolons also occur in
// prose, so a table delimited by semicolons needs at least three rows and columns.
func appendTable(tables [][]tableLine, rows []tableLine, delimiter byte) [][]tableLine {
	if len(rows) < 2 || delimiter == ';' && (len(rows) < 3 || len(rows[0].cells) < 3) {
		return tables
	}
	return append(tables, rows)
}

// splitCells returns the cells of a line, or nil if it contains no delimiter.
func splitCells(s string, delimiter byte) []string {
	s = strings.TrimRight(s, " \r")
	if strings.IndexByte(s, delimiter) < 0 {
		return nil
	}
	if delimiter == '|' {
		s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimLeft(s, " "), "|"), "|")
	}
	var cells []string
	from := 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == delimiter && (i == 0 || s[i-1] != '\\') {
			cells = append(cells, s[from:i])
			from = i + 1
		}
	}
	return cells
}

// isRule reports whether a line separates the header of a table from its body.
func isRule(line string) bool {
	return strings.Trim(line, "|-:+= \t\r") == "" && strings.IndexByte(line, '-') >= 0
}
