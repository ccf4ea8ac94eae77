package lexical

import (
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// A grid is a table of a context: of Markdown, or of lines
// with tabs or semicolons.
// Its first row names the columns, and its label column names the rows.
type grid struct {
	chunk int
	label int // column
	rows  []gridRow
}

// A gridRow is a row of a table.
type gridRow struct {
	start, end int // bytes in the chunk
	cells      []gridCell
}

// A gridCell is a cell of a table.
type gridCell struct {
	text   string
	words  []uint64         // keys of the words that count, without those in parentheses
	values []quantity.Value // numbers and dates
}

// maxCells is how many cells of the tables of a row's contexts are read.
const maxCells = 1 << 14

// grids returns the tables of the contexts, which are read once a row.
func (j *Judge) grids(s *scratch, contexts []string) []grid {
	if s.gridsRead {
		return s.grids
	}
	s.gridsRead = true
	left := maxCells
	for chunk, text := range contexts {
		for _, rows := range lineGrids(text) {
			if g, ok := j.newGrid(chunk, text, rows, &left); ok {
				s.grids = append(s.grids, g)
			}
		}
	}
	return s.grids
}

// A cellRow is where a row and its cells are, in bytes.
type cellRow struct {
	start, end int
	cells      [][2]int
}

// newGrid reads the cells of a table.
func (j *Judge) newGrid(chunk int, text string, rows []cellRow, left *int) (grid, bool) {
	g := grid{chunk: chunk}
	for _, r := range rows {
		if *left -= len(r.cells); *left < 0 {
			break
		}
		row := gridRow{start: r.start, end: r.end}
		for _, c := range r.cells {
			row.cells = append(row.cells, j.newCell(strings.TrimSpace(text[c[0]:c[1]])))
		}
		g.rows = append(g.rows, row)
	}
	if len(g.rows) < 2 {
		return g, false
	}
	if g.numbered() {
		g.label = 1
	}
	return g, len(g.rows[0].cells) > g.label+1
}

// newCell reads a cell.
func (j *Judge) newCell(text string) gridCell {
	text = strings.Trim(text, "* _`")
	c := gridCell{text: text}
	tokens := j.lex.Tokens(nil, text)
	c.values = quantity.Append(nil, maxRoles, j.lex, text, tokens)
	depth, at := 0, 0
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

// numbered reports whether the first column only counts the rows.
func (g *grid) numbered() bool {
	for i, r := range g.rows[1:] {
		if len(r.cells) == 0 || len(r.cells[0].values) != 1 || r.cells[0].values[0].Num != float64(i+1) {
			return false
		}
	}
	return true
}

// lineGrids finds the tables of text whose rows are lines, with bars, tabs or
// semicolons between the cells.
func lineGrids(text string) [][]cellRow {
	var all [][]cellRow
	for _, bar := range [...]byte{'|', '\t', ';'} {
		if first := strings.IndexByte(text, bar); first < 0 || strings.IndexByte(text[first:], '\n') < 0 {
			continue
		}
		var rows []cellRow
		for start := 0; start < len(text); {
			end := len(text)
			if n := strings.IndexByte(text[start:], '\n'); n >= 0 {
				end = start + n
			}
			r := cellRow{start: start, end: end, cells: lineCells(text, start, end, bar)}
			start = end + 1
			switch {
			case strings.TrimSpace(text[r.start:r.end]) == "": // between the rows of HTML
			case len(r.cells) > 1 && isRule(text[r.start:r.end]):
				// The line before is the head.
				rows = rows[max(0, len(rows)-1):]
			case len(r.cells) > 1 && (len(rows) == 0 || len(r.cells) == len(rows[0].cells)):
				rows = append(rows, r)
			default:
				all, rows = addGrid(all, rows, bar), nil
				if len(r.cells) > 1 {
					rows = append(rows, r)
				}
			}
		}
		all = addGrid(all, rows, bar)
	}
	return all
}

// addGrid adds rows that make a table. Prose, too, has semicolons in its lines.
func addGrid(all [][]cellRow, rows []cellRow, bar byte) [][]cellRow {
	if len(rows) < 2 || bar == ';' && (len(rows) < 3 || len(rows[0].cells) < 3) {
		return all
	}
	return append(all, rows)
}

// lineCells returns where the cells of a line are, nil for a line without bar.
func lineCells(text string, start, end int, bar byte) [][2]int {
	line := strings.TrimRight(text[start:end], " \r")
	end = start + len(line)
	if strings.IndexByte(line, bar) < 0 {
		return nil
	}
	if bar == '|' {
		start += len(line) - len(strings.TrimLeft(line, " "))
		if text[start] == '|' {
			start++
		}
		if end > start && text[end-1] == '|' {
			end--
		}
	}
	var cells [][2]int
	from := start
	for i := start; i <= end; i++ {
		if i == end || text[i] == bar && (i == start || text[i-1] != '\\') {
			cells = append(cells, [2]int{from, i})
			from = i + 1
		}
	}
	return cells
}

// isRule reports whether a line stands between the head and the body of a table.
func isRule(line string) bool {
	return strings.Trim(line, "|-:+= \t\r") == "" && strings.IndexByte(line, '-') >= 0
}
