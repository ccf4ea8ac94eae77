package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// maxGridWork is how many cells all claims of a row are compared with.
const maxGridWork = 1 << 20

// otherCell looks for a value of the claim that a table of the contexts has in
// another row or column than the claim names: "the crossing to the Outer Isles takes
// 40 minutes", where their row has 95 and that of the Inner Isles 40.
func (j *Judge) otherCell(s *scratch, c *claim, contexts []string) (objection, quote) {
	gs := j.grids(s, contexts)
	if len(gs) == 0 || s.gridWork > maxGridWork {
		return objection{}, quote{}
	}
	a := &s.claimSide
	a.read(j.lex, c.text)
	if a.negations > 0 || a.comparesCells() {
		return objection{}, quote{}
	}
	for i := range gs {
		g := &gs[i]
		for _, r := range g.rows {
			s.gridWork += len(r.cells)
		}
		if s.gridWork > maxGridWork {
			break
		}
		k := cellCheck{s: s, lex: j.lex, grid: g, claim: c, side: a, label: g.label}
		k.rows, k.columns = k.named()
		if len(k.rows) == 0 || len(k.rows) == len(g.rows)-1 && len(k.rows) > 1 {
			continue
		}
		if o, row := k.check(); o.reason != "" && !j.cellInProse(s, contexts, &k) {
			return o, quote{chunk: g.chunk, start: g.rows[row].start, end: g.rows[row].end}
		}
	}
	return objection{}, quote{}
}

// comparesCells reports whether x may compare cells, or reckon with them, rather than
// say what is in one: "$10 more than the Pro plan".
func (x *side) comparesCells() bool {
	for i := range x.tokens {
		switch w := x.lower(i); w {
		case "than", "more", "less", "fewer", "higher", "lower", "larger", "smaller", "longer", "shorter", "difference", "total", "sum", "together", "combined", "altogether", "average",
			"twice", "half", "double", "unlike", "neither", "nor", "except", "besides", "since", "after", "before", "until", "behind", "ahead", "between":
			return true
		default:
			for _, change := range [...]string{"increas", "decreas", "rose", "risen", "rise", "grew", "grow", "fell", "fall", "drop", "gain", "declin", "climb", "chang"} {
				if strings.HasPrefix(w, change) {
					return true
				}
			}
		}
	}
	return false
}

// A cellCheck compares a claim with a table.
type cellCheck struct {
	s             *scratch
	lex           *lexicon.Lexicon
	grid          *grid
	claim         *claim
	side          *side // of the claim
	rows, columns []int // that the claim names
	label         int   // column that names the rows
	value         *quantity.Value
	literal       bool // cells are compared as they are written
}

// check returns an objection to the first value that is in another cell, and the
// row that the claim names.
func (k *cellCheck) check() (objection, int) {
	if o, row := k.pairs(); o.reason != "" {
		return o, row
	}
	vs := k.s.claimValues[k.claim.values[0]:k.claim.values[1]]
	for i := range vs {
		k.value = &vs[i]
		if k.value.Soft || k.inName(k.value) {
			continue
		}
		if o, row := k.misplaced(func(c *gridCell) bool { return k.has(c, k.value) }, vs[i].Text(k.claim.text)); o.reason != "" {
			return o, row
		}
	}
	k.value = nil
	for column := range k.grid.rows[0].cells { // times, ranges: as they are written
		for i := 1; i < len(k.grid.rows) && column != k.label; i++ {
			if column < len(k.grid.rows[i].cells) && k.writes(&k.grid.rows[i].cells[column]) {
				text := k.grid.rows[i].cells[column].text
				k.literal = true
				if o, row := k.misplaced(func(c *gridCell) bool { return c.text == text }, text); o.reason != "" {
					return o, row
				}
			}
		}
	}
	k.literal = false
	for column := range k.grid.rows[0].cells { // words: days, names
		if column == k.label {
			continue
		}
		named := slices.Contains(k.columns, column)
		for i := 1; i < len(k.grid.rows); i++ {
			if column >= len(k.grid.rows[i].cells) || slices.Contains(k.rows, i) {
				continue
			}
			cell := &k.grid.rows[i].cells[column]
			word := k.saysWord(cell, named)
			if word == 0 {
				continue
			}
			same := func(c *gridCell) bool { return slices.Contains(c.words, word) }
			if o, row := k.misplaced(same, cell.text); o.reason != "" {
				return o, row
			}
		}
	}
	return objection{}, 0
}

// writes reports whether the claim has a cell of several numbers, such as 2:17.40
// or 10–16, as it is written.
func (k *cellCheck) writes(c *gridCell) bool {
	if len(c.text) < len("1:20") || !strings.ContainsAny(c.text, "0123456789") || strings.IndexByte(c.text, ' ') >= 0 || len(k.lex.Tokens(nil, c.text)) < 2 {
		return false
	}
	at := strings.Index(k.claim.text, c.text)
	return at >= 0 && (at == 0 || k.claim.text[at-1] == ' ')
}

// saysWord returns a word of a cell that the claim has as a name, a month or,
// in a column that the claim names, as any word; 0 for none.
func (k *cellCheck) saysWord(c *gridCell, named bool) uint64 {
	if len(c.values) > 0 || len(c.words) == 0 || !named && !k.says(c) {
		return 0
	}
	for _, w := range c.words {
		if slices.ContainsFunc(k.rows, func(r int) bool { return slices.Contains(k.grid.rows[r].cells[k.label].words, w) }) ||
			slices.ContainsFunc(k.grid.rows[0].cells, func(h gridCell) bool { return slices.Contains(h.words, w) }) {
			return 0
		}
		n := k.side.place(w)
		if n < 0 {
			continue
		}
		t := &k.side.tokens[k.side.content[n]]
		if t.Is(lexicon.Month) || t.Is(lexicon.Capital) && !t.Is(lexicon.Initial) || named && k.says(c) {
			return w
		}
	}
	return 0
}

// pairs checks a claim that is a row of a table itself, such as "Route: Outer
// Isles; Fare: €34": each value stands under its own heading.
func (k *cellCheck) pairs() (objection, int) {
	parts := strings.Split(k.claim.text[k.claim.lead:], "; ")
	if len(parts) < 2 || len(k.rows) != 1 {
		return objection{}, 0
	}
	cells := k.grid.rows[k.rows[0]].cells
	b := &k.s.quoteSide
	for _, part := range parts {
		head, said, ok := strings.Cut(part, ": ")
		if !ok {
			continue
		}
		b.read(k.lex, head)
		for i := range k.grid.rows[0].cells {
			words := k.grid.rows[0].cells[i].words
			if i == k.label || i >= len(cells) || len(words) == 0 || slices.ContainsFunc(words, func(w uint64) bool { return b.place(w) < 0 }) {
				continue
			}
			b.read(k.lex, said)
			vs := quantity.Append(nil, maxRoles, k.lex, said, b.tokens)
			other := len(cells[i].values) > 0 && len(vs) > 0 && !k.has(&cells[i], &vs[0])
			if other {
				return k.object(said, cells[i].text, k.rows[0], i), k.rows[0]
			}
			break
		}
	}
	return objection{}, 0
}

// inName reports whether v belongs to the name of a row or column that the claim
// names.
func (k *cellCheck) inName(v *quantity.Value) bool {
	for _, r := range k.rows {
		if k.has(&k.grid.rows[r].cells[k.label], v) {
			return true
		}
	}
	for _, c := range k.columns {
		if k.has(&k.grid.rows[0].cells[c], v) {
			return true
		}
	}
	return false
}

// has reports whether a cell gives v.
func (k *cellCheck) has(c *gridCell, v *quantity.Value) bool {
	const sure = 0.9
	for i := range c.values {
		if v.Match(&c.values[i], k.lex) >= sure {
			return true
		}
	}
	return false
}

// misplaced objects if cells that are like what the claim says are there, but
// none in the rows and columns that it names.
func (k *cellCheck) misplaced(like func(*gridCell) bool, said string) (objection, int) {
	inRow, elsewhere := -1, [2]int{-1, -1}
	for i := 1; i < len(k.grid.rows); i++ {
		cells := k.grid.rows[i].cells
		if k.s.gridWork += len(cells); k.s.gridWork > maxGridWork {
			return objection{}, 0
		}
		for n := range cells {
			if n == k.label || n < k.grid.label || !like(&cells[n]) {
				continue
			}
			switch {
			case !slices.Contains(k.rows, i):
				if elsewhere[0] < 0 || slices.Contains(k.columns, n) {
					elsewhere = [2]int{i, n}
				}
			case len(k.columns) == 0 || slices.Contains(k.columns, n):
				return objection{}, 0
			default:
				inRow = n
			}
		}
	}
	row := k.rows[0]
	switch {
	case inRow >= 0:
		if cell := k.expected(row, k.columns[0]); cell != nil {
			return k.object(said, cell.text, row, k.columns[0]), row
		}
	case elsewhere[0] >= 0 && (len(k.columns) == 0 || slices.Contains(k.columns, elsewhere[1])):
		if cell := k.expected(row, elsewhere[1]); cell != nil {
			return k.object(said, cell.text, row, elsewhere[1]), row
		}
	}
	return objection{}, 0
}

// expected returns a cell that the claim does not give, nil if it does or there
// is nothing to compare.
func (k *cellCheck) expected(row, column int) *gridCell {
	cells := k.grid.rows[row].cells
	if column >= len(cells) {
		return nil
	}
	cell := &cells[column]
	if k.literal {
		if cell.text == "" || k.writes(cell) {
			return nil
		}
		return cell
	}
	if k.value == nil {
		if len(cell.words) == 0 || slices.ContainsFunc(cell.words, func(w uint64) bool { return k.side.place(w) >= 0 }) {
			return nil
		}
		return cell
	}
	vs := k.s.claimValues[k.claim.values[0]:k.claim.values[1]]
	if len(cell.values) == 0 || slices.ContainsFunc(vs, func(v quantity.Value) bool { return k.has(cell, &v) }) {
		return nil
	}
	return cell
}

func (k *cellCheck) object(said, there string, row, column int) objection {
	name := k.grid.rows[row].cells[k.label].text
	if head := strings.TrimSpace(k.grid.rows[0].cells[column].text); head != "" {
		name += ", " + head
	}
	return objection{reason: "the table has " + quoted(there) + " for " + quoted(name) + ", not " + quoted(said), limit: contradicted}
}

// cellInProse reports whether a sentence outside of the tables has the value
// that the check objects to together with the name of a row.
func (j *Judge) cellInProse(s *scratch, contexts []string, k *cellCheck) bool {
	if k.value == nil {
		return false
	}
	b := &s.quoteSide
	tries := 8
	for i := range s.values {
		if tries == 0 {
			break
		}
		chunk, at := int(s.valueChunks[i]), s.values[i].Start
		if k.value.Match(&s.values[i], j.lex) == 0 || inGrid(s.grids, chunk, at) {
			continue
		}
		tries--
		q := j.sentenceAt(s, contexts, support{chunk: chunk, start: at})
		b.read(j.lex, contexts[chunk][q.start:q.end])
		for _, r := range k.rows {
			words := k.grid.rows[r].cells[k.label].words
			if !slices.ContainsFunc(words, func(w uint64) bool { return b.place(w) < 0 }) {
				return true
			}
		}
	}
	return false
}

func inGrid(gs []grid, chunk, at int) bool {
	return slices.ContainsFunc(gs, func(g grid) bool {
		return g.chunk == chunk && at >= g.rows[0].start && at < g.rows[len(g.rows)-1].end
	})
}

// otherwisePlaced looks for what the claim takes from another place of a table
// or a list than it says.
func (j *Judge) otherwisePlaced(s *scratch, c *claim, contexts []string) (objection, quote) {
	if o, q := j.otherItem(s, c, contexts); o.reason != "" {
		return o, q
	}
	if o, q := j.otherAnswer(s, c, contexts); o.reason != "" {
		return o, q
	}
	return j.otherCell(s, c, contexts)
}
