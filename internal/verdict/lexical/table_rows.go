package lexical

import "slices"

// A mention is a place in a claim that names a row of a table or gives a value.
type mention struct {
	token int
	row   int     // the row, or 0 for a value
	value *number // nil for a row
}

// checkRows checks a claim that gives values of several rows: "the Team plan costs $49
// and the Basic plan $10". It returns an objection to the first value that is in another
// one of these rows, and the row that the claim gives it for.
func (tc *tableCheck) checkRows() (objection, int) {
	ms := tc.rowMentions(2)
	if len(ms) == 0 {
		return objection{}, 0
	}
	rows, all := ms, tc.rows
	defer func() { tc.rows, tc.value = all, nil }()
	values := tc.values()
	for i := range values {
		v := &values[i]
		held := func(m mention) bool {
			return slices.ContainsFunc(tc.table.rows[m.row].cells, func(c tableCell) bool { return tc.matches(&c, v) })
		}
		if !v.Loose && !tc.isPartOfName(v) && slices.ContainsFunc(rows, held) {
			ms = append(ms, mention{token: v.first, value: v})
		}
	}
	slices.SortFunc(ms, func(a, b mention) int { return a.token - b.token })
	for _, m := range ms {
		if m.value == nil {
			continue
		}
		tc.value = m.value
		if tc.rows = rowsOf(ms, m.token); len(tc.rows) != 1 {
			continue
		}
		same := func(c *tableCell) bool { return tc.matches(c, m.value) }
		if o, row := tc.misplaced(tc.claim.text[m.value.Start:m.value.End], same, func(c *tableCell) bool { return len(c.values) > 0 && !same(c) }); o.reason != "" {
			return o, row
		}
	}
	return objection{}, 0
}

// rowMentions returns the rows whose names the claim contains, in the order of the claim,
// if they are at least minRows. The longest name counts: "Inner Isles North" is not also
// "Inner Isles".
func (tc *tableCheck) rowMentions(minRows int) []mention {
	var rows []int
	for i := 1; i < len(tc.table.rows); i++ {
		if cell := tc.table.cell(i, tc.label); cell != nil && tc.mentions(cell) {
			rows = append(rows, i)
		}
	}
	if len(rows) < minRows || len(rows) > maxNumbers {
		return nil
	}
	var ms []mention
	several := minRows < 2
	for at := 0; at < len(tc.stmt.tokens); {
		row, length := 0, 0
		for _, i := range rows {
			if n := tc.stmt.matchKeys(at, tc.table.cell(i, tc.label).words); n > length {
				row, length = i, n
			}
		}
		if row > 0 {
			several = several || len(ms) > 0 && ms[0].row != row
			ms = append(ms, mention{token: at, row: row})
		}
		at += max(length, 1)
	}
	if !several {
		return nil
	}
	return ms
}

// rowsOf returns the rows to which the value at a token belongs: the row named before it,
// or after it if the claim starts with a value, or the row in the same place if all rows are
// named before all values.
func rowsOf(ms []mention, token int) []int {
	var rows []int
	values, nth, changes := 0, 0, 0
	for i, m := range ms {
		if m.value == nil {
			rows = append(rows, m.row)
		} else {
			if m.token < token {
				nth++
			}
			values++
		}
		if i > 0 && (m.value == nil) != (ms[i-1].value == nil) {
			changes++
		}
	}
	if changes == 1 { // "A and B cost $10 and $49, respectively"
		if len(rows) == values {
			return rows[nth : nth+1]
		}
		return rows
	}
	at := slices.IndexFunc(ms, func(m mention) bool { return m.token == token && m.value != nil })
	step := -1
	if ms[0].value != nil {
		step = 1
	}
	for at >= 0 && at < len(ms) && ms[at].value != nil {
		at += step
	}
	rows = rows[:0]
	for at >= 0 && at < len(ms) && ms[at].value == nil { // "A and B cost $10 each, C $49"
		rows = append(rows, ms[at].row)
		at += step
	}
	return rows
}
