package lexical

import (
	"slices"
	"strings"
)

// A pair is a cell that a claim lists with the heading of its column.
type pair struct {
	head, text string
	start, end int // byte range of text in the claim
}

// pairsOf returns the pairs of a claim such as "Route: Outer Isles; Fare: €34", or nil if it is
// no such list.
func pairsOf(c *claim) []pair {
	if !strings.Contains(c.text, "; ") {
		return nil
	}
	var pairs []pair
	start := c.lead
	for part := range strings.SplitSeq(c.text[start:], "; ") {
		end := start + len(part)
		head, text, ok := strings.Cut(part, ": ")
		if !ok {
			return nil
		}
		pairs = append(pairs, pair{head: head, text: strings.TrimSpace(text), start: end - len(text), end: end})
		start = end + len("; ")
	}
	return pairs
}

// checkRow compares a claim that lists the cells of a row with the tables of the contexts. It
// returns the row that has all of them, or an objection to the row that has the first one but
// another value in one of the columns, or there a text that the claim gives for another cell.
func (j *Judge) checkRow(s *scratch, c *claim, contexts []string) (row quote, o objection) {
	pairs := pairsOf(c)
	if len(pairs) == 0 {
		return quote{}, objection{}
	}
	for _, t := range j.readTables(s, contexts) {
		s.tableWork += len(pairs) * len(t.header())
		columns := make([]int, len(pairs))
		for i, p := range pairs {
			columns[i] = slices.IndexFunc(t.header(), func(c tableCell) bool { return strings.EqualFold(c.text, p.head) })
		}
		var found []int // rows with the first cell
		for i := 1; i < len(t.rows) && columns[0] >= 0; i++ {
			if s.tableWork++; s.tableWork > maxTableWork {
				return quote{}, objection{}
			}
			if !t.has(i, columns[0], pairs[0].text) {
				continue
			}
			found = append(found, i)
			n := 0
			for n < len(pairs) && columns[n] >= 0 && t.has(i, columns[n], pairs[n].text) {
				n++
			}
			if n == len(pairs) {
				return t.at(i), objection{}
			}
		}
		if len(found) != 1 || o.reason != "" {
			continue
		}
		for n, p := range pairs {
			if columns[n] >= 0 && t.differs(s, c, found[0], columns[n], p) {
				row, o = t.at(found[0]), t.objection(p.text, found[0], columns[n])
				break
			}
		}
	}
	return row, o
}

// at returns row i.
func (t *table) at(i int) quote {
	return quote{chunk: t.chunk, start: t.rows[i].start, end: t.rows[i].end}
}

// has reports whether the cell of a row and column has this text.
func (t *table) has(row, column int, text string) bool {
	cell := t.cell(row, column)
	return cell != nil && strings.EqualFold(cell.text, text)
}

// differs reports whether the cell of a row and column has other values than p, or p is another
// cell of the row or column.
func (t *table) differs(s *scratch, c *claim, row, column int, p pair) bool {
	cell := t.cell(row, column)
	if cell == nil || t.has(row, column, p.text) {
		return false
	}
	stated := false
	for _, v := range s.claimValues[c.values[0]:c.values[1]] {
		if len(cell.values) > 0 && v.Start >= p.start && v.End <= p.end {
			if stated = cell.states(&v); !stated {
				return true
			}
		}
	}
	if stated {
		return false
	}
	s.tableWork += len(t.rows)
	for i := 1; i < len(t.rows); i++ {
		if t.has(i, column, p.text) {
			return true
		}
	}
	return slices.ContainsFunc(t.rows[row].cells, func(other tableCell) bool { return strings.EqualFold(other.text, p.text) })
}
