package lexical

import (
	"slices"
	"strings"
)

// A table is a parsed table in a context. The first row contains the names of the
// columns, and the first column the names of the rows.
type table struct {
	chunk int
	rows  []tableRow
}

type tableRow struct {
	start, end int // byte offsets in the chunk
	cells      []tableCell
}

type tableCell struct {
	text   string
	words  []uint64 // keys of the content words outside parentheses
	values []number
}

func (t *table) header() []tableCell { return t.rows[0].cells }

// rowQuote returns row i as a quote.
func (t *table) rowQuote(i int) quote {
	return quote{chunk: t.chunk, start: t.rows[i].start, end: t.rows[i].end}
}

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
		for start := 0; start < len(text); {
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			r := tableLine{start: start, end: end, cells: splitCells(text[start:end], delimiter)}
			switch {
			case strings.TrimSpace(text[start:end]) == "": // blank lines separate the rows of HTML tables
			case len(r.cells) > 1 && isRule(text[start:end]):
				rows = rows[max(0, len(rows)-1):] // the line before is the header
			case len(r.cells) > 1 && (len(rows) == 0 || len(r.cells) == len(rows[0].cells)):
				rows = append(rows, r)
			default:
				tables, rows = appendTable(tables, rows, delimiter), nil
				if len(r.cells) > 1 {
					rows = append(rows, r)
				}
			}
			start = end + 1
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
