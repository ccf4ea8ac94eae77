package lexical

import (
	"slices"
	"strings"

	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/values"
)

// A degree is what a comparative or superlative says about two values.
type degree struct {
	sign        float64 // 1 for more, -1 for less
	superlative bool
	column      string // words of headings that it is about, or "" for any
}

// maxCompared is the number of words between a comparative and "than".
const maxCompared = 48

// Headings of the columns that adjectives are about. A minus sign marks those where more
// of the adjective is a lower value: the older house was built earlier.
const (
	ofPrice  = " price prices cost costs fee fees fare fares rent rate "
	ofWeight = " weight mass "
	ofHeight = " height elevation altitude "
	ofLength = " length duration distance time life "
	ofAge    = " age -founded -built -opened -year -established -born -released "
	ofSpeed  = " speed velocity -time -duration "
	ofHeat   = " temperature "
	ofTime   = " date time year start opens opened departure arrival "
)

// degreeOf returns the degree of the word at token i of x, if it is one.
func (x *statement) degreeOf(i int) (d degree, ok bool) {
	w := x.lower(i)
	switch w {
	case "more", "most", "less", "least", "fewer", "fewest":
		d = degree{sign: 1, superlative: strings.HasSuffix(w, "st")}
		if w[0] != 'm' {
			d.sign = -1
		}
		if i+1 < len(x.tokens) {
			switch x.lower(i + 1) {
			case "expensive", "costly":
				d.column = ofPrice
			case "than", "of", "or", "likely", "often", "recent", "recently":
				return d, x.lower(i+1) == "than"
			}
		}
		return d, i == 0 || x.lower(i-1) != "at"
	}
	stem, er := strings.CutSuffix(w, "er")
	if !er {
		if stem, d.superlative = strings.CutSuffix(w, "est"); !d.superlative {
			return d, false
		}
	}
	d.sign = 1
	switch stem {
	case "high", "great", "larg", "bigg":
	case "low", "small":
		d.sign = -1
	case "cheap":
		d.sign, d.column = -1, ofPrice
	case "dear", "costli", "prici":
		d.column = ofPrice
	case "heavi":
		d.column = ofWeight
	case "light":
		d.sign, d.column = -1, ofWeight
	case "tall":
		d.column = ofHeight
	case "long":
		d.column = ofLength
	case "short":
		d.sign, d.column = -1, ofLength+ofHeight
	case "old":
		d.column = ofAge
	case "young", "new":
		d.sign, d.column = -1, ofAge
	case "fast", "quick":
		d.column = ofSpeed
	case "slow":
		d.sign, d.column = -1, ofSpeed
	case "hott", "warm":
		d.column = ofHeat
	case "cold", "cool":
		d.sign, d.column = -1, ofHeat
	case "lat":
		d.column = ofTime
	case "earli", "soon":
		d.sign, d.column = -1, ofTime
	default:
		return d, false
	}
	return d, true
}

// checkComparison checks a claim that compares values of rows or columns: "the Team plan
// is cheaper than the Basic plan", "Team is the most expensive plan". It returns an
// objection if the values say otherwise, and the row of the first one.
func (tc *tableCheck) checkComparison() (objection, int) {
	x := tc.stmt
	at, than := -1, len(x.tokens)
	var d degree
	for i := range x.tokens {
		if x.lower(i) == "than" {
			than = i
			break
		}
	}
	for i := range x.tokens {
		n, ok := x.degreeOf(i)
		switch {
		case !ok:
		case at >= 0 || !n.superlative && than == len(x.tokens):
			return objection{}, 0 // several comparisons, or "two more"
		default:
			at, d = i, n
		}
	}
	if at < 0 || d.superlative && (x.isLimited(at) || than < len(x.tokens)) || !d.superlative && (than < at || than > at+maxCompared) {
		return objection{}, 0
	}
	left, right := -1, -1
	for _, m := range tc.rowMentions(1) {
		side := &left
		if m.token > than {
			side = &right
		}
		if *side >= 0 && *side != m.row {
			return objection{}, 0
		}
		*side = m.row
	}
	switch {
	case left < 0:
		return objection{}, 0
	case right >= 0 && !d.superlative, d.superlative:
		column, sign := tc.columnOf(d)
		if column < 0 {
			return objection{}, 0
		}
		return tc.compareRows(left, right, column, d.sign*sign)
	}
	return tc.compareColumns(left, than, d.sign)
}

// isLimited reports whether the superlative at token i does not say that something has the
// greatest value of all: "one of the largest", "the second largest".
func (x *statement) isLimited(i int) bool {
	for k := max(0, i-4); k < i; k++ {
		if x.tokens[k].Is(lexicon.Ordinal) || x.lower(k) == "among" || x.lower(k) == "one" || x.lower(k) == "second" || x.lower(k) == "third" {
			return true
		}
	}
	return false
}

// verbColumn returns the headings that the verb of a claim is about, or "".
func (x *statement) verbColumn() string {
	for i := range x.tokens {
		switch x.lower(i) {
		case "cost", "costs":
			return ofPrice
		case "weigh", "weighs":
			return ofWeight
		case "take", "takes", "last", "lasts":
			return ofLength
		}
	}
	return ""
}

// columnOf returns the column that a comparison is about and the sign of its values, or -1
// if it is not clear: the one whose heading the claim mentions, or that fits the adjective.
func (tc *tableCheck) columnOf(d degree) (column int, sign float64) {
	if len(tc.columns) == 1 {
		return tc.columns[0], 1
	}
	if d.column == "" {
		d.column = tc.stmt.verbColumn()
	}
	column, best := -1, 0.0
	for i, heading := range tc.table.header() {
		if i == tc.table.label {
			continue
		}
		fit, s := 0.0, 1.0
		for w := range strings.FieldsFuncSeq(strings.ToLower(heading.text), func(r rune) bool { return r < 'a' }) {
			switch {
			case strings.Contains(d.column, " "+w+" "):
				fit = 1
			case strings.Contains(d.column, "-"+w+" "):
				fit, s = 1, -1
			}
		}
		if fit == 0 {
			found := 0
			for _, w := range heading.words {
				if !tc.isMissing(w) {
					found++
				}
			}
			if len(heading.words) > 0 {
				fit = float64(found) / float64(len(heading.words))
			}
		}
		switch {
		case fit >= 0.5 && fit > best:
			column, sign, best = i, s, fit
		case fit == best && fit > 0:
			column = -1
		}
	}
	return column, sign
}

// compareRows returns an objection if row left does not have more of a column than row
// right, or than each other row if right is -1; less if sign is -1.
func (tc *tableCheck) compareRows(left, right, column int, sign float64) (objection, int) {
	for row := 1; row < len(tc.table.rows); row++ {
		if row == left || right >= 0 && row != right {
			continue
		}
		a, b := tc.table.cell(left, column), tc.table.cell(row, column)
		if a.exceeds(b, sign) {
			continue
		}
		return tc.comparison(a, b, left, column, tc.table.cell(row, tc.table.label).text), left
	}
	return objection{}, 0
}

// exceeds reports whether the value of a cell is greater than that of another, or less if
// sign is -1, or not comparable.
func (c *tableCell) exceeds(d *tableCell, sign float64) bool {
	if c == nil || d == nil {
		return true
	}
	x, y := values.Find(c.text), values.Find(d.text)
	if len(x) != 1 || len(y) != 1 || x[0].Kind != y[0].Kind || !x[0].Exact() || !y[0].Exact() {
		return true
	}
	return sign*(x[0].Low-y[0].Low) > 0
}

// comparison returns an objection that quotes two cells.
func (tc *tableCheck) comparison(a, b *tableCell, row, column int, other string) objection {
	name := tc.table.cell(row, tc.table.label).text + ", " + strings.TrimSpace(tc.table.cell(0, column).text)
	return objection{reason: "the table has " + quoted(a.text) + " for " + quoted(name) + ", and " + quoted(b.text) + " for " + quoted(other), maxScore: maxContradictedScore, basis: basisValue}
}

// compareColumns returns an objection if the values in a row of the two columns that the
// claim mentions before and after token than do not compare as claimed.
func (tc *tableCheck) compareColumns(row, than int, sign float64) (objection, int) {
	if len(tc.columns) != 2 {
		return objection{}, 0
	}
	first, second := tc.columns[0], tc.columns[1]
	a, b := tc.ownPosition(first, second), tc.ownPosition(second, first)
	if a > b {
		first, second, a, b = second, first, b, a
	}
	if a < 0 || a > than || b < than {
		return objection{}, 0
	}
	x, y := tc.table.cell(row, first), tc.table.cell(row, second)
	if x.exceeds(y, sign) {
		return objection{}, 0
	}
	return tc.comparison(x, y, row, first, strings.TrimSpace(tc.table.cell(0, second).text)), row
}

// ownPosition returns the token of the claim that is a word of the heading of column but
// not of other, or -1.
func (tc *tableCheck) ownPosition(column, other int) int {
	for _, w := range tc.table.cell(0, column).words {
		if !slices.Contains(tc.table.cell(0, other).words, w) {
			if n := tc.stmt.indexOf(w); n >= 0 {
				return tc.stmt.content[n]
			}
		}
	}
	return -1
}
