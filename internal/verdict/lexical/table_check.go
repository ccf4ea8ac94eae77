package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// maxTableWork limits the cell comparisons per task.
const maxTableWork = 1 << 20

// checkTables returns an objection if a table in the contexts has a value of the claim
// in a different row or column. For example, "the crossing to the Outer Isles takes 40
// minutes" is wrong if 40 is in the row of the Inner Isles.
func (j *Judge) checkTables(s *scratch, c *claim, contexts []string) (objection, quote) {
	tables := j.readTables(s, contexts)
	if len(tables) == 0 || s.tableWork > maxTableWork {
		return objection{}, quote{}
	}
	stmt := &s.claimStmt
	stmt.parse(j.lex, c.text)
	if stmt.negations > 0 {
		return objection{}, quote{}
	}
	several := stmt.comparesCells()
	for i := range tables {
		t := &tables[i]
		for _, r := range t.rows {
			s.tableWork += len(r.cells)
		}
		if s.tableWork > maxTableWork {
			break
		}
		tc := tableCheck{s: s, lex: j.lex, table: t, claim: c, stmt: stmt, label: t.label}
		tc.matchNames()
		o, row := tc.checkComparison()
		if o.reason == "" && !several {
			o, row = tc.checkCells()
		}
		if o.reason != "" && !j.statedInProse(s, contexts, &tc) {
			return o, quote{chunk: t.chunk, start: t.rows[row].Start, end: t.rows[row].End}
		}
	}
	return objection{}, quote{}
}

// comparesCells reports whether x may compare or combine several cells, rather than
// state a single one: "$10 more than the Pro plan".
func (x *statement) comparesCells() bool {
	for i := range x.tokens {
		switch w := x.lower(i); w {
		case "than", "more", "less", "fewer", "higher", "lower", "larger", "smaller", "longer", "shorter", "difference", "total", "sum", "together", "combined", "altogether", "average",
			"twice", "double", "unlike", "neither", "nor", "except", "besides", "since", "after", "before", "until", "behind", "ahead", "between":
			return true
		case "half":
			if i+1 < len(x.tokens) && (x.lower(i+1) == "of" || x.lower(i+1) == "as" || x.lower(i+1) == "the") {
				return true
			}
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
	stmt          *statement // the parsed claim
	rows, columns []int      // rows and columns that the claim mentions
	label         int        // index of the column that identifies the rows
	value         *number    // value being checked, nil for other text
}

// checkCells returns an objection to the first value that is in a different cell than the
// claim states, and the row that the claim mentions.
func (tc *tableCheck) checkCells() (objection, int) {
	if o, row := tc.checkRows(); o.reason != "" {
		return o, row
	}
	if len(tc.rows) == 0 || len(tc.rows) == len(tc.table.rows)-1 && len(tc.rows) > 1 {
		return objection{}, 0
	}
	if o, row := tc.checkPairs(); o.reason != "" {
		return o, row
	}
	values := tc.values()
	for i := range values {
		tc.value = &values[i]
		if tc.value.Loose || tc.isPartOfName(tc.value) {
			continue
		}
		same := func(c *tableCell) bool { return tc.matches(c, tc.value) }
		if o, row := tc.misplaced(tc.claim.text[tc.value.Start:tc.value.End], same, tc.contradictsValues); o.reason != "" {
			return o, row
		}
	}
	tc.value = nil
	for column := range tc.table.header() { // times and ranges
		for i := 1; i < len(tc.table.rows) && column != tc.label; i++ {
			cell := tc.table.cell(i, column)
			if cell == nil || !tc.hasLiteral(cell) {
				continue
			}
			same := func(c *tableCell) bool { return c.text == cell.text }
			other := func(c *tableCell) bool { return c.text != "" && !tc.hasLiteral(c) }
			if o, row := tc.misplaced(cell.text, same, other); o.reason != "" {
				return o, row
			}
		}
	}
	for column := range tc.table.header() { // words, such as names and days
		named := slices.Contains(tc.columns, column)
		for i := 1; i < len(tc.table.rows) && column != tc.label; i++ {
			cell := tc.table.cell(i, column)
			if cell == nil || slices.Contains(tc.rows, i) {
				continue
			}
			word := tc.mentionedWord(cell, named)
			if word == 0 {
				continue
			}
			same := func(c *tableCell) bool { return slices.Contains(c.words, word) }
			other := func(c *tableCell) bool {
				return len(c.words) > 0 && !slices.ContainsFunc(c.words, func(w uint64) bool { return !tc.isMissing(w) })
			}
			if o, row := tc.misplaced(cell.text, same, other); o.reason != "" {
				return o, row
			}
		}
	}
	return objection{}, 0
}

// values returns the numbers and dates of the claim.
func (tc *tableCheck) values() []number {
	return tc.s.claimValues[tc.claim.values[0]:tc.claim.values[1]]
}

// contradictsValues reports whether a cell has values and the claim states none of
// them.
func (tc *tableCheck) contradictsValues(c *tableCell) bool {
	return len(c.values) > 0 && !slices.ContainsFunc(tc.values(), func(v number) bool { return tc.matches(c, &v) })
}

// hasLiteral reports whether the cell contains several numbers, such as 2:17.40 or
// 10–16, and the claim contains its exact text.
func (tc *tableCheck) hasLiteral(c *tableCell) bool {
	if len(c.text) < len("1:20") || !strings.ContainsAny(c.text, "0123456789") || strings.IndexByte(c.text, ' ') >= 0 || len(tc.lex.Tokens(nil, c.text)) < 2 {
		return false
	}
	i := strings.Index(tc.claim.text, c.text)
	return i >= 0 && (i == 0 || tc.claim.text[i-1] == ' ')
}

// mentionedWord returns the key of a name or month in a cell that the claim contains, or
// 0. In a column that the claim mentions, named is set and the word may be of any kind.
func (tc *tableCheck) mentionedWord(c *tableCell, named bool) uint64 {
	if len(c.values) > 0 || len(c.words) == 0 || !named && !tc.mentions(c) {
		return 0
	}
	for _, w := range c.words {
		contains := func(c tableCell) bool { return slices.Contains(c.words, w) }
		if slices.ContainsFunc(tc.rows, func(r int) bool { return contains(tc.table.rows[r].cells[tc.label]) }) || slices.ContainsFunc(tc.table.header(), contains) {
			return 0
		}
		n := tc.stmt.indexOf(w)
		if n < 0 {
			continue
		}
		t := tc.stmt.contentToken(n)
		if t.Is(lexicon.Month) || t.Is(lexicon.Capital) && !t.Is(lexicon.Initial) || named && tc.mentions(c) {
			return w
		}
	}
	return 0
}

// checkPairs checks a claim that lists headings and values, such as "Route: Outer
// Isles; Fare: €34". It returns an objection if a value does not match its column.
func (tc *tableCheck) checkPairs() (objection, int) {
	parts := strings.Split(tc.claim.text[tc.claim.lead:], "; ")
	if len(parts) < 2 || len(tc.rows) != 1 {
		return objection{}, 0
	}
	row := tc.rows[0]
	b := &tc.s.quoteStmt
	for _, part := range parts {
		head, claimed, ok := strings.Cut(part, ": ")
		if !ok {
			continue
		}
		b.parse(tc.lex, head)
		for i, heading := range tc.table.header() {
			cell := tc.table.cell(row, i)
			if i == tc.label || cell == nil || len(heading.words) == 0 || !b.hasAll(heading.words) {
				continue
			}
			b.parse(tc.lex, claimed)
			values := tc.s.appendNumbers(nil, maxNumbers, claimed, b.tokens)
			if len(cell.values) > 0 && len(values) > 0 && !tc.matches(cell, &values[0]) {
				return tc.objection(claimed, cell, row, i), row
			}
			break
		}
	}
	return objection{}, 0
}

// isPartOfName reports whether v is part of the name of a row or column that the claim
// mentions.
func (tc *tableCheck) isPartOfName(v *number) bool {
	return slices.ContainsFunc(tc.rows, func(row int) bool { return tc.matches(tc.table.cell(row, tc.label), v) }) ||
		slices.ContainsFunc(tc.columns, func(column int) bool { return tc.matches(tc.table.cell(0, column), v) })
}

// matches reports whether a cell contains the value v.
func (tc *tableCheck) matches(c *tableCell, v *number) bool {
	for i := range c.values {
		if v.match(&c.values[i]) <= levelAdjective {
			return true
		}
	}
	return false
}

// misplaced returns an objection if only other cells contain the claimed content and the
// cell that the claim mentions contradicts it. It also returns the row of that cell.
func (tc *tableCheck) misplaced(claimed string, same, contradicts func(*tableCell) bool) (objection, int) {
	inRow := false
	otherRow, otherColumn := -1, -1
	for i := 1; i < len(tc.table.rows); i++ {
		cells := tc.table.rows[i].cells
		if tc.s.tableWork += len(cells); tc.s.tableWork > maxTableWork {
			return objection{}, 0
		}
		for n := range cells {
			if n == tc.label || n < tc.table.label || !same(&cells[n]) {
				continue
			}
			switch {
			case !slices.Contains(tc.rows, i):
				if otherRow < 0 || slices.Contains(tc.columns, n) {
					otherRow, otherColumn = i, n
				}
			case len(tc.columns) == 0 || slices.Contains(tc.columns, n):
				return objection{}, 0
			default:
				inRow = true
			}
		}
	}
	row, column := tc.rows[0], otherColumn
	switch {
	case inRow:
		column = tc.columns[0]
	case otherRow < 0 || len(tc.columns) > 0 && !slices.Contains(tc.columns, otherColumn):
		return objection{}, 0
	}
	if cell := tc.table.cell(row, column); cell != nil && contradicts(cell) {
		return tc.objection(claimed, cell, row, column), row
	}
	return objection{}, 0
}

// objection returns an objection that quotes a cell and its row and column.
func (tc *tableCheck) objection(claimed string, cell *tableCell, row, column int) objection {
	name := tc.table.cell(row, tc.label).text
	if heading := strings.TrimSpace(tc.table.cell(0, column).text); heading != "" {
		name += ", " + heading
	}
	return objection{reason: "the table has " + quoted(cell.text) + " for " + quoted(name) + ", not " + quoted(claimed), maxScore: maxContradictedScore, basis: basisValue}
}

// maxProseChecks limits the values outside tables that are checked per claim.
const maxProseChecks = 8

// statedInProse reports whether a sentence outside the tables contains both the value
// being checked and the name of a row that the claim mentions.
func (j *Judge) statedInProse(s *scratch, contexts []string, tc *tableCheck) bool {
	if tc.value == nil {
		return false
	}
	b := &s.quoteStmt
	remaining := maxProseChecks
	for i := range s.values {
		if remaining == 0 {
			break
		}
		chunk, start := int(s.valueChunks[i]), s.values[i].Start
		if tc.value.match(&s.values[i]) == levels || inTable(s.tables, chunk, start) {
			continue
		}
		remaining--
		q := j.sentenceAt(s, contexts, support{chunk: chunk, start: start})
		b.parse(j.lex, contexts[chunk][q.start:q.end])
		if slices.ContainsFunc(tc.rows, func(row int) bool { return b.hasAll(tc.table.cell(row, tc.label).words) }) {
			return true
		}
	}
	return false
}

// inTable reports whether a byte offset in a chunk is inside one of the tables.
func inTable(tables []table, chunk, offset int) bool {
	return slices.ContainsFunc(tables, func(t table) bool {
		return t.chunk == chunk && offset >= t.rows[0].Start && offset < t.rows[len(t.rows)-1].End
	})
}
