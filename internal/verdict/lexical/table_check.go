package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/quantity"
)

// maxTableWork is how many cells the claims of a task are compared with in total.
const maxTableWork = 1 << 20

// checkTables looks for a value of the claim that a table of the contexts has in a
// different row or column: "the crossing to the Outer Isles takes 40 minutes", if
// their row has 95 and that of the Inner Isles has 40.
func (j *Judge) checkTables(s *scratch, c *claim, contexts []string) (objection, quote) {
	tables := j.readTables(s, contexts)
	if len(tables) == 0 || s.tableWork > maxTableWork {
		return objection{}, quote{}
	}
	stmt := &s.claimStmt
	stmt.read(j.lex, c.text)
	if stmt.negations > 0 || stmt.comparesCells() {
		return objection{}, quote{}
	}
	for i := range tables {
		t := &tables[i]
		for _, r := range t.rows {
			s.tableWork += len(r.cells)
		}
		if s.tableWork > maxTableWork {
			break
		}
		k := tableCheck{s: s, lex: j.lex, table: t, claim: c, stmt: stmt, label: t.label}
		k.findNamed()
		if len(k.rows) == 0 || len(k.rows) == len(t.rows)-1 && len(k.rows) > 1 {
			continue
		}
		if o, row := k.check(); o.reason != "" && !j.statedInProse(s, contexts, &k) {
			return o, quote{chunk: t.chunk, start: t.rows[row].Start, end: t.rows[row].End}
		}
	}
	return objection{}, quote{}
}

// comparesCells reports whether x may compare cells or calculate with them, rather
// than state a single one: "$10 more than the Pro plan".
func (x *statement) comparesCells() bool {
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

// A tableCheck compares a claim with a table.
type tableCheck struct {
	s             *scratch
	lex           *lexicon.Lexicon
	table         *table
	claim         *claim
	stmt          *statement      // the claim
	rows, columns []int           // that the claim names
	label         int             // the column that names the rows
	value         *quantity.Value // the value being checked, nil for other text
}

// check returns an objection to the first value that is in a different cell, and
// the row that the claim names.
func (k *tableCheck) check() (objection, int) {
	if o, row := k.checkPairs(); o.reason != "" {
		return o, row
	}
	values := k.values()
	for i := range values {
		k.value = &values[i]
		if k.value.Soft || k.isPartOfName(k.value) {
			continue
		}
		same := func(c *tableCell) bool { return k.matches(c, k.value) }
		if o, row := k.misplaced(k.value.Text(k.claim.text), same, k.contradictsValues); o.reason != "" {
			return o, row
		}
	}
	k.value = nil
	for column := range k.table.header() { // times and ranges, compared as text
		for i := 1; i < len(k.table.rows) && column != k.label; i++ {
			cell := k.table.cell(i, column)
			if cell == nil || !k.hasLiteral(cell) {
				continue
			}
			same := func(c *tableCell) bool { return c.text == cell.text }
			other := func(c *tableCell) bool { return c.text != "" && !k.hasLiteral(c) }
			if o, row := k.misplaced(cell.text, same, other); o.reason != "" {
				return o, row
			}
		}
	}
	for column := range k.table.header() { // words: days, names
		named := slices.Contains(k.columns, column)
		for i := 1; i < len(k.table.rows) && column != k.label; i++ {
			cell := k.table.cell(i, column)
			if cell == nil || slices.Contains(k.rows, i) {
				continue
			}
			word := k.mentionedWord(cell, named)
			if word == 0 {
				continue
			}
			same := func(c *tableCell) bool { return slices.Contains(c.words, word) }
			other := func(c *tableCell) bool {
				return len(c.words) > 0 && !slices.ContainsFunc(c.words, func(w uint64) bool { return !k.lacks(w) })
			}
			if o, row := k.misplaced(cell.text, same, other); o.reason != "" {
				return o, row
			}
		}
	}
	return objection{}, 0
}

// values returns the numbers and dates of the claim.
func (k *tableCheck) values() []quantity.Value {
	return k.s.claimValues[k.claim.values[0]:k.claim.values[1]]
}

// contradictsValues reports whether a cell has values, none of which the claim states.
func (k *tableCheck) contradictsValues(c *tableCell) bool {
	return len(c.values) > 0 && !slices.ContainsFunc(k.values(), func(v quantity.Value) bool { return k.matches(c, &v) })
}

// hasLiteral reports whether the claim contains the text of a cell with several
// numbers, such as 2:17.40 or 10–16.
func (k *tableCheck) hasLiteral(c *tableCell) bool {
	if len(c.text) < len("1:20") || !strings.ContainsAny(c.text, "0123456789") || strings.IndexByte(c.text, ' ') >= 0 || len(k.lex.Tokens(nil, c.text)) < 2 {
		return false
	}
	at := strings.Index(k.claim.text, c.text)
	return at >= 0 && (at == 0 || k.claim.text[at-1] == ' ')
}

// mentionedWord returns a word of a cell that the claim has as a name, a month or, in
// a column that the claim names, as any word. It returns 0 if there is none.
func (k *tableCheck) mentionedWord(c *tableCell, named bool) uint64 {
	if len(c.values) > 0 || len(c.words) == 0 || !named && !k.mentions(c) {
		return 0
	}
	for _, w := range c.words {
		has := func(c tableCell) bool { return slices.Contains(c.words, w) }
		if slices.ContainsFunc(k.rows, func(r int) bool { return has(k.table.rows[r].cells[k.label]) }) || slices.ContainsFunc(k.table.header(), has) {
			return 0
		}
		n := k.stmt.indexOf(w)
		if n < 0 {
			continue
		}
		t := k.stmt.contentToken(n)
		if t.Is(lexicon.Month) || t.Is(lexicon.Capital) && !t.Is(lexicon.Initial) || named && k.mentions(c) {
			return w
		}
	}
	return 0
}

// checkPairs checks a claim that is a row of a table itself, such as "Route: Outer
// Isles; Fare: €34": each value must be under its own heading.
func (k *tableCheck) checkPairs() (objection, int) {
	parts := strings.Split(k.claim.text[k.claim.lead:], "; ")
	if len(parts) < 2 || len(k.rows) != 1 {
		return objection{}, 0
	}
	row := k.rows[0]
	b := &k.s.quoteStmt
	for _, part := range parts {
		head, claimed, ok := strings.Cut(part, ": ")
		if !ok {
			continue
		}
		b.read(k.lex, head)
		for i, heading := range k.table.header() {
			cell := k.table.cell(row, i)
			if i == k.label || cell == nil || len(heading.words) == 0 || !b.hasAll(heading.words) {
				continue
			}
			b.read(k.lex, claimed)
			values := quantity.Append(nil, maxRoles, k.lex, claimed, b.tokens)
			if len(cell.values) > 0 && len(values) > 0 && !k.matches(cell, &values[0]) {
				return k.objection(claimed, cell, row, i), row
			}
			break
		}
	}
	return objection{}, 0
}

// isPartOfName reports whether v belongs to the name of a row or column that the
// claim names.
func (k *tableCheck) isPartOfName(v *quantity.Value) bool {
	return slices.ContainsFunc(k.rows, func(row int) bool { return k.matches(k.table.cell(row, k.label), v) }) ||
		slices.ContainsFunc(k.columns, func(column int) bool { return k.matches(k.table.cell(0, column), v) })
}

// matches reports whether a cell states v.
func (k *tableCheck) matches(c *tableCell, v *quantity.Value) bool {
	for i := range c.values {
		if v.Match(&c.values[i], k.lex) >= quantity.Likely {
			return true
		}
	}
	return false
}

// misplaced returns an objection if other cells have the content that is claimed, the
// ones that the claim names do not, and the named one contradicts the claim. It also
// returns the row of the named cell.
func (k *tableCheck) misplaced(claimed string, same, contradicts func(*tableCell) bool) (objection, int) {
	inRow := false
	otherRow, otherColumn := -1, -1
	for i := 1; i < len(k.table.rows); i++ {
		cells := k.table.rows[i].cells
		if k.s.tableWork += len(cells); k.s.tableWork > maxTableWork {
			return objection{}, 0
		}
		for n := range cells {
			if n == k.label || n < k.table.label || !same(&cells[n]) {
				continue
			}
			switch {
			case !slices.Contains(k.rows, i):
				if otherRow < 0 || slices.Contains(k.columns, n) {
					otherRow, otherColumn = i, n
				}
			case len(k.columns) == 0 || slices.Contains(k.columns, n):
				return objection{}, 0
			default:
				inRow = true
			}
		}
	}
	row, column := k.rows[0], otherColumn
	switch {
	case inRow:
		column = k.columns[0]
	case otherRow < 0 || len(k.columns) > 0 && !slices.Contains(k.columns, otherColumn):
		return objection{}, 0
	}
	if cell := k.table.cell(row, column); cell != nil && contradicts(cell) {
		return k.objection(claimed, cell, row, column), row
	}
	return objection{}, 0
}

func (k *tableCheck) objection(claimed string, cell *tableCell, row, column int) objection {
	name := k.table.cell(row, k.label).text
	if heading := strings.TrimSpace(k.table.cell(0, column).text); heading != "" {
		name += ", " + heading
	}
	return objection{reason: "the table has " + quoted(cell.text) + " for " + quoted(name) + ", not " + quoted(claimed), limit: contradicted}
}

// maxProseChecks is how many values outside of tables are looked at for one claim.
const maxProseChecks = 8

// statedInProse reports whether a sentence outside the tables has the value that the
// check objects to and the name of a row.
func (j *Judge) statedInProse(s *scratch, contexts []string, k *tableCheck) bool {
	if k.value == nil {
		return false
	}
	b := &s.quoteStmt
	left := maxProseChecks
	for i := range s.values {
		if left == 0 {
			break
		}
		chunk, at := int(s.valueChunks[i]), s.values[i].Start
		if k.value.Match(&s.values[i], j.lex) == 0 || inTable(s.tables, chunk, at) {
			continue
		}
		left--
		q := j.sentenceAt(s, contexts, support{chunk: chunk, start: at})
		b.read(j.lex, contexts[chunk][q.start:q.end])
		if slices.ContainsFunc(k.rows, func(row int) bool { return b.hasAll(k.table.cell(row, k.label).words) }) {
			return true
		}
	}
	return false
}

func inTable(tables []table, chunk, at int) bool {
	return slices.ContainsFunc(tables, func(t table) bool {
		return t.chunk == chunk && at >= t.rows[0].Start && at < t.rows[len(t.rows)-1].End
	})
}
