package lexical

import (
	"slices"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// named returns the rows and columns whose names the claim has. Of "Inner Isles" and
// "Inner Isles North" it is the longer if the claim has both. A row whose label the claim
// lacks may be named by a name in another of its cells.
func (k *cellCheck) named() (rows, columns []int) {
	g := k.grid
	var names [][]uint64
	for i := range g.rows[0].cells {
		if i != g.label && k.says(&g.rows[0].cells[i]) {
			columns, names = append(columns, i), append(names, g.rows[0].cells[i].words)
		}
	}
	columns = longest(columns, names)
	if rows = k.rowsBy(g.label); len(rows) > 0 {
		return rows, columns
	}
	for i := range g.rows[0].cells {
		if rows = k.rowsBy(i); len(rows) == 1 && !slices.Contains(columns, i) && k.hasName(&g.rows[rows[0]].cells[i]) {
			k.label = i
			return rows, columns
		}
	}
	return nil, nil
}

// rowsBy returns the rows that the claim names by their cell in a column: by all
// of its words, or by a name in it that no other row has there.
func (k *cellCheck) rowsBy(column int) []int {
	var rows []int
	var names [][]uint64
	count := map[uint64]int{}
	for i := 1; i < len(k.grid.rows); i++ {
		if column < len(k.grid.rows[i].cells) {
			for _, w := range k.grid.rows[i].cells[column].words {
				count[w]++
			}
		}
	}
	for i := 1; i < len(k.grid.rows); i++ {
		if column >= len(k.grid.rows[i].cells) {
			continue
		}
		cell := &k.grid.rows[i].cells[column]
		own := slices.ContainsFunc(cell.words, func(w uint64) bool { return count[w] == 1 && k.nameInClaim(w) })
		if own || k.says(cell) {
			rows, names = append(rows, i), append(names, cell.words)
		}
	}
	return longest(rows, names)
}

// nameInClaim reports whether the claim has a word as a part of a name.
func (k *cellCheck) nameInClaim(w uint64) bool {
	n := k.side.place(w)
	return n >= 0 && k.side.inName(k.side.content[n]) && !k.side.tokens[k.side.content[n]].Is(lexicon.Initial)
}

func (k *cellCheck) hasName(c *gridCell) bool {
	return slices.ContainsFunc(c.words, func(w uint64) bool {
		n := k.side.place(w)
		return n >= 0 && k.side.inName(k.side.content[n])
	})
}

// longest leaves out what has a name that is a part of another's.
func longest(ids []int, names [][]uint64) []int {
	var out []int
	for i, id := range ids {
		part := slices.ContainsFunc(names, func(other []uint64) bool {
			return len(other) > len(names[i]) && !slices.ContainsFunc(names[i], func(w uint64) bool { return !slices.Contains(other, w) })
		})
		if !part {
			out = append(out, id)
		}
	}
	return out
}

// says reports whether the claim has all words of a cell, which has some.
func (k *cellCheck) says(c *gridCell) bool {
	if len(c.words) == 0 {
		return false
	}
	for _, w := range c.words {
		if !slices.ContainsFunc(k.side.content, func(i int) bool { return k.side.tokens[i].Key == w }) {
			return false
		}
	}
	return true
}
