// Package layout finds tables in plain text and Markdown.
package layout

import "strings"

// A Span is a half-open range of byte offsets in a text.
type Span struct{ Start, End int }

// A Row is a row of a table.
type Row struct {
	Span

	Cells []Span // without the delimiters
}

// Tables returns the rows of each table in text. A table consists of consecutive lines
// with the same number of cells, delimited by bars, tabs or semicolons.
func Tables(text string) [][]Row {
	var tables [][]Row
	for _, delimiter := range [...]byte{'|', '\t', ';'} {
		if first := strings.IndexByte(text, delimiter); first < 0 || strings.IndexByte(text[first:], '\n') < 0 {
			continue
		}
		var rows []Row
		for start := 0; start < len(text); {
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			r := Row{Span: Span{start, end}, Cells: cells(text, start, end, delimiter)}
			start = end + 1
			switch {
			case strings.TrimSpace(text[r.Start:r.End]) == "": // blank lines separate the rows of HTML tables
			case len(r.Cells) > 1 && isRule(text[r.Start:r.End]):
				rows = rows[max(0, len(rows)-1):] // the line before is the header
			case len(r.Cells) > 1 && (len(rows) == 0 || len(r.Cells) == len(rows[0].Cells)):
				rows = append(rows, r)
			default:
				tables, rows = appendTable(tables, rows, delimiter), nil
				if len(r.Cells) > 1 {
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
func appendTable(tables [][]Row, rows []Row, delimiter byte) [][]Row {
	if len(rows) < 2 || delimiter == ';' && (len(rows) < 3 || len(rows[0].Cells) < 3) {
		return tables
	}
	return append(tables, rows)
}

// cells returns the cells of a line, or nil if the line contains no delimiter.
func cells(text string, start, end int, delimiter byte) []Span {
	line := strings.TrimRight(text[start:end], " \r")
	end = start + len(line)
	if strings.IndexByte(line, delimiter) < 0 {
		return nil
	}
	if delimiter == '|' {
		start += len(line) - len(strings.TrimLeft(line, " "))
		if text[start] == '|' {
			start++
		}
		if end > start && text[end-1] == '|' {
			end--
		}
	}
	var spans []Span
	from := start
	for i := start; i <= end; i++ {
		if i == end || text[i] == delimiter && (i == start || text[i-1] != '\\') {
			spans = append(spans, Span{from, i})
			from = i + 1
		}
	}
	return spans
}

// isRule reports whether a line separates the header of a table from its body.
func isRule(line string) bool {
	return strings.Trim(line, "|-:+= \t\r") == "" && strings.IndexByte(line, '-') >= 0
}
