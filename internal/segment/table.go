package segment

import "strings"

// A grid says whether the walk over the lines is within a table that has no
// bars at the ends of its rows.
type grid struct{ open bool }

// row reports whether the line text[at:end] is a row of such a table. A table
// begins with a line that holds a bar, over a line that holds bars and dashes
// only, and ends with the first line without a bar.
func (g *grid) row(text string, at, end, next int) bool {
	if strings.IndexByte(text[at:end], '|') < 0 {
		g.open = false
		return false
	}
	if !g.open && next < len(text) {
		g.open = isDelimiter(text, next)
	}
	return g.open
}

// isDelimiter reports whether the line at text[i] draws the line under the head
// of a table.
func isDelimiter(text string, i int) bool {
	dashes, bars := 0, 0
	for ; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '-':
			dashes++
		case '|':
			bars++
		case ' ', '\t', ':', '\r', '>':
		default:
			return false
		}
	}
	return dashes > 1 && bars > 0
}
