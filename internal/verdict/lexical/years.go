package lexical

import (
	"github.com/ragfaith/ragfaith/internal/verdict/lexical/lexicon"
)

// otherYear looks for a number that the claim puts in one year and the quote
// in another, where the quote has a different number of the same kind for the
// claim's year. It returns what each says.
func (s *scratch) otherYear(l *lexicon.Lexicon, c *claim) (claim, quote string) {
	a, b := &s.claimSide, &s.quoteSide
	mine := s.claimValues[c.values[0]:c.values[1]]
	var theirs []value
	for i := 1; i < len(mine); i++ {
		v, year := &mine[i-1], &mine[i]
		if !a.inYear(v, year) {
			continue
		}
		if theirs == nil {
			theirs = values(nil, len(b.text), l, b.text, b.tokens)
		}
		other, elsewhere := false, -1
		for k := 1; k < len(theirs); k++ {
			w, y := &theirs[k-1], &theirs[k]
			if !b.inYear(w, y) {
				if v.holds(w, l) > 0 || v.holds(y, l) > 0 && (k+1 == len(theirs) || !b.inYear(y, &theirs[k+1])) {
					return "", "" // it stands there without a year
				}
				continue
			}
			sameValue, sameYear := v.holds(w, l) > 0, year.num == y.num
			switch {
			case sameValue && sameYear:
				return "", ""
			case sameValue:
				elsewhere = k
			case sameYear && v.unit == w.unit:
				other = true
			}
		}
		if other && elsewhere > 0 {
			return a.text[v.start:year.end], b.text[theirs[elsewhere-1].start:theirs[elsewhere].end]
		}
	}
	return "", ""
}

// inYear reports whether year is a year and v is a number that "in" puts into it.
func (x *side) inYear(v, year *value) bool {
	if v.kind != number || year.kind != number || year.first != v.last+2 || x.lower(year.first-1) != "in" {
		return false
	}
	return year.unit == 0 && isYear(x.tokens[year.first]) && (v.unit != 0 || !isYear(x.tokens[v.first]))
}
